#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/compare.hpp"
#include "dcube/questions/comparison.hpp"
#include "dcube/scenario/run.hpp"
#include "runs/child_batch.hpp"
#include "ties.hpp"

namespace dcube {

/// Watches a run in the process that makes it, and leaves what it has seen in a file.
class RunWatcher {
 public:
  virtual ~RunWatcher() = default;
  virtual Observer& observer() = 0;
  /// After the run. Throws InputError when the file cannot be written.
  virtual void finish(const RunResult& result) = 0;
};

/// A simulation to make for a comparison, and what came of it.
struct ComparedRun {
  ScenarioRequest options;
  ComparisonRow row;                   ///< what the comparison shows of it
  std::shared_ptr<Scenario> scenario;  ///< null: it cannot be built, or is not yet
  /// Builds the scenario in the process that runs it, where there are too many to hold them all.
  /// Throws InputError.
  std::function<Scenario()> build{};
  std::uint64_t memory_bytes = 0;  ///< about what it takes
  std::uint64_t causes_bytes = 0;  ///< about what an explanation takes besides
  bool is_explained = false;       ///< its critical path is looked for
  std::filesystem::path folder{};  ///< its result is to stand in; empty: the current one
  /// May be missing. Throws InputError when the file cannot be opened.
  std::function<std::unique_ptr<RunWatcher>(const Scenario&)> watch{};
  TieDraws ties{};
  bool is_bounded = false;  ///< the bound of the comparison is looked for

  // What came of it.
  bool has_ended = false;           ///< or cannot even begin
  bool has_unusable_input = false;  ///< which only running it has shown
  std::string json{};               ///< its result, when it finished
  std::string watch_problem{};      ///< why its watcher has left no file
  std::optional<MakespanBound> bound{};

  bool can_run() const { return scenario != nullptr || build != nullptr; }
  /// What its files are called.
  std::string label(ComparedThing thing) const;
};

/// `scenario` is what `options` describe.
ComparedRun compared_run(const ScenarioRequest& options, Scenario scenario);
/// The same run as `built`, which takes about as much memory, of a scenario that is built when it
/// runs. `options` describe it.
ComparedRun later_run(const ComparedRun& built, const ScenarioRequest& options,
                      std::shared_ptr<const ScenarioSource> source);
/// A run that cannot be: the embedding does not fit.
ComparedRun refused_run(const ScenarioRequest& options, const InputError& refusal);

/// Simulates those that can run, each in a child process. `on_progress` is told now and then how
/// many have ended, `on_end` of each when it ends.
void simulate_runs(std::vector<ComparedRun>& runs, const BatchLimits& limits,
                   const InterruptWatch& interrupt, const ProgressListener& on_progress,
                   const std::function<void(ComparedRun&)>& on_end);

/// An id that is the same for the same runs of the same scenario: see Comparison.
std::string comparison_id(const std::vector<ComparedRun>& runs, ComparedThing thing);

/// The scenario's options, with the program (a catalogue name) on `processes` processes: its
/// setting `processes`, or `dimensions`. Throws InputError when it has neither, or no such cube.
ScenarioRequest with_processes(ScenarioRequest options, const std::string& program,
                               std::uint32_t processes);

/// What rows and files call an embedding: a file by its name without folder and suffix.
std::string label_of(const std::string& embedding);

/// Networks as --network gives them, each once. Throws InputError.
std::vector<std::string> network_names(const std::vector<std::string>& texts);

/// The scenario's options, with a machine whose network is the one of this name.
ScenarioRequest with_network(ScenarioRequest options, const std::string& network);

/// Builds the scenario; complaints about the number are complaints about --process-count.
Scenario build_with_processes(const ScenarioSource& source, const ScenarioRequest& options,
                              std::uint32_t processes);

}  // namespace dcube
