#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

struct TraceSummary;

/// The version of dcube, which results name: "0.1.0".
std::string_view version();

/// Length above which lists are left out of output, or cut, unless they are asked for.
inline constexpr std::size_t most_listed = 4096;

enum class ListOutput { when_small, always };

/// The result object of `dcube run`, indented JSON with a final newline, as it is to stand in
/// `folder` (empty: the current one): its scenario's files are named relative to that. Unless
/// `always`, the map, and a scenario's document that holds one, are left out above `most_listed`
/// processes, the loads of single links and nodes above as many nodes, and the lists of an
/// explanation are cut after as many entries.
std::string run_result_json(const Scenario& scenario, const RunResult& result,
                            ListOutput lists = ListOutput::when_small,
                            const std::filesystem::path& folder = {});

/// The part `critical_path` of a result, JSON on one line; lists are cut after `most_entries`.
std::string run_explanation_json(const Scenario& scenario, const RunExplanation& explanation,
                                 std::size_t most_entries);

/// The summary object of `dcube trace`, indented JSON with a final newline; lists of more than
/// `most_listed` processes or links are left out unless `always`.
std::string trace_summary_json(const TraceSummary& summary,
                               ListOutput lists = ListOutput::when_small);

}  // namespace dcube
