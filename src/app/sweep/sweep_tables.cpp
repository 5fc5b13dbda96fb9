#include "sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/runs/measures.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

/// Format of the numbers of one measure, written below each other.
class Numbers {
 public:
  Numbers(const Measure& measure, const std::vector<double>& numbers)
      : measure_{measure}, scale_{numbers} {
    const auto is_positive = [](double number) { return number > 0; };
    const std::vector<double> positive = kept(numbers, is_positive);
    constexpr double most_in_one_unit = 1000;
    has_one_unit_ = positive.empty() ||
                    std::ranges::max(positive) <= most_in_one_unit * std::ranges::min(positive);
  }

  std::string text(double number) const {
    if (measure_.unit == "s") {
      return has_one_unit_ ? scale_.text(number) : TimeScale{std::array{number}}.text(number);
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
  bool has_one_unit_ = true;
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
  return kept(numbered<std::size_t>(study.settings().size()),
              [&](std::size_t i) { return !study.settings()[i]->is_seed(); });
}

bool has_seeds(const Study& study) {
  return std::ranges::any_of(study.settings(), [](const StudySetting* setting) {
    return setting->is_seed() && setting->values.size() > 1;
  });
}

/// "compute" of "/program/compute", "shape/0" of "/machine/topology/shape/0".
std::string short_name(const StudySetting& setting) {
  const std::size_t end = setting.pointer.find_last_not_of("/0123456789");
  return setting.pointer.substr(setting.pointer.rfind('/', end) + 1);
}

/// Columns of groups by their index.
template <class Group>
Columns<std::size_t> columns_of_settings(const Study& study, const std::vector<std::size_t>& shown,
                                         const std::vector<Group>& groups) {
  return mapped(shown, [&](std::size_t number) {
    const StudySetting& setting = *study.settings()[number];
    return Column<std::size_t>{
        short_name(setting), setting.is_numeric() ? Shown::figure : Shown::text,
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
  return text_table(columns, numbered<std::size_t>(std::min(rows, most_rows))).text() +
         more_rows(rows, most_rows);
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

std::string group_table(const StudyResults& results, const SweepView& view,
                        const std::vector<SeedGroup>& groups, std::size_t most_rows) {
  const Study& study = results.study;
  const bool is_repeated = has_seeds(study);
  Columns<std::size_t> columns = columns_of_settings(study, shown_settings(study), groups);
  for (const Measure* const measure : view.measures) {
    const auto spreads = std::make_shared<std::vector<Spread>>(mapped(
        groups, [&](const SeedGroup& group) { return spread_in(results, group, *measure); }));
    const std::vector<double> means = mapped(
        kept(*spreads, [](const Spread& spread) { return spread.count > 0; }), &Spread::mean);
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
    if (is_repeated && measure == view.measures.front()) {
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
  Columns<std::size_t> columns = columns_of_settings(study, shown, groups);
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

}  // namespace

std::string sweep_text(const StudyResults& results, const SweepView& view, std::size_t most_rows) {
  std::string text = title_of(results);
  text += group_table(results, view, seed_groups(results.study), most_rows);
  for (const RatioQuestion& ratio : view.ratios) {
    text += ratio_table(results, ratio, *view.measures.front(), most_rows);
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

std::string sweep_status_text(Sweep& sweep) {
  const SweepStatus status = sweep.status();
  Table counts = facts_table();
  counts.add_row({"runs", grouped(sweep.study().run_count())});
  for (const auto& [outcome, count] : sweep.results().outcomes()) {
    counts.add_row({to_string(outcome), grouped(count)});
  }
  counts.add_row({"running", grouped(status.running)});
  counts.add_row({"open", grouped(status.open)});
  const std::string text =
      fmt::format("{}: {}\n{}", sweep.folder().string(), sweep.study().plan().name, counts.text(2));
  using Row = const StoreSession&;
  const Columns<StoreSession> commands{
      {"command", Shown::text, &StoreSession::name},
      {"", Shown::text, [](Row session) { return session.is_alive ? "works" : "has ended"; }},
      {"done", Shown::count, &StoreSession::done},
      {"running", Shown::count,
       [](Row session) { return session.is_alive ? CellValue{session.claimed} : CellValue{}; }}};
  return status.sessions.empty() ? text : text + text_table(commands, status.sessions).text(2);
}

}  // namespace dcube::app
