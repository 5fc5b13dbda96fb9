#include <utility>

#include "app/terminal/json_values.hpp"
#include "comparison_tables.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/overrides.hpp"
#include "failure_tables.hpp"

// Comparisons as files for programs.

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

ordered_json rows_json(const Comparison& comparison) {
  const Columns<ComparisonRow> identity = identity_columns(comparison);
  const Columns<ComparisonRow> figures = figure_columns(comparison);
  return mapped(comparison.rows, [&](const ComparisonRow& row) {
    ordered_json json;
    add_members(json, identity, row);
    if (!comparison.failures.empty()) {
      json["failed_links"] = mapped(row.failed_links, [](const Link& link) {
        return ordered_json{link.from.index(), link.to.index()};
      });
    }
    json["outcome"] = to_string(row.outcome);
    json["problem"] = json_or_null(row.problem);
    for (const auto& [key, file] :
         {std::pair{"result", row.result}, std::pair{"trace", row.trace}}) {
      if (!file.empty()) {
        json[key] = file;
      }
    }
    if (row.figures) {
      add_members(json, figures, row);
    }
    const bool is_explained = row.figures && row.figures->critical_path;
    for (std::size_t kind = 0; is_explained && kind < cause_kinds; ++kind) {
      json["critical_path"]["time_s"][to_string(static_cast<CauseKind>(kind))] =
          (*row.figures->critical_path)[kind];
    }
    return json;
  });
}

ordered_json first_or_null(const std::vector<std::string>& names) {
  return names.empty() ? ordered_json(nullptr) : ordered_json(names.front());
}

ordered_json best_json(const Comparison& comparison) {
  if (!comparison.failures.empty() || !comparison.networks.empty()) {
    return rankings_json(comparison, first_or_null);
  }
  const ComparisonRow* best = comparison.best();
  return best == nullptr ? ordered_json(nullptr)
         : comparison.is_scaling()
             ? ordered_json{{"embedding", best->embedding}, {"processes", best->processes}}
             : ordered_json(best->embedding);
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  ordered_json json{{"id", comparison.id},           {"scenario", comparison.scenario},
                    {"machine", comparison.machine}, {"hop", comparison.hop},
                    {"network", comparison.network}, {"program", comparison.program}};
  if (!comparison.is_scaling()) {
    json["processes"] = comparison.processes;
    json["bound"] = comparison.bound
                        ? ordered_json{{"makespan_s", to_seconds(comparison.bound->makespan)},
                                       {"source", comparison.bound->source}}
                        : ordered_json(nullptr);
  }
  if (const std::optional<PlacedMap>& placed = comparison.placed) {
    json["placed"] = {{"objective", placed->objective},
                      {"cost", placed->cost},
                      {"bound", placed->bound},
                      {"gap", placed->gap}};
  }
  json["best"] = best_json(comparison);
  if (comparison.failures.empty() && comparison.networks.empty() && !comparison.is_scaling()) {
    json["winners"] = comparison.best() == nullptr
                          ? ordered_json::array()
                          : ordered_json(mapped(comparison.winners(), &ComparisonRow::embedding));
  }
  if (!comparison.failures.empty() || !comparison.networks.empty()) {
    json["ranking"] = rankings_json(comparison, [](const auto& names) { return names; });
  }
  if (!comparison.failures.empty()) {
    json["seeds"] = comparison.seeds;
    json["degradation"] = degradation_json(comparison);
  }
  if (const ComparisonRow* const fair = comparison.best_under_fair_links()) {
    json["best_under_fair_links"] = fair->embedding;
  }
  if (const std::optional<SpreadUnderJitter> drawn = comparison.under_jitter()) {
    json["jitter"] = static_cast<double>(drawn->part) / static_cast<double>(Jitter::whole);
  }
  json["complete"] = comparison.is_complete;
  json["runs"] = rows_json(comparison);
  json["settings"] = Setting{values_by_pointer(comparison.settings)};
  json["dcube"] = json_of_dcube();
  return json_layout(json);
}

std::string comparison_csv(const Comparison& comparison) {
  Columns<ComparisonRow> columns = identity_columns(comparison) +
                                   Columns<ComparisonRow>{outcome_column()} +
                                   figure_columns(comparison);
  if (!comparison.is_complete) {
    columns.push_back({"", Shown::nowhere, [](const auto&) { return false; }, "complete"});
  }
  const auto add_constant = [&](const std::string& key, const std::string& value) {
    columns.push_back({"", Shown::nowhere, [value](const auto&) { return value; }, key});
  };
  add_constant("version", DCUBE_VERSION);
  for (const Override& setting : comparison.settings) {
    add_constant(setting.pointer, setting.value);
  }
  return csv_table(columns, comparison.rows);
}

}  // namespace dcube::app
