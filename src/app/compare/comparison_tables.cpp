#include "comparison_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/terminal/json_values.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "failure_tables.hpp"
#include "network_tables.hpp"
#include "scenario/json_writing.hpp"
#include "scenario/overrides.hpp"
#include "tie_text.hpp"

// One list of figures says what a row holds. The text table, the CSV and the JSON are all written
// from it.

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

/// How a text table shows a figure.
enum class Shown { nowhere, time, hundredths, thousandths, share, count };

struct Figure {
  const char* key;  ///< in JSON and CSV
  ordered_json value;
  Shown shown = Shown::nowhere;
  const char* header = "";  ///< in a text table
};

std::optional<double> ratio(Ticks value, double reference_s) {
  return reference_s > 0 ? std::optional{to_seconds(value) / reference_s} : std::nullopt;
}

/// How much longer a run takes than the fastest one, and than the bound; nothing for a run that did
/// not complete.
struct Ratios {
  std::optional<double> to_best;
  std::optional<double> to_bound;
};
Ratios ratios(const Comparison& comparison, const ComparisonRow& row) {
  if (!row.figures || row.outcome != Outcome::completed) {
    return {};
  }
  const Ticks makespan = row.figures->makespan;
  return {ratio(makespan, to_seconds(comparison.best_beside(row)->figures->makespan)),
          comparison.bound ? ratio(makespan, comparison.bound->makespan_s) : std::nullopt};
}

/// What each row has, in order. The values of a row that did not end by itself mean nothing.
std::vector<Figure> figures_of(const Comparison& comparison, const ComparisonRow& row) {
  const RunFigures figures = row.figures.value_or(RunFigures{});
  std::vector<Figure> list{
      {"makespan_s", figures.makespan, Shown::time, "makespan"},
      {"makespan_ps", figures.makespan.count()},
  };
  const auto add = [&list](Figure figure) { list.push_back(std::move(figure)); };
  const Figure waiting{"waiting_share", figures.waiting_share, Shown::share, "waiting"};
  if (comparison.is_scaling()) {
    const std::optional<Speedup> speedup = row.figures ? speedup_of(comparison, row) : std::nullopt;
    add({"sequential_s", figures.sequential_time});
    add({"speedup", speedup ? ordered_json(speedup->speedup) : nullptr, Shown::hundredths,
         "speedup"});
    add({"efficiency", speedup ? ordered_json(speedup->efficiency) : nullptr, Shown::share,
         "efficiency"});
    add(waiting);
    add({"queued", figures.queued_hops});
  } else {
    const Ratios to = ratios(comparison, row);
    add({"ratio_to_best", to.to_best, Shown::thousandths, "to best"});
    add({"ratio_to_bound", to.to_bound, comparison.bound ? Shown::thousandths : Shown::nowhere,
         "to bound"});
    add({"dilation_average", figures.average_dilation, Shown::thousandths, "mean"});
    add({"dilation_longest", figures.longest_dilation, Shown::count, "longest"});
    add(waiting);
    add({"link_load_max", figures.max_link_load, Shown::count, "max link load"});
    add({"queued", figures.queued_hops, Shown::count, "queued"});
  }
  if (comparison.under_jitter()) {
    const std::optional<SpreadUnderJitter>& spread = figures.under_jitter;
    add({"jitter_draws", spread ? ordered_json(spread->draws) : nullptr});
    add({"jitter_least_s", spread ? ordered_json(to_seconds(spread->least)) : nullptr});
    add({"jitter_greatest_s", spread ? ordered_json(to_seconds(spread->greatest)) : nullptr});
    add({"rests_on_ties", spread ? ordered_json(spread->rests_on_ties) : nullptr});
  }
  add({"fingerprint", fmt::format("{:016x}", figures.fingerprint)});
  return list;
}

bool has_several_embeddings(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
    return row.embedding != comparison.rows.front().embedding;
  });
}

// --- For people ---

TimeScale makespan_scale(const std::vector<ComparisonRow>& rows) {
  std::vector<double> makespans;
  for (const ComparisonRow& row : rows) {
    if (row.figures) {
      makespans.push_back(to_seconds(row.figures->makespan));
    }
  }
  return TimeScale{makespans};
}

