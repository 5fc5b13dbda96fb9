#include "sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "app/terminal/json_values.hpp"
#include "core/counted.hpp"
#include "core/json_lines.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// Format of the numbers of one measure, written below each other.
class Numbers {
 public:
  Numbers(const Measure& measure, const std::vector<double>& numbers)
      : measure_{measure}, scale_{numbers} {}

  std::string text(double number) const {
    if (measure_.unit == "s") {
      return scale_.text(number);
    }
    if (measure_.name.ends_with("_share") || measure_.name.ends_with("_share_max") ||
        measure_.name.ends_with("utilisation")) {
      return percent(number);
    }
    return number == std::round(number) && std::abs(number) < 1e15 ? fmt::format("{:.0f}", number)
                                                                   : fmt::format("{:.4g}", number);
  }

 private:
  const Measure& measure_;
  TimeScale scale_;
};

/// The header of a measure: without its unit, which stands in the cells.
std::string header_of(const Measure& measure) {
  std::string name{measure.name};
  if (measure.unit == "s" && name.ends_with("_s")) {
    name.resize(name.size() - 2);
  }
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// Settings that are told apart in rows: those with several values, or all where none has.
std::vector<std::size_t> shown_settings(const Study& study) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    if (!study.settings()[i]->is_seed()) {
      shown.push_back(i);
    }
  }
  return shown;
}

bool has_seeds(const Study& study) {
  return std::ranges::any_of(study.settings(), [](const StudySetting* setting) {
    return setting->is_seed() && setting->values.size() > 1;
  });
}

/// "compute" of "/program/compute", "shape/0" of "/machine/topology/shape/0".
std::string name_of(const StudySetting& setting) {
  const std::size_t end = setting.pointer.find_last_not_of("/0123456789");
  return setting.pointer.substr(setting.pointer.rfind('/', end) + 1);
}

/// Columns of groups by their index.
template <class Group>
Columns<std::size_t> setting_columns(const Study& study, const std::vector<std::size_t>& shown,
                                     const std::vector<Group>& groups) {
  return mapped(shown, [&](std::size_t number) {
    const StudySetting& setting = *study.settings()[number];
    return Column<std::size_t>{
        name_of(setting), setting.is_numeric() ? Shown::figure : Shown::text,
        [&groups, number](std::size_t row) { return groups[row].values[number]->text; }};
  });
}

/// Line about the rows that are not shown.
std::string more_rows(std::size_t rows, std::size_t most_rows) {
  return rows > most_rows
             ? fmt::format("and {} more (--full shows all)\n", counted(rows - most_rows, "row"))
             : "";
}

std::string first_rows(const Columns<std::size_t>& columns, std::size_t rows,
                       std::size_t most_rows) {
  std::vector<std::size_t> shown(std::min(rows, most_rows));
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  return text_table(columns, shown).text() + more_rows(rows, most_rows);
}

/// "completed", "2 refused (8 completed)".
std::string outcome_of(const StudyResults& results, const SeedGroup& group) {
  std::size_t completed = 0;
  std::size_t missing = 0;
  std::vector<std::pair<Outcome, std::size_t>> others;
  for (const std::size_t run : group.runs) {
    const RunRecord* const record = results.records[run];
    if (record == nullptr) {
      ++missing;
    } else if (record->has_completed()) {
      ++completed;
    } else if (const auto found = std::ranges::find(others, record->outcome,
                                                    &std::pair<Outcome, std::size_t>::first);
               found != others.end()) {
      ++found->second;
    } else {
      others.emplace_back(record->outcome, 1);
    }
  }
  if (group.runs.size() == 1) {
    return missing > 0 ? "missing" : others.empty() ? "completed" : to_string(others[0].first);
  }
  std::vector<std::string> parts;
  if (completed > 0) {
    parts.push_back(others.empty() && missing == 0 ? "completed"
                                                   : fmt::format("{} completed", completed));
  }
  for (const auto& [outcome, count] : others) {
    parts.push_back(fmt::format("{} {}", count, to_string(outcome)));
  }
  if (missing > 0) {
    parts.push_back(fmt::format("{} missing", missing));
  }
  return joined(parts, ", ");
}

