#include "compared_paths.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/terminal/table.hpp"

namespace dcube::app {
namespace {

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

/// How runs are named: by what they differ in.
struct Labels {
  explicit Labels(const Comparison& comparison) {
    for (const ComparisonRow& row : comparison.rows) {
      with_number = with_number || row.processes != comparison.rows.front().processes;
      with_embedding = with_embedding || row.embedding != comparison.rows.front().embedding;
    }
  }

  std::string of(const ComparisonRow& row) const {
    if (!with_number) {
      return row.embedding;
    }
    const std::string number = counted(row.processes, "process");
    return with_embedding ? fmt::format("{}, {}", row.embedding, number) : number;
  }

  bool with_number = false;
  bool with_embedding = false;
};

std::string table_of(const Comparison& comparison, const Labels& labels) {
  const std::vector<std::size_t> kinds = shown_kinds(comparison);
  std::vector<Table::Column> columns{
      {labels.with_number ? "run" : "embedding", Table::Align::left}};
  for (const std::size_t kind : kinds) {
    columns.push_back({name_of_kind(kind)});
  }
  Table table{std::move(columns)};
  const TimeScale scale = makespan_scale(comparison.rows);
  for (const ComparisonRow& row : comparison.rows) {
    if (is_explained(row)) {
      std::vector<std::string> cells{labels.of(row)};
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

}  // namespace

std::string compared_paths(const Comparison& comparison, const ComparisonRow* best,
                           const ComparisonRow* other) {
  if (std::ranges::none_of(comparison.rows, is_explained)) {
    return {};
  }
  const Labels labels{comparison};
  std::string text = "\nwhat the critical path of each goes on (dcube run --why follows one)\n" +
                     table_of(comparison, labels);
  if (best != nullptr && other != nullptr && is_explained(*best) && is_explained(*other)) {
    if (const std::string parts = differences(*best->figures, *other->figures); !parts.empty()) {
      text += fmt::format("\n{} against {}: {}\n", labels.of(*best), labels.of(*other), parts);
    }
  }
  return text;
}

}  // namespace dcube::app
