#include "dcube/runs/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/decimal.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"

namespace dcube {
namespace {

bool is_completed(const RunRecord* record) { return record != nullptr && record->has_completed(); }

/// The measure of a run, where that has completed.
std::optional<double> value_in(const StudyResults& results, std::size_t run,
                               const Measure& measure) {
  const RunRecord* const record = results.records[run];
  return is_completed(record) ? record->value(measure.name) : std::nullopt;
}

/// Order of values: numbers ascending, then texts as they come.
bool comes_before(const StudySetting& setting, const StudyValue* one, const StudyValue* other) {
  if (setting.is_numeric() && *one->number != *other->number) {
    return *one->number < *other->number;
  }
  return one < other;
}

/// The values by which settings other than the given ones differ.
std::vector<const StudyValue*> values_but(std::vector<const StudyValue*> values,
                                          const std::vector<std::size_t>& left_out) {
  for (const std::size_t setting : left_out) {
    values[setting] = nullptr;
  }
  return values;
}

/// The values of the setting that the text divides; nothing where it has them not.
std::optional<std::pair<std::size_t, std::size_t>> ratio_in(const StudySetting& setting,
                                                            std::string_view text) {
  for (std::size_t a = 0; a < setting.values.size(); ++a) {
    for (std::size_t b = 0; b < setting.values.size(); ++b) {
      if (a != b && text == setting.values[a].text + "/" + setting.values[b].text) {
        return std::pair{a, b};
      }
    }
  }
  return std::nullopt;
}

/// Nothing stands for a double quote inside of a text in gnuplot's data: it becomes a single one.
std::string gnuplot_quoted(std::string text) {
  std::ranges::replace(text, '"', '\'');
  std::ranges::replace(text, '\n', ' ');
  return "\"" + text + "\"";
}

std::string gnuplot_text(const std::string& text) {
  return text.find_first_of(" \t\n\"") == std::string::npos && !text.empty() ? text
                                                                             : gnuplot_quoted(text);
}

}  // namespace

std::size_t StudyResults::done() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(records, [](const RunRecord* record) { return record != nullptr; }));
}

std::vector<std::pair<Outcome, std::size_t>> StudyResults::outcomes() const {
  std::map<Outcome, std::size_t> counts;
  for (const RunRecord* const record : records) {
    if (record != nullptr) {
      ++counts[record->outcome];
    }
  }
  return {counts.begin(), counts.end()};
}

std::vector<SeedGroup> seed_groups(const Study& study) {
  const auto& settings = study.settings();
  const auto seed = std::ranges::find_if(settings, &StudySetting::is_seed);
  std::vector<SeedGroup> groups;
  std::map<std::vector<const StudyValue*>, std::size_t> places;
  for (std::size_t run = 0; run < study.run_count(); ++run) {
    std::vector<const StudyValue*> values = study.values(run);
    if (seed == settings.end()) {
      groups.push_back({std::move(values), {run}});
      continue;
    }
    const auto [place, is_new] = places.try_emplace(
        values_but(values, {static_cast<std::size_t>(seed - settings.begin())}), groups.size());
    if (is_new) {
      groups.push_back({std::move(values), {}});
    }
    groups[place->second].runs.push_back(run);
  }
  return groups;
}

Spread spread_in(const StudyResults& results, const SeedGroup& group, const Measure& measure) {
  std::vector<double> numbers;
  for (const std::size_t run : group.runs) {
    if (const auto value = value_in(results, run, measure)) {
      numbers.push_back(*value);
    }
  }
  return spread_of(numbers);
}

RatioQuestion read_ratio(const Study& study, std::string_view text) {
  std::string_view rest = text;
  std::string_view pointer;
  if (const std::size_t colon = text.find(':'); text.starts_with('/') && colon != text.npos) {
    pointer = text.substr(0, colon);
    rest = text.substr(colon + 1);
  }
  const auto& settings = study.settings();
  refuse_if(!pointer.empty() && std::ranges::none_of(settings,
                                                     [&](const StudySetting* setting) {
                                                       return setting->pointer == pointer;
                                                     }),
            "", "{} is not varied", pointer);
  std::vector<RatioQuestion> found;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (const auto ratio = ratio_in(*settings[i], rest)) {
      found.push_back({i, ratio->first, ratio->second, std::string{rest}});
    }
  }
  const auto pointer_of = [&](const RatioQuestion& ratio) {
    return settings[ratio.setting]->pointer;
  };
  refuse_if(pointer.empty() && found.size() > 1, "",
            "{} is a ratio of {} (name one of them, as in {}:{})", shown(text),
            joined(found, " and of ", pointer_of), found.empty() ? "" : pointer_of(found.front()),
            rest);
  const auto asked = std::ranges::find_if(found, [&](const RatioQuestion& ratio) {
    return pointer.empty() || pointer_of(ratio) == pointer;
  });
  if (asked != found.end()) {
    asked->text = found.size() > 1 ? text : rest;
    return *asked;
  }
  const auto known =
      kept(settings, [](const StudySetting* setting) { return !setting->is_seed(); });
  const auto with_values = [](const StudySetting* setting) {
    return fmt::format("{}: {}", setting->pointer,
                       joined(first_of(setting->values, 8), ", ", &StudyValue::text));
  };
  throw InputError("", fmt::format("{} is not a ratio of two values of one setting, such as "
                                   "standard/xor (values: {})",
                                   shown(text), joined(known, "; ", with_values)));
}

