#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/show/columns.hpp"

namespace dcube::report {

/// A result with what a page shows of its run.
struct ReportedRun {
  std::string name;  ///< tells it from the others
  std::string file;
  Params result;
  std::filesystem::path folder{};  ///< where the result stands; empty: the current folder
  // Data from a repetition of the run, if there was one.
  std::optional<std::string> timeline{};     ///< Timeline::json()
  bool shows_messages = false;               ///< the timeline has single hops
  std::optional<std::string> explanation{};  ///< run_explanation_json()
  std::optional<std::string> link_bytes{};   ///< LinkBytes::json()
  std::vector<PageCell> cells{};  ///< columns of a comparison, shown where the result has no such
  std::vector<std::string> notes{};  ///< what is missing or doubtful, and why
};

/// One HTML page that holds everything it needs, so it opens without a network. `version` is that
/// of this program. Texts from files are shown as they are and never run.
std::string report_page(const std::vector<ReportedRun>& runs, const std::string& version);

}  // namespace dcube::report
