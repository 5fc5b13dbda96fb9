#include "comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/csv_text.hpp"
#include "app/terminal/table.hpp"
#include "compared_paths.hpp"
#include "core/printable.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/program/program.hpp"

namespace dcube::app {
namespace {

constexpr const char* no_value = "-";

/// The same for every hop; nothing when links differ.
std::optional<Ticks> uniform_hop(const LinkModel& links, std::uint64_t bytes) {
  const std::vector<TransferCost>& costs = links.per_dimension;
  const bool is_uniform = !costs.empty() && links.overrides.empty() &&
                          std::count(costs.begin(), costs.end(), costs.front()) ==
                              static_cast<std::ptrdiff_t>(costs.size());
  return is_uniform ? std::optional{costs.front().of(bytes)} : std::nullopt;
}

/// Every dimension once, and the same computing time in every stage.
bool is_uniform_cc(const Scenario& scenario) {
  const Setting* compute = scenario.program_settings.find("compute");
  const Setting* order = scenario.program_settings.find("order");
  return scenario.program->kind() == "cc_dcube" &&
         (compute == nullptr || compute->group() == nullptr) &&
         (order == nullptr || order->list() == nullptr);
}

std::string cc_default(std::string_view parameter) {
  const std::vector<ParameterHelp>& parameters =
      find_kind(program_catalog(), "cc_dcube")->parameters;
  return std::find_if(parameters.begin(), parameters.end(),
                      [&](const ParameterHelp& help) { return help.name == parameter; })
      ->default_value;
}

const RunFigures* completed_figures(const ComparisonRow& row) {
  return row.outcome == Outcome::completed ? &*row.figures : nullptr;
}

std::optional<double> ratio(double value, double reference) {
  return reference > 0 ? std::optional{value / reference} : std::nullopt;
}

std::string ratio_text(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.3f}", *ratio) : no_value;
}

std::vector<Table::Column> table_columns(const Comparison& comparison) {
  std::vector<Table::Column> columns{{"embedding", Table::Align::left}, {"makespan"}, {"to best"}};
  if (comparison.bound) {
    columns.push_back({"to bound"});
  }
  for (const char* header : {"mean", "longest", "waiting", "max link load", "queued"}) {
    columns.push_back({header});
  }
  columns.push_back({"outcome", Table::Align::left});
  return columns;
}

std::vector<std::string> table_row(const Comparison& comparison, const ComparisonRow& row,
                                   const TimeScale& scale) {
  const Ratios to = ratios(comparison, row);
  const std::optional<RunFigures>& figures = row.figures;
  std::vector<std::string> cells{row.embedding,
                                 figures ? scale.text(to_seconds(figures->makespan)) : no_value,
                                 ratio_text(to.to_best)};
  if (comparison.bound) {
    cells.push_back(ratio_text(to.to_bound));
  }
  if (figures) {
    cells.push_back(fmt::format("{:.3f}", figures->average_dilation));
    cells.push_back(grouped(figures->longest_dilation));
    cells.push_back(percent(figures->waiting_share));
    cells.push_back(grouped(figures->max_link_load));
    cells.push_back(grouped(figures->queued_hops));
  } else {
    cells.insert(cells.end(), 5, no_value);
  }
  cells.push_back(to_string(row.outcome));
  return cells;
}

std::string title(const Comparison& comparison) {
  std::string text =
      fmt::format("{}: {}, {}, on {}\n", printable(comparison.scenario), comparison.program,
                  counted(comparison.processes, "process"), printable(comparison.machine));
  if (comparison.bound) {
    text += fmt::format("no embedding takes less than {}:\n  {}\n",
                        readable_seconds(comparison.bound->makespan_s), comparison.bound->source);
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
    const RunFigures* figures = completed_figures(row);
    if (figures != nullptr && figures->makespan == makespan) {
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

std::string verdict(const Comparison& comparison) {
  const ComparisonRow* best = comparison.best();
  if (best == nullptr) {
    return {};
  }
  const RunFigures& figures = *best->figures;
  const ComparisonRow* next = comparison.runner_up();
  if (next == nullptr) {
    return comparison.rows.size() > 1 ? "\nno embedding is faster than another\n" : "";
  }
  const Ticks gain = next->figures->makespan - figures.makespan;
  return fmt::format("\n{} with {}, {} less than {} ({}){}\n",
                     winners(comparison, figures.makespan), format_time(figures.makespan),
                     percent(to_seconds(gain) / to_seconds(next->figures->makespan)),
                     next->embedding, format_time(next->figures->makespan),
                     reason(figures, *next->figures));
}

std::string csv_row(const Comparison& comparison, const ComparisonRow& row) {
  const Ratios to = ratios(comparison, row);
  std::string csv = fmt::format("{},{}", csv_cell(row.embedding), to_string(row.outcome));
  if (!row.figures) {
    return csv + ",,,,,,,,,," + csv_row_end(comparison);
  }
  const RunFigures& figures = *row.figures;
  return csv +
         fmt::format(",{},{},{},{},{},{},{},{},{},{:016x}", to_seconds(figures.makespan),
                     figures.makespan.count(), csv_number(to.to_best), csv_number(to.to_bound),
                     figures.average_dilation, figures.longest_dilation, figures.waiting_share,
                     figures.max_link_load, figures.queued_hops, figures.fingerprint) +
         csv_row_end(comparison);
}

}  // namespace

const ComparisonRow* Comparison::best() const {
  const ComparisonRow* best = nullptr;
  for (const ComparisonRow& row : rows) {
    const RunFigures* figures = completed_figures(row);
    if (figures != nullptr && (best == nullptr || figures->makespan < best->figures->makespan)) {
      best = &row;
    }
  }
  return best;
}

const ComparisonRow* Comparison::runner_up() const {
  const ComparisonRow* fastest = best();
  const ComparisonRow* next = nullptr;
  for (const ComparisonRow& row : rows) {
    const RunFigures* figures = completed_figures(row);
    if (figures != nullptr && figures->makespan > fastest->figures->makespan &&
        (next == nullptr || figures->makespan < next->figures->makespan)) {
      next = &row;
    }
  }
  return next;
}

bool Comparison::has_failure() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ComparisonRow& row) { return row.outcome != Outcome::completed; });
}