std::string cell(const Figure& figure, const TimeScale& scale) {
  if (figure.value.is_null()) {
    return "-";
  }
  switch (figure.shown) {
    case Shown::time:
      return scale.text(figure.value);
    case Shown::hundredths:
      return fmt::format("{:.2f}", figure.value.get<double>());
    case Shown::thousandths:
      return fmt::format("{:.3f}", figure.value.get<double>());
    case Shown::share:
      return percent(figure.value);
    default:
      return grouped(figure.value);
  }
}

std::string table_of(const Comparison& comparison) {
  const bool with_embedding = !comparison.is_scaling() || has_several_embeddings(comparison);
  const bool with_network = !comparison.networks.empty();
  std::vector<Table::Column> columns;
  if (with_network) {
    columns.push_back({"network", Table::Align::left});
  }
  if (with_embedding) {
    columns.push_back({"embedding", Table::Align::left});
  }
  if (comparison.is_scaling()) {
    columns.push_back({"processes"});
  }
  for (const Figure& figure : figures_of(comparison, {})) {
    if (figure.shown != Shown::nowhere) {
      columns.push_back({figure.header});
    }
  }
  columns.push_back({"outcome", Table::Align::left});
  Table table{std::move(columns)};
  if (!comparison.is_scaling()) {
    table.add_group((comparison.bound ? 4U : 3U) + (with_network ? 1U : 0U), 2, "dilation");
  }
  const TimeScale scale = makespan_scale(comparison.rows);
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<std::string> cells;
    if (with_network) {
      cells.push_back(row.network);
    }
    if (with_embedding) {
      cells.push_back(row.embedding);
    }
    if (comparison.is_scaling()) {
      cells.push_back(grouped(row.processes));
    }
    for (const Figure& figure : figures_of(comparison, row)) {
      if (figure.shown != Shown::nowhere) {
        cells.push_back(row.figures ? cell(figure, scale) : "-");
      }
    }
    cells.push_back(to_string(row.outcome));
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string title(const Comparison& comparison) {
  const std::string scenario = printable(comparison.scenario);
  const std::string machine = printable(comparison.machine);
  if (comparison.is_scaling()) {
    const bool is_of_one = !comparison.rows.empty() && !has_several_embeddings(comparison);
    return fmt::format(
        "{}: {} on {}{}\n", scenario, comparison.program, machine,
        is_of_one ? fmt::format(", {} embedding", comparison.rows.front().embedding) : "");
  }
  std::string text = fmt::format("{}: {}, {}, on {}\n", scenario, comparison.program,
                                 counted(comparison.processes, "process"), machine);
  if (comparison.bound) {
    text += fmt::format("no embedding takes less than {}:\n  {}\n",
                        readable_seconds(comparison.bound->makespan_s), comparison.bound->source);
  }
  if (comparison.failures.size() > 1) {
    text += fmt::format("{} of each number of failed links, the same for all embeddings\n",
                        counted(comparison.seeds, "draw"));
  }
  return text;
}

/// What the winner does better than the next, as far as the figures tell.
std::string reason(const RunFigures& winner, const RunFigures& next) {
  if (winner.average_dilation < next.average_dilation) {
    return fmt::format(": partners are {:.3f} hops apart on average instead of {:.3f}",
                       winner.average_dilation, next.average_dilation);
  }
  if (winner.waiting_share < next.waiting_share) {
    return fmt::format(": its processes wait {} of the time instead of {}",
                       percent(winner.waiting_share), percent(next.waiting_share));
  }
  if (winner.queued_hops < next.queued_hops) {
    return fmt::format(": {} of its hops queue instead of {}", grouped(winner.queued_hops),
                       grouped(next.queued_hops));
  }
  return {};
}

std::string winners(const Comparison& comparison, Ticks makespan) {
  std::vector<std::string> names;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.outcome == Outcome::completed && row.figures->makespan == makespan) {
      names.push_back(row.embedding);
    }
  }
  if (names.size() == 1) {
    return names.front() + " wins";
  }
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {} win", fmt::join(names, ", "), last);
}

