#include "scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/terminal/csv_text.hpp"
#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "compared_paths.hpp"
#include "core/printable.hpp"

namespace dcube::app {
namespace {

constexpr const char* no_value = "-";

bool is_better(const ComparisonRow& row, const ComparisonRow& other) {
  return row.figures->makespan != other.figures->makespan
             ? row.figures->makespan < other.figures->makespan
             : row.processes < other.processes;
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

/// What one process takes.
std::optional<Ticks> base_time(const Comparison& comparison, const ComparisonRow& row) {
  if (row.figures->sequential_time) {
    return row.figures->sequential_time;
  }
  for (const ComparisonRow& other : comparison.rows) {
    if (other.processes == 1 && other.embedding == row.embedding &&
        other.outcome == Outcome::completed) {
      return other.figures->makespan;
    }
  }
  return std::nullopt;
}

bool has_several_embeddings(const Comparison& comparison) {
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparisonRow& row) {
    return row.embedding != comparison.rows[0].embedding;
  });
}

std::string title(const Comparison& comparison) {
  std::string text = fmt::format("{}: {} on {}", printable(comparison.scenario), comparison.program,
                                 printable(comparison.machine));
  if (!comparison.rows.empty() && !has_several_embeddings(comparison)) {
    text += fmt::format(", {} embedding", comparison.rows[0].embedding);
  }
  return text + "\n\n";
}

std::vector<Table::Column> columns(bool with_embedding) {
  std::vector<Table::Column> columns;
  if (with_embedding) {
    columns.push_back({"embedding", Table::Align::left});
  }
  for (const char* header : {"processes", "makespan", "speedup", "efficiency", "waiting"}) {
    columns.push_back({header});
  }
  columns.push_back({"outcome", Table::Align::left});
  return columns;
}

std::vector<std::string> cells(const Comparison& comparison, const ComparisonRow& row,
                               const TimeScale& scale, bool with_embedding) {
  const std::optional<Speedup> speedup = speedup_of(comparison, row);
  std::vector<std::string> cells;
  if (with_embedding) {
    cells.push_back(row.embedding);
  }
  cells.push_back(grouped(row.processes));
  cells.push_back(row.figures ? scale.text(to_seconds(row.figures->makespan)) : no_value);
  cells.push_back(speedup ? fmt::format("{:.2f}", speedup->speedup) : no_value);
  cells.push_back(speedup ? percent(speedup->efficiency) : no_value);
  cells.push_back(row.figures ? percent(row.figures->waiting_share) : no_value);
  cells.push_back(to_string(row.outcome));
  return cells;
}

std::string name_of(const ComparisonRow& row, bool with_embedding) {
  const std::string count = counted(row.processes, "process");
  return with_embedding ? fmt::format("{} under {}", count, row.embedding) : count;
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

/// Is one number of processes given more to do than another?
bool is_work_different(const Comparison& comparison, const ComparisonRow& best) {
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const auto& row) {
    return row.figures && row.figures->sequential_time != best.figures->sequential_time;
  });
}

std::string verdict(const Comparison& comparison) {
  const ComparisonRow* best = shortest(comparison);
  if (best == nullptr || comparison.rows.size() < 2) {
    return {};
  }
  std::string text =
      fmt::format("\nthe shortest time is that of {}: {}{}\n",
                  name_of(*best, has_several_embeddings(comparison)),
                  format_time(best->figures->makespan), cost_of_more(comparison, *best));
  if (is_work_different(comparison, *best)) {
    text += "the work differs from number to number: see the speedup\n";
  }
  return text;
}

std::string csv_row(const Comparison& comparison, const ComparisonRow& row) {
  const std::string start =
      fmt::format("{},{},{}", csv_cell(row.embedding), row.processes, to_string(row.outcome));
  if (!row.figures) {
    return start + ",,,,,,,," + csv_row_end(comparison);
  }
  const RunFigures& figures = *row.figures;
  const std::optional<Speedup> speedup = speedup_of(comparison, row);
  return start +
         fmt::format(
             ",{},{},{},{},{},{},{},{:016x}", to_seconds(figures.makespan),
             figures.makespan.count(),
             figures.sequential_time ? csv_number(to_seconds(*figures.sequential_time)) : "",
             speedup ? csv_number(speedup->speedup) : "",
             speedup ? csv_number(speedup->efficiency) : "", figures.waiting_share,
             figures.queued_hops, figures.fingerprint) +
         csv_row_end(comparison);
}

}  // namespace

const ComparisonRow* shortest(const Comparison& comparison) {
  const ComparisonRow* best = nullptr;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.outcome == Outcome::completed && (best == nullptr || is_better(row, *best))) {
      best = &row;
    }
  }
  return best;
}

std::optional<Speedup> speedup_of(const Comparison& comparison, const ComparisonRow& row) {
  if (row.outcome != Outcome::completed || row.figures->makespan == Ticks{0}) {
    return std::nullopt;
  }
  const std::optional<Ticks> base = base_time(comparison, row);
  if (!base || *base == Ticks{0}) {
    return std::nullopt;
  }
  const double speedup = to_seconds(*base) / to_seconds(row.figures->makespan);
  return Speedup{speedup, speedup / row.processes};
}

std::string scaling_table(const Comparison& comparison) {
  const bool with_embedding = has_several_embeddings(comparison);
  Table table{columns(with_embedding)};
  const TimeScale scale = makespan_scale(comparison.rows);
  for (const ComparisonRow& row : comparison.rows) {
    table.add_row(cells(comparison, row, scale, with_embedding));
  }
  const ComparisonRow* best = shortest(comparison);
  return title(comparison) + table.text() + verdict(comparison) +
         compared_paths(comparison, best, best != nullptr ? &largest(comparison, *best) : nullptr);
}

std::string scaling_csv(const Comparison& comparison) {
  std::string csv =
      "embedding,processes,outcome,makespan_s,makespan_ps,sequential_s,speedup,efficiency,"
      "waiting_share,queued,fingerprint" +
      csv_header_end(comparison);
  for (const ComparisonRow& row : comparison.rows) {
    csv += csv_row(comparison, row);
  }
  return csv;
}

}  // namespace dcube::app
