#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dcube/runs/tables.hpp"
#include "runs/store.hpp"

namespace dcube::app {

/// Selection of a study's results to show.
struct SweepQuestion {
  std::vector<const Measure*> measures;  ///< the first is the one of pictures; at least one
  std::vector<RatioQuestion> ratios;
  std::optional<std::size_t> x{};     ///< setting of the horizontal axis of pictures
  std::optional<std::size_t> line{};  ///< setting with a curve for each value
};

/// Names of the measures that are shown by default.
std::vector<std::string> usual_measures();

/// Table for people: a row for each group of seeds, at most `most_rows`.
std::string sweep_text(const StudyResults& results, const SweepQuestion& question,
                       std::size_t most_rows);
/// JSON for programs, pictures and the page: every group of seeds with every measure.
std::string sweep_json(const StudyResults& results, const SweepQuestion& question);
/// Output of `--status --json`. `running`: runs that living commands work on.
std::string sweep_status_json(const Study& study, const StudyResults& results,
                              const std::vector<StoreSession>& sessions, std::size_t running);

}  // namespace dcube::app