std::string embedding_verdict(const Comparison& comparison, const ComparisonRow& best) {
  const RunFigures& figures = *best.figures;
  const ComparisonRow* next = comparison.runner_up();
  if (next == nullptr) {
    return "no embedding is faster than another\n";
  }
  const Ticks gain = next->figures->makespan - figures.makespan;
  return fmt::format("{} with {}, {} less than {} ({}){}\n", winners(comparison, figures.makespan),
                     format_time(figures.makespan),
                     percent(to_seconds(gain) / to_seconds(next->figures->makespan)),
                     next->embedding, format_time(next->figures->makespan),
                     reason(figures, *next->figures));
}

/// Of the rows with the embedding of `row`, the one with the most processes.
const ComparisonRow& largest(const Comparison& comparison, const ComparisonRow& row) {
  const ComparisonRow* most = &row;
  for (const ComparisonRow& other : comparison.rows) {
    if (other.outcome == Outcome::completed && other.embedding == row.embedding &&
        other.processes > most->processes) {
      most = &other;
    }
  }
  return *most;
}

/// What the most processes take more, if there are more than in `best`.
std::string cost_of_more(const Comparison& comparison, const ComparisonRow& best) {
  const ComparisonRow& most = largest(comparison, best);
  if (best.figures->makespan == Ticks{0} || most.processes == best.processes) {
    return {};
  }
  const std::string count = counted(most.processes, "process");
  const Ticks more = most.figures->makespan - best.figures->makespan;
  if (more == Ticks{0}) {
    return fmt::format("; {} take as long", count);
  }
  return fmt::format("; {} take {} longer ({})", count,
                     percent(to_seconds(more) / to_seconds(best.figures->makespan)),
                     format_time(most.figures->makespan));
}

std::string number_verdict(const Comparison& comparison, const ComparisonRow& best) {
  const bool is_work_different =
      std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
        return row.figures && row.figures->sequential_time != best.figures->sequential_time;
      });
  return fmt::format(
      "the shortest time is that of {}{}: {}{}\n{}", counted(best.processes, "process"),
      has_several_embeddings(comparison) ? " under " + best.embedding : "",
      format_time(best.figures->makespan), cost_of_more(comparison, best),
      is_work_different ? "the work differs from number to number: see the speedup\n" : "");
}

std::string verdict(const Comparison& comparison) {
  if (!comparison.failures.empty()) {
    return failure_rankings(comparison);
  }
  if (!comparison.networks.empty()) {
    return "\n" + network_rankings(comparison);
  }
  const ComparisonRow* best = comparison.best();
  if (best == nullptr || comparison.rows.size() < 2) {
    return {};
  }
  return "\n" + (comparison.is_scaling() ? number_verdict(comparison, *best)
                                         : embedding_verdict(comparison, *best));
}

// --- Critical paths ---

const char* name_of_kind(std::size_t kind) { return to_string(static_cast<CauseKind>(kind)); }

bool is_explained(const ComparisonRow& row) { return row.figures && row.figures->critical_path; }

/// All but `blocked`, which is for deadlocks: only where there is some.
std::vector<std::size_t> shown_kinds(const Comparison& comparison) {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    const bool is_there = std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
      return is_explained(row) && (*row.figures->critical_path)[kind] > Ticks{0};
    });
    if (is_there || static_cast<CauseKind>(kind) != CauseKind::blocked) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

bool has_several_numbers(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [&](const ComparisonRow& row) {
    return row.processes != comparison.rows.front().processes;
  });
}

/// A run by what it differs in from the others.
std::string label(const Comparison& comparison, const ComparisonRow& row) {
  if (!comparison.networks.empty()) {
    return fmt::format("{}, {}", row.network, row.embedding);
  }
  if (!has_several_numbers(comparison)) {
    return row.embedding;
  }
  const std::string number = counted(row.processes, "process");
  return has_several_embeddings(comparison) ? fmt::format("{}, {}", row.embedding, number) : number;
}

std::string path_table(const Comparison& comparison) {
  const std::vector<std::size_t> kinds = shown_kinds(comparison);
  std::vector<Table::Column> columns{
      {has_several_numbers(comparison) || !comparison.networks.empty() ? "run" : "embedding",
       Table::Align::left}};
  for (const std::size_t kind : kinds) {
    columns.push_back({name_of_kind(kind)});
  }
  Table table{std::move(columns)};
  const TimeScale scale = makespan_scale(comparison.rows);
  for (const ComparisonRow& row : comparison.rows) {
    if (is_explained(row)) {
      std::vector<std::string> cells{label(comparison, row)};
      for (const std::size_t kind : kinds) {
        cells.push_back(scale.text(to_seconds((*row.figures->critical_path)[kind])));
      }
      table.add_row(std::move(cells));
    }
  }
  return table.text();
}

