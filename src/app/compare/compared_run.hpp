#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/children/child_batch.hpp"
#include "app/options/options.hpp"
#include "comparison.hpp"

namespace dcube::app {

/// What is compared: embeddings, or numbers of processes.
enum class ComparedThing { embedding, process_number };

/// A simulation to make for a comparison, and what came of it.
struct ComparedRun {
  ScenarioOptions options;
  std::string name;  ///< of the embedding, in rows
  std::uint32_t processes = 0;
  std::shared_ptr<Scenario> scenario;  ///< null: it cannot be built
  std::string refusal;                 ///< why it cannot
  std::uint64_t memory_bytes = 0;      ///< about what it takes
  std::uint64_t causes_bytes = 0;      ///< about what an explanation takes besides
  bool is_explained = false;           ///< its critical path is looked for
  std::filesystem::path folder;        ///< its result is to stand in; empty: the current one
  std::filesystem::path trace;         ///< CSV file to trace its processes to; empty: none

  // What came of it.
  ChildEnd end = ChildEnd::interrupted;
  std::string problem;                ///< why it did not finish
  std::optional<RunFigures> figures;  ///< when it finished
  std::string json;                   ///< its result, when it finished
  bool is_kept = false;               ///< the result has been written
  std::string trace_problem;          ///< why there is no trace, where one was asked for

  /// What its files are called.
  std::string label(ComparedThing thing) const;
  /// Whether it has ended, or cannot even begin.
  bool has_row() const { return !scenario || end != ChildEnd::interrupted; }
};

/// `scenario` is what `options` describe.
ComparedRun compared_run(const ScenarioOptions& options, Scenario scenario);
/// A run that cannot be: the embedding does not fit.
ComparedRun refused_run(const ScenarioOptions& options, const InputError& refusal);

/// Runs it in this process and returns what receive() understands.
std::string simulate_compared(const ComparedRun& run);
/// Keeps what a child has sent, or how it ended.
void receive(ComparedRun& run, ChildResult result);

/// The same for the same runs of the same scenario: see Comparison.
std::string comparison_id(const std::vector<ComparedRun>& runs, ComparedThing thing);

ComparisonRow row_of(const ComparedRun& run);

}  // namespace dcube::app
