#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/questions/sweep.hpp"
#include "dcube/runs/measures.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

ordered_json outcomes_json(const StudyResults& results) {
  ordered_json outcomes = ordered_json::object();
  for (const auto& [outcome, count] : results.outcomes()) {
    outcomes[to_string(outcome)] = count;
  }
  return outcomes;
}

ordered_json spread_or_null(const Spread& spread) {
  return spread.count == 0 ? ordered_json(nullptr)
                           : ordered_json{{"mean", spread.mean},
                                          {"deviation", spread.deviation},
                                          {"half_interval", spread.half_interval},
                                          {"least", spread.least},
                                          {"greatest", spread.greatest},
                                          {"count", spread.count}};
}

ordered_json values_json(const Study& study, const std::vector<const StudyValue*>& values,
                         std::optional<std::size_t> but = {}) {
  ordered_json settings = ordered_json::object();
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    if (!study.settings()[i]->is_seed() && i != but) {
      settings[study.settings()[i]->column] = value_of(*study.settings()[i], *values[i]);
    }
  }
  return settings;
}

/// A line for each group, by hand, because there may be many. Figures are in the order of
/// "measures"; a group of one run has no more than means.
std::string groups_text(const StudyResults& results) {
  const Study& study = results.study;
  std::string text;
  for (const SeedGroup& group : seed_groups(study)) {
    const auto completed = std::ranges::count_if(group.runs, [&](std::size_t run) {
      return results.records[run] != nullptr && results.records[run]->has_completed();
    });
    text +=
        fmt::format(R"({}    {{"settings":{},"runs":{},"completed":{})", text.empty() ? "" : ",\n",
                    json_line(values_json(study, group.values)), group.runs.size(), completed);
    const auto failed = std::ranges::find_if(group.runs, [&](std::size_t run) {
      return results.records[run] != nullptr && !results.records[run]->problem.empty();
    });
    if (failed != group.runs.end()) {
      text += ",\"problem\":" + json_string(results.records[*failed]->problem);
    }
    const std::vector<Spread> spreads = mapped(measure_catalog(), [&](const Measure& measure) {
      return spread_in(results, group, measure);
    });
    const auto add = [&](const char* name, double Spread::*figure) {
      text += fmt::format(",\"{}\":[{}]", name, joined(spreads, ",", [&](const Spread& spread) {
                            return spread.count == 0 ? std::string{"null"}
                                                     : fmt::format("{}", spread.*figure);
                          }));
    };
    if (completed > 0) {
      add("mean", &Spread::mean);
    }
    if (completed > 0 && group.runs.size() > 1) {
      add("deviation", &Spread::deviation);
      add("half_interval", &Spread::half_interval);
      add("least", &Spread::least);
      add("greatest", &Spread::greatest);
    }
    text += "}";
  }
  return text;
}

}  // namespace

std::string sweep_json(const StudyResults& results, const SweepView& view) {
  const Study& study = results.study;
  ordered_json settings = ordered_json::array();
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    const StudySetting& setting = *study.settings()[i];
    settings.push_back({{"pointer", setting.pointer},
                        {"column", setting.column},
                        {"axis", study.axis_of(i)},
                        {"numeric", setting.is_numeric()},
                        {"values", mapped(setting.values, &StudyValue::text)}});
  }
  ordered_json measures = mapped(measure_catalog(), [](const Measure& measure) {
    return ordered_json{{"name", measure.name}, {"unit", measure.unit}, {"help", measure.help}};
  });
  ordered_json ratios = ordered_json::array();
  for (const RatioQuestion& ratio : view.ratios) {
    ordered_json rows =
        mapped(ratios_of(results, ratio, *view.measures.front()), [&](const RatioGroup& group) {
          return ordered_json{{"settings", values_json(study, group.values, ratio.setting)},
                              {"ratio", spread_or_null(group.ratio)}};
        });
    ratios.push_back({{"ratio", ratio.text},
                      {"setting", study.settings()[ratio.setting]->pointer},
                      {"measure", view.measures.front()->name},
                      {"groups", std::move(rows)}});
  }
  const auto column = [&](std::optional<std::size_t> setting) {
    return setting ? ordered_json(study.settings()[*setting]->column) : ordered_json(nullptr);
  };
  return json_layout_with_lines({{"dcube", {{"version", version()}}},
                                 {"study", study.plan().name},
                                 {"id", study.id()},
                                 {"runs", study.run_count()},
                                 {"done", results.done()},
                                 {"outcomes", outcomes_json(results)},
                                 {"shown",
                                  {{"measures", mapped(view.measures, &Measure::name)},
                                   {"x", column(view.x)},
                                   {"lines", column(view.line)}}},
                                 {"settings", std::move(settings)},
                                 {"measures", std::move(measures)},
                                 {"ratios", std::move(ratios)}},
                                "groups", groups_text(results));
}

std::string sweep_status_json(Sweep& sweep) {
  const SweepStatus status = sweep.status();
  const StudyResults results = sweep.results();
  ordered_json commands = mapped(status.sessions, [](const StoreSession& session) {
    return ordered_json{{"command", session.name},
                        {"works", session.is_alive},
                        {"done", session.done},
                        {"running", session.is_alive ? session.claimed : 0}};
  });
  return json_layout({{"study", sweep.study().plan().name},
                      {"id", sweep.study().id()},
                      {"runs", sweep.study().run_count()},
                      {"done", results.done()},
                      {"running", status.running},
                      {"open", status.open},
                      {"outcomes", outcomes_json(results)},
                      {"commands", std::move(commands)}});
}

}  // namespace dcube
