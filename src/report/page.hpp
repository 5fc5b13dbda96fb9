#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"

namespace dcube::report {

/// A result and what is shown of its run.
struct ReportedRun {
  std::string name;  ///< what tells it from the others
  std::string file;
  Params result;
  std::filesystem::path folder{};  ///< where the result stands; empty: the current folder
  // Of a repetition of the run, where there was one.
  std::optional<std::string> timeline{};     ///< Timeline::json()
  bool shows_messages = false;               ///< the timeline has single hops
  std::optional<std::string> explanation{};  ///< run_explanation_json()
  std::vector<std::string> notes{};          ///< what is missing or doubtful, and why
};

/// One HTML page with everything it needs in it; it opens without a network. `version` is that of
/// this program. Every text of a file is shown as it is, whatever it holds.
std::string report_page(const std::vector<ReportedRun>& runs, const std::string& version);

}  // namespace dcube::report