Ratios ratios(const Comparison& comparison, const ComparisonRow& row) {
  const RunFigures* figures = completed_figures(row);
  if (figures == nullptr) {
    return {};
  }
  const double makespan_s = to_seconds(figures->makespan);
  Ratios result;
  result.to_best = ratio(makespan_s, to_seconds(comparison.best()->figures->makespan));
  if (comparison.bound) {
    result.to_bound = ratio(makespan_s, comparison.bound->makespan_s);
  }
  return result;
}

std::optional<MakespanBound> makespan_bound(const Scenario& scenario) {
  if (!is_uniform_cc(scenario)) {
    return std::nullopt;
  }
  const Params& settings = scenario.program_settings;
  const std::uint64_t message_bytes =
      settings.size_bytes("message", parse_size(cc_default("message")));
  const std::optional<Ticks> hop = uniform_hop(scenario.machine->links, message_bytes);
  if (!hop) {
    return std::nullopt;
  }
  const ExactTime compute = settings.duration("compute", parse_duration(cc_default("compute")));
  const Guest guest = scenario.program->guest();
  const DilationBound dilation = dilation_bound(*scenario.machine->topology, guest);
  const double stage_s = compute.seconds() + dilation.average_dilation * to_seconds(*hop);
  return MakespanBound{guest.dimension_count() * stage_s, dilation.source};
}

TimeScale makespan_scale(const std::vector<ComparisonRow>& rows) {
  std::vector<double> makespans;
  for (const ComparisonRow& row : rows) {
    if (row.figures) {
      makespans.push_back(to_seconds(row.figures->makespan));
    }
  }
  return TimeScale{makespans};
}

std::string comparison_table(const Comparison& comparison) {
  Table table{table_columns(comparison)};
  table.add_group(comparison.bound ? 4 : 3, 2, "dilation");
  const TimeScale scale = makespan_scale(comparison.rows);
  for (const ComparisonRow& row : comparison.rows) {
    table.add_row(table_row(comparison, row, scale));
  }
  return title(comparison) + "\n" + table.text() + verdict(comparison) +
         compared_paths(comparison, comparison.best(), comparison.runner_up());
}

std::string comparison_csv(const Comparison& comparison) {
  std::string csv =
      "embedding,outcome,makespan_s,makespan_ps,ratio_to_best,ratio_to_bound,dilation_average,"
      "dilation_longest,waiting_share,link_load_max,queued,fingerprint" +
      csv_header_end(comparison);
  for (const ComparisonRow& row : comparison.rows) {
    csv += csv_row(comparison, row);
  }
  return csv;
}

std::string csv_header_end(const Comparison& comparison) {
  std::string cells = ",version";
  for (const Override& setting : comparison.settings) {
    cells += "," + csv_cell(setting.pointer);
  }
  return cells + "\n";
}

std::string csv_row_end(const Comparison& comparison) {
  std::string cells = "," DCUBE_VERSION;
  for (const Override& setting : comparison.settings) {
    cells += "," + csv_cell(setting.value);
  }
  return cells + "\n";
}

}  // namespace dcube::app
