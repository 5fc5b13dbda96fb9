#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/show/columns.hpp"

namespace dcube::report {

/// A result and what a page shows of its run.
struct ReportedRun {
  std::string name;  ///< unique
  std::string file;
  Params result;
  std::filesystem::path folder{};  ///< of the result; empty: the current folder
  // Data from a repetition of the run, if any.
  std::optional<std::string> timeline{};     ///< Timeline::json()
  bool shows_messages = false;               ///< the timeline has single hops
  std::optional<std::string> explanation{};  ///< run_explanation_json()
  std::optional<std::string> link_bytes{};   ///< LinkBytes::json()
  std::vector<PageCell> cells{};             ///< columns of a comparison that the result lacks
  std::vector<std::string> notes{};          ///< missing or doubtful data, with reasons
};

/// A row of a comparison whose run left no result.
struct RowWithoutResult {
  std::size_t place;  ///< among all rows
  std::string name;
  std::string outcome;
  std::string problem;
  std::vector<PageCell> cells;
};

/// What a page says of a comparison besides its results.
struct ReportedComparison {
  std::string verdict{};  ///< which run wins, in lines; empty: nothing completed or one row
  std::vector<RowWithoutResult> others{};
};

/// Self-contained HTML page, which opens without a network. `version`: of this program. Texts from
/// files are shown as they are and never run.
std::string report_page(const std::vector<ReportedRun>& runs, const std::string& version,
                        const ReportedComparison& comparison = {});

/// HTML page that shows the answer of `dcube search` or `dcube collective`. `data`: a JSON object
/// of "kind" (search, collective) and "answer", which is what the command prints with --json; that
/// of a search also has "knows_routes" and "pictures" with a name, a map and link_picture_data()
/// each. Texts in it are shown as they are and never run.
std::string answer_page(const std::string& title, const std::string& data);

/// HTML page that shows any measure of a sweep against any setting. `data`: output of `dcube sweep
/// --json`. Texts in it are shown as they are and never run.
std::string sweep_page(const std::string& title, const std::string& data);

}  // namespace dcube::report
