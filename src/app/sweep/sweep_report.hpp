#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dcube/runs/tables.hpp"
#include "runs/store.hpp"

namespace dcube::app {

/// What of a study is shown.
struct SweepQuestion {
  std::vector<const Measure*> measures;  ///< the first is the one of pictures; at least one
  std::vector<RatioQuestion> ratios;
  std::optional<std::size_t> x{};     ///< setting of the horizontal axis of pictures
  std::optional<std::size_t> line{};  ///< setting with a curve for each value
};

/// Those that are shown where nobody asks for others.
std::vector<std::string> usual_measures();

/// For people: a row for each group of seeds. At most `most_rows` of them.
std::string sweep_text(const StudyResults& results, const SweepQuestion& question,
                       std::size_t most_rows);
/// For programs, pictures and the page: every group of seeds with every measure.
std::string sweep_json(const StudyResults& results, const SweepQuestion& question);
/// What `--status --json` prints. `running`: runs that living commands work on.
std::string sweep_status_json(const Study& study, const StudyResults& results,
                              const std::vector<StoreSession>& sessions, std::size_t running);

}  // namespace dcube::app