/// "hop 10 s instead of 12 s, queueing 0 s instead of 2 s".
std::string differences(const RunFigures& best, const RunFigures& other) {
  std::vector<std::string> parts;
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    const Ticks here = (*best.critical_path)[kind];
    const Ticks there = (*other.critical_path)[kind];
    if (here != there) {
      parts.push_back(fmt::format("{} {} instead of {}", name_of_kind(kind), format_time(here),
                                  format_time(there)));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// A table, and where they differ a sentence on the fastest run and the one it is held against.
std::string compared_paths(const Comparison& comparison) {
  if (std::ranges::none_of(comparison.rows, is_explained)) {
    return {};
  }
  std::string text = "\nwhat the critical path of each goes on (dcube run --why follows one)\n" +
                     path_table(comparison);
  const ComparisonRow* best = comparison.networks.empty() ? comparison.best() : nullptr;
  const ComparisonRow* other = best == nullptr           ? nullptr
                               : comparison.is_scaling() ? &largest(comparison, *best)
                                                         : comparison.runner_up();
  if (other != nullptr && is_explained(*best) && is_explained(*other)) {
    if (const std::string parts = differences(*best->figures, *other->figures); !parts.empty()) {
      text += fmt::format("\n{} against {}: {}\n", label(comparison, *best),
                          label(comparison, *other), parts);
    }
  }
  return text;
}

// --- For programs ---

/// Nothing is drawn where no link fails.
ordered_json seed_json(const ComparisonRow& row) {
  return row.failures == 0 ? ordered_json(nullptr) : ordered_json(row.seed);
}

ordered_json row_json(const Comparison& comparison, const ComparisonRow& row) {
  ordered_json json{{"embedding", row.embedding}};
  if (!comparison.networks.empty()) {
    json["network"] = row.network;
  }
  if (!comparison.failures.empty()) {
    json["failures"] = row.failures;
    json["seed"] = seed_json(row);
    json["failed_links"] = mapped(row.failed_links, [](const Link& link) {
      return ordered_json{link.from.index(), link.to.index()};
    });
  }
  if (comparison.is_scaling()) {
    json["processes"] = row.processes;
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
  for (std::size_t kind = 0; is_explained(row) && kind < cause_kinds; ++kind) {
    json["critical_path"]["time_s"][name_of_kind(kind)] = (*row.figures->critical_path)[kind];
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
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string{c};
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<ordered_json>& values) {
  return joined(values, ",", csv_cell) + "\n";
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  return title(comparison) + "\n" +
         (comparison.failures.empty() ? table_of(comparison) : failure_table(comparison)) +
         verdict(comparison) +
         tie_text(comparison, [&](const ComparisonRow& row) { return label(comparison, row); }) +
         compared_paths(comparison);
}

std::string comparison_json(const Comparison& comparison) {
  ordered_json json{{"id", comparison.id},
                    {"scenario", comparison.scenario},
                    {"machine", comparison.machine},
                    {"program", comparison.program}};
  if (!comparison.is_scaling()) {
    json["processes"] = comparison.processes;
    json["bound"] = comparison.bound ? ordered_json{{"makespan_s", comparison.bound->makespan_s},
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
  std::vector<ordered_json> header{"embedding"};
  if (!comparison.networks.empty()) {
    header.emplace_back("network");
  }
  if (!comparison.failures.empty()) {
    header.emplace_back("failures");
    header.emplace_back("seed");
  }
  if (comparison.is_scaling()) {
    header.emplace_back("processes");
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
    std::vector<ordered_json> cells{row.embedding};
    if (!comparison.networks.empty()) {
      cells.emplace_back(row.network);
    }
    if (!comparison.failures.empty()) {
      cells.emplace_back(row.failures);
      cells.push_back(seed_json(row));
    }
    if (comparison.is_scaling()) {
      cells.emplace_back(row.processes);
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