std::vector<RatioGroup> ratios_of(const StudyResults& results, const RatioQuestion& question,
                                  const Measure& measure) {
  const Study& study = results.study;
  const auto& settings = study.settings();
  // Settings of the same axis change together with the one asked about.
  const auto asked = kept(numbered<std::size_t>(settings.size()), [&](std::size_t setting) {
    return study.axis_of(setting) == study.axis_of(question.setting);
  });
  const auto& values = settings[question.setting]->values;
  std::map<std::vector<const StudyValue*>, std::size_t> denominators;
  for (std::size_t run = 0; run < study.run_count(); ++run) {
    const auto of_run = study.values(run);
    if (of_run[question.setting] == &values[question.denominator]) {
      denominators[values_but(of_run, asked)] = run;
    }
  }
  std::vector<RatioGroup> groups;
  for (const SeedGroup& group : seed_groups(study)) {
    if (group.values[question.setting] != &values[question.numerator]) {
      continue;
    }
    std::vector<double> ratios;
    for (const std::size_t run : group.runs) {
      const auto other = denominators.find(values_but(study.values(run), asked));
      if (other == denominators.end()) {
        continue;
      }
      const auto numerator = value_in(results, run, measure);
      const auto denominator = value_in(results, other->second, measure);
      if (numerator && denominator && *denominator != 0) {
        ratios.push_back(*numerator / *denominator);
      }
    }
    groups.push_back({group.values, spread_of(ratios)});
  }
  return groups;
}

CellValue value_of(const StudySetting& setting, const StudyValue& value) {
  if (setting.has_whole_numbers) {
    return whole_value(read_decimal(value.text).value());
  }
  return setting.is_numeric() ? CellValue{value.number} : CellValue{value.text};
}

std::string cell_of(const StudySetting& setting, const StudyValue& value) {
  const bool has_unit = decimal_length(value.text) < value.text.size();
  return setting.is_numeric() && has_unit ? fmt::format("{}", *value.number) : value.text;
}

Columns<RunRecord> study_columns(const Study& study) {
  Columns<RunRecord> columns{{"run", Shown::count, &RunRecord::run, "run"}};
  for (std::size_t i = 0; i < study.settings().size(); ++i) {
    const StudySetting& setting = *study.settings()[i];
    columns.push_back({setting.column, setting.is_numeric() ? Shown::figure : Shown::text,
                       [&study, &setting, i](const RunRecord& record) {
                         return value_of(setting, *study.values(record.run)[i]);
                       },
                       setting.column});
  }
  columns.push_back({"outcome", Shown::text,
                     [](const RunRecord& record) { return to_string(record.outcome); }, "outcome"});
  columns.push_back({"problem", Shown::text, &RunRecord::problem, "problem"});
  for (std::size_t i = 0; i < measure_catalog().size(); ++i) {
    columns.push_back({std::string{measure_catalog()[i].name}, Shown::figure,
                       [i](const RunRecord& record) {
                         return record.has_values() ? CellValue{record.values[i]} : CellValue{};
                       },
                       std::string{measure_catalog()[i].name}});
  }
  columns.push_back({"makespan_ps", Shown::nowhere,
                     [](const RunRecord& record) {
                       return record.has_values() ? CellValue{record.makespan.count()}
                                                  : CellValue{};
                     },
                     "makespan_ps"});
  columns.push_back({"fingerprint", Shown::text,
                     [](const RunRecord& record) {
                       return record.has_values()
                                  ? CellValue{fmt::format("{:016x}", record.fingerprint)}
                                  : CellValue{};
                     },
                     "fingerprint"});
  columns.push_back({"key", Shown::nowhere, &RunRecord::key, "key"});
  return columns;
}