std::string title_of(const StudyResults& results) {
  const Study& study = results.study;
  std::string runs = counted(study.run_count(), "run");
  if (study.run_count() < study.combination_count()) {
    runs += fmt::format(" of {} combinations", grouped(study.combination_count()));
  }
  const std::string parts = joined(study.settings(), ", ", [](const StudySetting* setting) {
    const std::size_t count = setting->values.size();
    return setting->is_seed() ? counted(count, "seed")
                              : fmt::format("{} of {}", counted(count, "value"), setting->pointer);
  });
  return fmt::format("{}: {}{}{}\n", study.plan().name, runs, parts.empty() ? "" : ": ", parts);
}

std::string group_table(const StudyResults& results, const SweepQuestion& question,
                        const std::vector<SeedGroup>& groups, std::size_t most_rows) {
  const Study& study = results.study;
  const bool is_repeated = has_seeds(study);
  Columns<std::size_t> columns = setting_columns(study, shown_settings(study), groups);
  for (const Measure* const measure : question.measures) {
    const auto spreads = std::make_shared<std::vector<Spread>>(mapped(
        groups, [&](const SeedGroup& group) { return spread_in(results, group, *measure); }));
    std::vector<double> means;
    for (const Spread& spread : *spreads) {
      if (spread.count > 0) {
        means.push_back(spread.mean);
      }
    }
    const std::string header = header_of(*measure);
    const auto add = [&, numbers = Numbers{*measure, means}](
                         const std::string& title, double Spread::*figure, std::size_t least) {
      columns.push_back({title, Shown::figure,
                         [=](std::size_t row) {
                           const Spread& spread = (*spreads)[row];
                           return spread.count >= least ? numbers.text(spread.*figure) : "-";
                         },
                         "", is_repeated ? header : ""});
    };
    add(is_repeated ? "mean" : header, &Spread::mean, 1);
    if (is_repeated) {
      add("+- 95 %", &Spread::half_interval, 2);
    }
    if (is_repeated && measure == question.measures.front()) {
      add("deviation", &Spread::deviation, 2);
    }
  }
  columns.push_back(
      {"outcome", Shown::text, [&](std::size_t row) { return outcome_of(results, groups[row]); }});
  return first_rows(columns, groups.size(), most_rows);
}

std::string ratio_table(const StudyResults& results, const RatioQuestion& question,
                        const Measure& measure, std::size_t most_rows) {
  const Study& study = results.study;
  const std::vector<RatioGroup> groups = ratios_of(results, question, measure);
  std::vector<std::size_t> shown = shown_settings(study);
  std::erase(shown, question.setting);
  Columns<std::size_t> columns = setting_columns(study, shown, groups);
  const auto add = [&](const char* header, double Spread::*figure, std::size_t least) {
    columns.push_back({header, Shown::figure, [&groups, figure, least](std::size_t row) {
                         const Spread& ratio = groups[row].ratio;
                         return ratio.count >= least ? fmt::format("{:.4f}", ratio.*figure) : "-";
                       }});
  };
  add("ratio", &Spread::mean, 1);
  add("+- 95 %", &Spread::half_interval, 2);
  add("least", &Spread::least, 1);
  add("greatest", &Spread::greatest, 1);
  columns.push_back(
      {"pairs", Shown::figure, [&](std::size_t row) { return groups[row].ratio.count; }});
  return fmt::format("\n{} of {}\n{}", header_of(measure), question.text,
                     first_rows(columns, groups.size(), most_rows));
}

ordered_json outcomes_json(const StudyResults& results) {
  ordered_json outcomes = ordered_json::object();
  for (const auto& [outcome, count] : results.outcomes()) {
    outcomes[to_string(outcome)] = count;
  }
  return outcomes;
}

