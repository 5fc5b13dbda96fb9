#include <fmt/format.h>

#include <utility>

#include "app/terminal/json_values.hpp"
#include "comparison.hpp"
#include "core/json_writing.hpp"
#include "scaling.hpp"
#include "scenario/json_writing.hpp"
#include "scenario/overrides.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// `names`: what tells the row from the others.
ordered_json row_head(ordered_json names, const ComparisonRow& row) {
  ordered_json json = std::move(names);
  json["outcome"] = to_string(row.outcome);
  json["problem"] = json_or_null(row.problem);
  for (const auto& [key, file] : {std::pair{"result", row.result}, std::pair{"trace", row.trace}}) {
    if (!file.empty()) {
      json[key] = file;
    }
  }
  return json;
}

/// What every row ends with.
void add_path(ordered_json& json, const RunFigures& figures) {
  json["fingerprint"] = fmt::format("{:016x}", figures.fingerprint);
  if (figures.critical_path) {
    for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
      json["critical_path"]["time_s"][to_string(static_cast<CauseKind>(kind))] =
          to_seconds((*figures.critical_path)[kind]);
    }
  }
}

ordered_json embedding_row(const Comparison& comparison, const ComparisonRow& row) {
  ordered_json json = row_head({{"embedding", row.embedding}}, row);
  if (row.figures) {
    const RunFigures& figures = *row.figures;
    const Ratios to = ratios(comparison, row);
    json["makespan_s"] = to_seconds(figures.makespan);
    json["makespan_ps"] = figures.makespan.count();
    json["ratio_to_best"] = json_or_null(to.to_best);
    json["ratio_to_bound"] = json_or_null(to.to_bound);
    json["dilation_average"] = figures.average_dilation;
    json["dilation_longest"] = figures.longest_dilation;
    json["waiting_share"] = figures.waiting_share;
    json["link_load_max"] = figures.max_link_load;
    json["queued"] = figures.queued_hops;
    add_path(json, figures);
  }
  return json;
}

ordered_json number_row(const Comparison& comparison, const ComparisonRow& row) {
  ordered_json json = row_head({{"embedding", row.embedding}, {"processes", row.processes}}, row);
  if (row.figures) {
    const RunFigures& figures = *row.figures;
    const std::optional<Speedup> speedup = speedup_of(comparison, row);
    json["makespan_s"] = to_seconds(figures.makespan);
    json["makespan_ps"] = figures.makespan.count();
    json["sequential_s"] = figures.sequential_time
                               ? ordered_json(to_seconds(*figures.sequential_time))
                               : ordered_json(nullptr);
    json["speedup"] = speedup ? ordered_json(speedup->speedup) : ordered_json(nullptr);
    json["efficiency"] = speedup ? ordered_json(speedup->efficiency) : ordered_json(nullptr);
    json["waiting_share"] = figures.waiting_share;
    json["queued"] = figures.queued_hops;
    add_path(json, figures);
  }
  return json;
}

template <class Row>
std::string with_runs(ordered_json json, const Comparison& comparison, Row row_json) {
  json["complete"] = comparison.is_complete;
  json["runs"] = ordered_json::array();
  for (const ComparisonRow& row : comparison.rows) {
    json["runs"].push_back(row_json(comparison, row));
  }
  json["settings"] = ordered_json::object();
  for (const Override& setting : comparison.settings) {
    json["settings"][setting.pointer] = value_of(setting, Params{});
  }
  json["dcube"] = json_of_dcube();
  return json_layout(json);
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  const ComparisonRow* best = comparison.best();
  ordered_json json{{"id", comparison.id},
                    {"scenario", comparison.scenario},
                    {"machine", comparison.machine},
                    {"program", comparison.program},
                    {"processes", comparison.processes},
                    {"bound", nullptr},
                    {"best", best != nullptr ? ordered_json(best->embedding) : nullptr}};
  if (comparison.bound) {
    json["bound"] = {{"makespan_s", comparison.bound->makespan_s},
                     {"source", comparison.bound->source}};
  }
  return with_runs(std::move(json), comparison, embedding_row);
}

std::string scaling_json(const Comparison& comparison) {
  ordered_json json{{"id", comparison.id},
                    {"scenario", comparison.scenario},
                    {"machine", comparison.machine},
                    {"program", comparison.program},
                    {"best", nullptr}};
  if (const ComparisonRow* best = shortest(comparison)) {
    json["best"] = {{"embedding", best->embedding}, {"processes", best->processes}};
  }
  return with_runs(std::move(json), comparison, number_row);
}

}  // namespace dcube::app
