#include "failure_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/terminal/json_values.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/mapped.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// "completed", or "9 completed, 1 unreachable".
std::string outcomes(const Degradation& degradation) {
  if (degradation.outcomes.size() == 1) {
    return to_string(degradation.outcomes.front().first);
  }
  return joined(degradation.outcomes, ", ", [](const auto& outcome) {
    return fmt::format("{} {}", outcome.second, to_string(outcome.first));
  });
}

/// "2 failed links: xor < gray = standard", by the mean of the runs that completed.
std::string failure_ranking(const Comparison& comparison, const std::string& network,
                            std::uint32_t failures) {
  std::string text;
  const Degradation* before = nullptr;
  const std::vector<Degradation> ranked = ranked_under_failures(comparison, network, failures);
  for (const Degradation& one : ranked) {
    if (before != nullptr) {
      text +=
          before->completed == one.completed && before->total_ps == one.total_ps ? " = " : " < ";
    }
    text += one.embedding;
    before = &one;
  }
  return fmt::format("{}{}: {}\n", network.empty() ? "" : network + ", ",
                     counted(failures, "failed link"), text.empty() ? "nothing completed" : text);
}

}  // namespace

std::string failure_table(const Comparison& comparison) {
  const bool with_network = !comparison.networks.empty();
  std::vector<Table::Column> columns;
  if (with_network) {
    columns.push_back({"network", Table::Align::left});
  }
  columns.insert(columns.end(), {{"embedding", Table::Align::left},
                                 {"failed links"},
                                 {"runs"},
                                 {"mean"},
                                 {"least"},
                                 {"greatest"},
                                 {"slowdown"},
                                 {"outcome", Table::Align::left}});
  Table table{std::move(columns)};
  table.add_group(with_network ? 4 : 3, 3, "makespan");
  const std::vector<Degradation> rows = degradations(comparison);
  std::vector<double> times;
  for (const Degradation& row : rows) {
    if (row.completed > 0) {
      times.insert(times.end(), {row.mean_s, to_seconds(row.least), to_seconds(row.greatest)});
    }
  }
  const TimeScale scale{times};
  for (const Degradation& row : rows) {
    const auto time = [&](double seconds) { return row.completed > 0 ? scale.text(seconds) : "-"; };
    std::vector<std::string> cells;
    if (with_network) {
      cells.push_back(row.network);
    }
    cells.insert(cells.end(),
                 {row.embedding, grouped(row.failures), grouped(row.runs), time(row.mean_s),
                  time(to_seconds(row.least)), time(to_seconds(row.greatest)),
                  row.slowdown ? fmt::format("{:.3f}", *row.slowdown) : "-", outcomes(row)});
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string failure_rankings(const Comparison& comparison) {
  std::string text = "\n";
  for (const std::string& network : networks_of(comparison)) {
    for (const std::uint32_t failures : comparison.failures) {
      text += failure_ranking(comparison, network, failures);
    }
  }
  return text;
}

ordered_json by_failures(const Comparison& comparison, const OfEmbeddings& value) {
  ordered_json json = ordered_json::object();
  for (const std::string& network : networks_of(comparison)) {
    ordered_json& part = network.empty() ? json : json[network];
    for (const std::uint32_t failures : comparison.failures) {
      part[std::to_string(failures)] = value(
          mapped(ranked_under_failures(comparison, network, failures), &Degradation::embedding));
    }
  }
  return json;
}

ordered_json degradation_json(const Comparison& comparison, const Degradation& degradation) {
  ordered_json json{{"embedding", degradation.embedding}};
  if (!comparison.networks.empty()) {
    json["network"] = degradation.network;
  }
  json["failures"] = degradation.failures;
  json["runs"] = degradation.runs;
  json["outcomes"] = ordered_json::object();
  for (const auto& [outcome, count] : degradation.outcomes) {
    json["outcomes"][to_string(outcome)] = count;
  }
  const bool is_known = degradation.completed > 0;
  json["makespan_mean_s"] = is_known ? ordered_json(degradation.mean_s) : nullptr;
  json["makespan_least_s"] = is_known ? ordered_json(degradation.least) : nullptr;
  json["makespan_greatest_s"] = is_known ? ordered_json(degradation.greatest) : nullptr;
  json["slowdown"] = degradation.slowdown;
  return json;
}

}  // namespace dcube::app
