#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "batch/child_batch.hpp"
#include "comparison.hpp"

namespace dcube::app {

/// A simulation to make for a comparison, and what came of it.
struct ComparedRun {
  ScenarioOptions options;
  ComparisonRow row;                   ///< what the comparison shows of it
  std::shared_ptr<Scenario> scenario;  ///< null: it cannot be built, or is not yet
  /// Builds the scenario in the process that runs it, where there are too many to hold them all.
  /// Throws InputError.
  std::function<Scenario()> build{};
  std::uint64_t memory_bytes = 0;  ///< about what it takes
  std::uint64_t causes_bytes = 0;  ///< about what an explanation takes besides
  bool is_explained = false;       ///< its critical path is looked for
  std::filesystem::path folder{};  ///< its result is to stand in; empty: the current one
  std::filesystem::path trace{};   ///< CSV file to trace its processes to; empty: none

  // What came of it.
  bool has_ended = false;           ///< or cannot even begin
  bool has_unusable_input = false;  ///< which only running it has shown
  std::string json{};               ///< its result, when it finished
  std::string trace_problem{};      ///< why there is no trace, where one was asked for

  bool can_run() const { return scenario != nullptr || build != nullptr; }
  /// What its files are called.
  std::string label(ComparedThing thing) const;
};

/// `scenario` is what `options` describe.
ComparedRun compared_run(const ScenarioOptions& options, Scenario scenario);
/// The same run as `built`, which takes about as much memory, of a scenario that is built when it
/// runs. `options` describe it.
ComparedRun later_run(const ComparedRun& built, const ScenarioOptions& options,
                      std::shared_ptr<const ScenarioSource> source);
/// A run that cannot be: the embedding does not fit.
ComparedRun refused_run(const ScenarioOptions& options, const InputError& refusal);

/// Runs it in this process and returns what receive() understands.
std::string simulate_compared(const ComparedRun& run);
/// Keeps what a child has sent, or how it ended.
void receive(ComparedRun& run, ChildResult result);

/// The same for the same runs of the same scenario: see Comparison.
std::string comparison_id(const std::vector<ComparedRun>& runs, ComparedThing thing);

/// Numbers of processes as --process-count gives them, each once. Throws InputError.
std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts);

/// The scenario's options, with the program (a catalogue name) on `processes` processes: its
/// setting `processes`, or `dimensions`. Throws InputError when it has neither, or no such cube.
ScenarioOptions with_processes(ScenarioOptions options, const std::string& program,
                               std::uint32_t processes);

/// Networks as --network gives them, each once. Throws InputError.
std::vector<std::string> network_names(const std::vector<std::string>& texts);

/// The scenario's options, with a machine whose network is the one of this name.
ScenarioOptions with_network(ScenarioOptions options, const std::string& network);

/// Builds the scenario; complaints about the number are complaints about --process-count.
Scenario build_with_processes(const ScenarioSource& source, const ScenarioOptions& options,
                              std::uint32_t processes);

}  // namespace dcube::app