ordered_json spread_json(const Spread& spread) {
  return spread.count == 0 ? ordered_json(nullptr)
                           : ordered_json{{"mean", spread.mean},
                                          {"deviation", spread.deviation},
                                          {"half_interval", spread.half_interval},
                                          {"least", spread.least},
                                          {"greatest", spread.greatest},
                                          {"count", spread.count}};
}

/// Numbers in the unit of their column, texts otherwise.
ordered_json value_json(const StudySetting& setting, const StudyValue& value) {
  return setting.is_numeric() ? ordered_json(*value.number) : ordered_json(value.text);
}

ordered_json settings_json(const Study& study, const std::vector<const StudyValue*>& values,
                           std::optional<std::size_t> but = {}) {
  ordered_json settings = ordered_json::object();
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    if (!study.settings()[i]->is_seed() && i != but) {
      settings[study.settings()[i]->column] = value_json(*study.settings()[i], *values[i]);
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
                    json_line(settings_json(study, group.values)), group.runs.size(), completed);
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

std::vector<std::string> usual_measures() {
  return {"makespan_s", "waiting_share", "average_dilation", "max_link_load", "queued_hops"};
}

std::string sweep_text(const StudyResults& results, const SweepQuestion& question,
                       std::size_t most_rows) {
  std::string text = title_of(results);
  text += group_table(results, question, seed_groups(results.study), most_rows);
  for (const RatioQuestion& ratio : question.ratios) {
    text += ratio_table(results, ratio, *question.measures.front(), most_rows);
  }
  std::vector<std::string> ended;
  for (const auto& [outcome, count] : results.outcomes()) {
    if (outcome != Outcome::completed) {
      ended.push_back(fmt::format("{} {}", count, to_string(outcome)));
    }
  }
  if (!ended.empty()) {
    text +=
        fmt::format("\nof {}: {}\n", counted(results.records.size(), "run"), joined(ended, ", "));
  }
  return text;
}

std::string sweep_json(const StudyResults& results, const SweepQuestion& question) {
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
  for (const RatioQuestion& ratio : question.ratios) {
    ordered_json rows =
        mapped(ratios_of(results, ratio, *question.measures.front()), [&](const RatioGroup& group) {
          return ordered_json{{"settings", settings_json(study, group.values, ratio.setting)},
                              {"ratio", spread_json(group.ratio)}};
        });
    ratios.push_back({{"ratio", ratio.text},
                      {"setting", study.settings()[ratio.setting]->pointer},
                      {"measure", question.measures.front()->name},
                      {"groups", std::move(rows)}});
  }
  const auto column = [&](std::optional<std::size_t> setting) {
    return setting ? ordered_json(study.settings()[*setting]->column) : ordered_json(nullptr);
  };
  return json_layout_with_lines({{"dcube", json_of_dcube()},
                                 {"study", study.plan().name},
                                 {"id", study.id()},
                                 {"runs", study.run_count()},
                                 {"done", results.done()},
                                 {"outcomes", outcomes_json(results)},
                                 {"shown",
                                  {{"measures", mapped(question.measures, &Measure::name)},
                                   {"x", column(question.x)},
                                   {"lines", column(question.line)}}},
                                 {"settings", std::move(settings)},
                                 {"measures", std::move(measures)},
                                 {"ratios", std::move(ratios)}},
                                "groups", groups_text(results));
}

std::string sweep_status_json(const Study& study, const StudyResults& results,
                              const std::vector<StoreSession>& sessions, std::size_t running) {
  ordered_json commands = mapped(sessions, [](const StoreSession& session) {
    return ordered_json{{"command", session.name},
                        {"works", session.is_alive},
                        {"done", session.done},
                        {"running", session.is_alive ? session.claimed : 0}};
  });
  return json_layout({{"study", study.plan().name},
                      {"id", study.id()},
                      {"runs", study.run_count()},
                      {"done", results.done()},
                      {"running", running},
                      {"open", study.run_count() - results.done() - running},
                      {"outcomes", outcomes_json(results)},
                      {"commands", std::move(commands)}});
}

}  // namespace dcube::app