std::string study_csv(const StudyResults& results) {
  Columns<RunRecord> columns = study_columns(results.study);
  const auto& settings = results.study.settings();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    // Numbers without a unit stay as they were written.
    columns[i + 1].value = [&study = results.study, i](const RunRecord& record) {
      return cell_of(*study.settings()[i], *study.values(record.run)[i]);
    };
  }
  std::erase_if(columns, [](const auto& column) { return column.key == "makespan_ps"; });
  std::vector<const RunRecord*> done = results.records;
  std::erase(done, nullptr);
  return csv_table(columns, done);
}

std::string study_summary_csv(const StudyResults& results) {
  const auto& settings = results.study.settings();
  std::string csv;
  for (const StudySetting* const setting : settings) {
    csv += setting->is_seed() ? std::string{} : csv_text(setting->column) + ",";
  }
  csv += "runs,completed";
  for (const Measure& measure : measure_catalog()) {
    csv += fmt::format(",{0}_mean,{0}_deviation,{0}_half_interval", measure.name);
  }
  csv += "\n";
  for (const SeedGroup& group : seed_groups(results.study)) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      csv += settings[i]->is_seed() ? std::string{}
                                    : csv_text(cell_of(*settings[i], *group.values[i])) + ",";
    }
    const auto completed = std::ranges::count_if(
        group.runs, [&](std::size_t run) { return is_completed(results.records[run]); });
    csv += fmt::format("{},{}", group.runs.size(), completed);
    for (const Measure& measure : measure_catalog()) {
      const Spread spread = spread_in(results, group, measure);
      csv += spread.count == 0
                 ? std::string{",,,"}
                 : fmt::format(",{},{},{}", spread.mean, spread.deviation, spread.half_interval);
    }
    csv += "\n";
  }
  return csv;
}

std::optional<std::size_t> usual_x(const Study& study) {
  std::optional<std::size_t> found;
  for (std::size_t i = study.settings().size(); i-- > 0;) {
    const StudySetting& setting = *study.settings()[i];
    const bool has_order = found && study.settings()[*found]->is_numeric();
    if (setting.values.size() > 1 && !setting.is_seed() && (setting.is_numeric() || !has_order)) {
      found = i;
    }
  }
  return found;
}

std::optional<std::size_t> usual_line(const Study& study, std::size_t x) {
  const auto& settings = study.settings();
  std::optional<std::size_t> first;
  for (std::size_t i = settings.size(); i-- > 0;) {
    if (study.axis_of(i) == study.axis_of(x) || settings[i]->is_seed() ||
        settings[i]->values.size() < 2) {
      continue;
    }
    if (settings[i]->pointer == "/embedding") {
      return i;
    }
    first = i;
  }
  return first;
}

std::string study_dat(const StudyResults& results, const Measure& measure, std::size_t x,
                      std::optional<std::size_t> line) {
  const auto& settings = results.study.settings();
  const StudySetting& across = *settings[x];
  std::string dat = fmt::format(
      "# {} of {}\n# {}  {}  half of the 95 % interval  deviation  least  greatest  runs\n",
      measure.name, results.study.plan().name, across.column, measure.name);
  const std::size_t axis = results.study.axis_of(x);
  // Lines: all combinations of the settings of other axes; the one asked for names them first.
  std::vector<std::pair<std::string, std::vector<SeedGroup>>> blocks;
  std::map<std::string, std::size_t> places;
  for (const SeedGroup& group : seed_groups(results.study)) {
    std::vector<std::string> names;
    if (line) {
      names.push_back(group.values[*line]->text);
    }
    for (std::size_t i = 0; i < settings.size(); ++i) {
      if (results.study.axis_of(i) != axis && i != line && !settings[i]->is_seed() &&
          settings[i]->values.size() > 1) {
        names.push_back(fmt::format("{}={}", settings[i]->column, group.values[i]->text));
      }
    }
    const std::string name = joined(names, " ");
    const auto [place, is_new] = places.try_emplace(name, blocks.size());
    if (is_new) {
      blocks.push_back({name, {}});
    }
    blocks[place->second].second.push_back(group);
  }
  for (auto& [name, groups] : blocks) {
    std::ranges::stable_sort(groups, [&](const SeedGroup& one, const SeedGroup& other) {
      return comes_before(across, one.values[x], other.values[x]);
    });
    dat += fmt::format("\n\n{}\n", gnuplot_quoted(name.empty() ? std::string{measure.name} : name));
    for (const SeedGroup& group : groups) {
      const Spread spread = spread_in(results, group, measure);
      if (spread.count > 0) {
        dat += fmt::format(
            "{} {} {} {} {} {} {}\n", gnuplot_text(cell_of(across, *group.values[x])), spread.mean,
            spread.half_interval, spread.deviation, spread.least, spread.greatest, spread.count);
      }
    }
  }
  return dat;
}

}  // namespace dcube
