#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/terminal/json_values.hpp"
#include "comparison_figures.hpp"
#include "comparison_tables.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/text.hpp"
#include "dcube/scenario/overrides.hpp"
#include "failure_tables.hpp"
#include "network_tables.hpp"

// What a comparison is for programs.

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// What tells a row from the others, by its keys in JSON and CSV.
std::vector<std::pair<const char*, ordered_json>> identity_of(const Comparison& comparison,
                                                              const ComparisonRow& row) {
  std::vector<std::pair<const char*, ordered_json>> identity{{"embedding", row.embedding}};
  if (!comparison.networks.empty()) {
    identity.emplace_back("network", row.network);
  }
  if (!comparison.failures.empty()) {
    // Nothing is drawn where no link fails.
    identity.emplace_back("failures", row.failures);
    identity.emplace_back("seed", row.failures == 0 ? ordered_json() : ordered_json(row.seed));
  }
  if (comparison.is_scaling()) {
    identity.emplace_back("processes", row.processes);
  }
  return identity;
}

ordered_json row_json(const Comparison& comparison, const ComparisonRow& row) {
  ordered_json json;
  for (auto& [key, value] : identity_of(comparison, row)) {
    json[key] = std::move(value);
  }
  if (!comparison.failures.empty()) {
    json["failed_links"] = mapped(row.failed_links, [](const Link& link) {
      return ordered_json{link.from.index(), link.to.index()};
    });
  }
  json["outcome"] = to_string(row.outcome);
  json["problem"] = json_or_null(row.problem);
  for (const auto& [key, file] : {std::pair{"result", row.result}, std::pair{"trace", row.trace}}) {
    if (!file.empty()) {
      json[key] = file;
    }
  }
  if (row.figures) {
    for (Figure& figure : figures_of(comparison, row)) {
      json[figure.key] = std::move(figure.value);
    }
  }
  const bool is_explained = row.figures && row.figures->critical_path;
  for (std::size_t kind = 0; is_explained && kind < cause_kinds; ++kind) {
    json["critical_path"]["time_s"][to_string(static_cast<CauseKind>(kind))] =
        (*row.figures->critical_path)[kind];
  }
  return json;
}

ordered_json first_or_null(const std::vector<std::string>& names) {
  return names.empty() ? ordered_json(nullptr) : ordered_json(names.front());
}

ordered_json best_json(const Comparison& comparison) {
  if (!comparison.failures.empty()) {
    return by_failures(comparison, first_or_null);
  }
  if (!comparison.networks.empty()) {
    return by_network(comparison, first_or_null);
  }
  const ComparisonRow* best = comparison.best();
  return best == nullptr ? ordered_json(nullptr)
         : comparison.is_scaling()
             ? ordered_json{{"embedding", best->embedding}, {"processes", best->processes}}
             : ordered_json(best->embedding);
}

/// The value as a cell of a CSV file, quoted where it must be. A number is the shortest decimal
/// that reads back as the same.
std::string csv_cell(const ordered_json& value) {
  if (value.is_number_float()) {
    return fmt::format("{}", value.get<double>());
  }
  if (!value.is_string()) {
    return value.is_null() ? "" : value.dump();
  }
  return csv_text(value.get_ref<const std::string&>());
}

std::string csv_line(const std::vector<ordered_json>& values) {
  return joined(values, ",", csv_cell) + "\n";
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  ordered_json json{{"id", comparison.id},
                    {"scenario", comparison.scenario},
                    {"machine", comparison.machine},
                    {"program", comparison.program}};
  if (!comparison.is_scaling()) {
    json["processes"] = comparison.processes;
    json["bound"] = comparison.bound
                        ? ordered_json{{"makespan_s", to_seconds(comparison.bound->makespan)},
                                       {"source", comparison.bound->source}}
                        : ordered_json(nullptr);
  }
  json["best"] = best_json(comparison);
  const auto all = [](const std::vector<std::string>& names) { return ordered_json(names); };
  if (!comparison.failures.empty()) {
    json["ranking"] = by_failures(comparison, all);
    json["seeds"] = comparison.seeds;
    json["degradation"] = mapped(degradations(comparison), [&](const Degradation& degradation) {
      return degradation_json(comparison, degradation);
    });
  } else if (!comparison.networks.empty()) {
    json["ranking"] = by_network(comparison, all);
  }
  if (const std::optional<SpreadUnderJitter> drawn = comparison.under_jitter()) {
    json["jitter"] = static_cast<double>(drawn->part) / static_cast<double>(Jitter::whole);
  }
  json["complete"] = comparison.is_complete;
  json["runs"] =
      mapped(comparison.rows, [&](const ComparisonRow& row) { return row_json(comparison, row); });
  json["settings"] = ordered_json::object();
  for (const Override& setting : comparison.settings) {
    json["settings"][setting.pointer] = value_of(setting, Params{});
  }
  json["dcube"] = json_of_dcube();
  return json_layout(json);
}

std::string comparison_csv(const Comparison& comparison) {
  std::vector<ordered_json> header;
  for (const auto& [key, value] : identity_of(comparison, {})) {
    header.emplace_back(key);
  }
  header.emplace_back("outcome");
  for (const Figure& figure : figures_of(comparison, {})) {
    header.emplace_back(figure.key);
  }
  header.emplace_back("version");
  for (const Override& setting : comparison.settings) {
    header.emplace_back(setting.pointer);
  }
  std::string csv = csv_line(header);
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<ordered_json> cells;
    for (auto& [key, value] : identity_of(comparison, row)) {
      cells.push_back(std::move(value));
    }
    cells.emplace_back(to_string(row.outcome));
    for (Figure& figure : figures_of(comparison, row)) {
      cells.push_back(row.figures ? std::move(figure.value) : ordered_json());
    }
    cells.emplace_back(DCUBE_VERSION);
    for (const Override& setting : comparison.settings) {
      cells.emplace_back(setting.value);
    }
    csv += csv_line(cells);
  }
  return csv;
}

}  // namespace dcube::app
