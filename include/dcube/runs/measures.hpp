#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

/// A run that has ended by itself, with what measures are worked out from.
struct MeasuredRun {
  const Scenario& scenario;
  const RunReport& report;
  EmbeddingMetrics embedding;
  std::uint32_t processes = 0;
  std::optional<Ticks> sequential_time;  ///< see Program::sequential_time()
};

/// `report` is what run_scenario() reported of the scenario.
MeasuredRun measured_run(const Scenario& scenario, const RunReport& report);

/// A figure of a run.
struct Measure {
  std::string_view name;  ///< "makespan_s": with its unit
  std::string_view unit;  ///< "s", "bytes", "1" for a share or a ratio; empty: a count
  std::string_view help;  ///< one line
  /// The figure; nothing where the run has none.
  std::optional<double> (*value)(const MeasuredRun& run);
};

/// Every measure, in the order of tables.
std::span<const Measure> measure_catalog();

/// The measure of that name; null when there is none.
const Measure* find_measure(std::string_view name);

/// The measure of that name. Throws InputError without a place, with the nearest name.
const Measure& measure_named(std::string_view name);

}  // namespace dcube
