#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/children/child_batch.hpp"
#include "app/options/options.hpp"
#include "comparison.hpp"

namespace dcube::app {

/// What is compared: embeddings, or numbers of processes.
enum class ComparedThing { embedding, process_number };

/// A simulation to make for a comparison.
struct ComparedRun {
  ScenarioOptions scenario;
  std::string name;  ///< of the embedding, in rows
  std::uint32_t processes = 0;
  std::uint64_t memory_bytes = 0;  ///< about what it takes
  std::uint64_t causes_bytes = 0;  ///< about what an explanation takes besides
  bool is_explained = false;       ///< its critical path is looked for
  std::string trace;               ///< CSV file to trace its processes to; empty: none
  ChildResult result;

  /// What its result file is called.
  std::string label(ComparedThing thing) const;
};

/// `scenario` is what `options` describe.
ComparedRun compared_run(const ScenarioOptions& options, const Scenario& scenario);

/// Runs it in this process and returns what received_json() and row_of() understand.
std::string simulate_compared(const ComparedRun& run);

/// The result of a run that finished, as JSON.
std::string_view received_json(const ComparedRun& run);
ComparisonRow row_of(const ComparedRun& run);

}  // namespace dcube::app
