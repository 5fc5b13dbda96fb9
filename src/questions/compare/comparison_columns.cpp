#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "dcube/questions/comparison.hpp"
#include "dcube/runs/measures.hpp"

// Every column of a comparison stands here once: a line adds one to text tables, CSV, JSON, pandas
// and report pages.

namespace dcube {
namespace {

std::optional<double> ratio_of(Ticks makespan, Ticks reference) {
  return reference > Ticks{0} ? std::optional{to_seconds(makespan) / to_seconds(reference)}
                              : std::nullopt;
}

/// The column is missing in rows whose run did not end by itself.
Column<ComparisonRow> of_figures(std::string key,
                                 std::function<CellValue(const ComparisonRow&)> value,
                                 Shown shown = Shown::nowhere, std::string header = {},
                                 std::string group = {}) {
  return {std::move(header), shown,
          [value = std::move(value)](const ComparisonRow& row) {
            return row.figures ? value(row) : CellValue{};
          },
          std::move(key), std::move(group)};
}

/// Column of a measure that measure_catalog() has; counts are whole.
Column<ComparisonRow> of_measure(const char* name, Shown shown = Shown::nowhere,
                                 std::string header = {}, std::string group = {}) {
  const bool is_count = measure_named(name).unit.empty();
  return of_figures(
      name,
      [=](const ComparisonRow& row) {
        const std::optional<double> value = row.figures->value(name);
        return is_count && value ? CellValue{static_cast<std::uint64_t>(*value)} : CellValue{value};
      },
      shown, std::move(header), std::move(group));
}

template <class Value>
Column<ComparisonRow> of_draws(const char* key, Value SpreadUnderJitter::*value) {
  return of_figures(key, [value](const ComparisonRow& row) {
    const std::optional<SpreadUnderJitter>& spread = row.figures->under_jitter;
    return spread ? CellValue{*spread.*value} : CellValue{};
  });
}

}  // namespace

Columns<ComparisonRow> identity_columns(const Comparison& comparison) {
  Columns<ComparisonRow> columns{
      {"embedding", Shown::text, &ComparisonRow::embedding, "embedding"}};
  if (!comparison.networks.empty()) {
    columns.push_back({"network", Shown::text, &ComparisonRow::network, "network"});
  }
  if (!comparison.failures.empty()) {
    columns.push_back({"failed links", Shown::count, &ComparisonRow::failures, "failures"});
    columns.push_back({"seed", Shown::figure,
                       [](const ComparisonRow& row) {  // nothing is drawn where no link fails
                         return row.failures == 0 ? CellValue{} : CellValue{row.seed};
                       },
                       "seed"});
  }
  if (comparison.is_scaling()) {
    columns.push_back({"processes", Shown::count, &ComparisonRow::processes, "processes"});
  }
  return columns;
}

Column<ComparisonRow> outcome_column() {
  return {"outcome", Shown::text, [](const ComparisonRow& row) { return to_string(row.outcome); },
          "outcome"};
}

Columns<ComparisonRow> figure_columns(const Comparison& comparison) {
  Columns<ComparisonRow> columns{
      of_figures(
          "makespan_s", [](const ComparisonRow& row) { return row.figures->makespan; }, Shown::time,
          "makespan"),
      of_figures("makespan_ps",
                 [](const ComparisonRow& row) { return row.figures->makespan.count(); })};
  const auto add = [&](Column<ComparisonRow> column) { columns.push_back(std::move(column)); };
  if (comparison.is_scaling()) {
    const auto of_speedup = [&comparison](double Speedup::*value) {
      return [&comparison, value](const ComparisonRow& row) {
        const std::optional<Speedup> speedup = speedup_of(comparison, row);
        return speedup ? CellValue{*speedup.*value} : CellValue{};
      };
    };
    add(of_measure("sequential_s"));
    add(of_figures("speedup", of_speedup(&Speedup::speedup), Shown::hundredths, "speedup"));
    add(of_figures("efficiency", of_speedup(&Speedup::efficiency), Shown::share, "efficiency"));
    add(of_measure("waiting_share", Shown::share, "waiting"));
    add(of_measure("queued_hops"));
  } else {
    add(of_figures(
        "ratio_to_best",
        [&comparison](const ComparisonRow& row) {
          return row.outcome == Outcome::completed && comparison.is_complete
                     ? ratio_of(row.figures->makespan,
                                comparison.best_beside(row)->figures->makespan)
                     : std::nullopt;
        },
        Shown::thousandths, "to best"));
    add(of_figures(
        "ratio_to_bound",
        [&comparison](const ComparisonRow& row) {
          return comparison.bound && row.outcome == Outcome::completed
                     ? ratio_of(row.figures->makespan, comparison.bound->makespan)
                     : std::nullopt;
        },
        comparison.bound ? Shown::thousandths : Shown::nowhere, "to bound"));
    add(of_measure("average_dilation", Shown::thousandths, "mean", "dilation"));
    add(of_measure("longest_dilation", Shown::count, "longest", "dilation"));
    add(of_measure("waiting_share", Shown::share, "waiting"));
    add(of_measure("max_link_load", Shown::count, "max link load"));
    add(of_measure("queued_hops", Shown::count, "queued"));
  }
  if (comparison.under_jitter()) {
    add(of_draws("jitter_draws", &SpreadUnderJitter::draws));
    add(of_draws("jitter_least_s", &SpreadUnderJitter::least));
    add(of_draws("jitter_greatest_s", &SpreadUnderJitter::greatest));
    add(of_draws("rests_on_ties", &SpreadUnderJitter::rests_on_ties));
  }
  if (std::ranges::any_of(comparison.rows, [](const ComparisonRow& row) {
        return row.figures && row.figures->under_fair_links;
      })) {
    add(of_figures("fair_links_makespan_s", [&comparison](const ComparisonRow& row) {
      return comparison.lacks_fair_links() ? CellValue{} : CellValue{row.figures->fair_makespan()};
    }));
  }
  add(of_figures("fingerprint", [](const ComparisonRow& row) {
    return fmt::format("{:016x}", row.figures->fingerprint);
  }));
  return columns;
}

Columns<ComparisonRow> row_columns(const Comparison& comparison) {
  Columns<ComparisonRow> columns = identity_columns(comparison);
  if (comparison.is_scaling() && !comparison.has_several_embeddings()) {
    columns.erase(columns.begin());
  }
  std::stable_partition(columns.begin(), columns.end(), [](const Column<ComparisonRow>& column) {
    return column.key == "network";
  });
  columns = columns + figure_columns(comparison);
  columns.push_back(outcome_column());
  return columns;
}

Columns<Degradation> degradation_columns(const Comparison& comparison) {
  const auto of_completed = [](auto value) {
    return [value](const Degradation& row) {
      return row.completed > 0 ? CellValue{row.*value} : CellValue{};
    };
  };
  Columns<Degradation> columns{
      {"embedding", Shown::text, &Degradation::embedding, "embedding"},
      {"network", Shown::text, &Degradation::network, "network"},
      {"failed links", Shown::count, &Degradation::failures, "failures"},
      {"runs", Shown::count, &Degradation::runs, "runs"},
      {"mean", Shown::time, of_completed(&Degradation::mean_s), "makespan_mean_s", "makespan"},
      {"least", Shown::time, of_completed(&Degradation::least), "makespan_least_s", "makespan"},
      {"greatest", Shown::time, of_completed(&Degradation::greatest), "makespan_greatest_s",
       "makespan"},
      {"slowdown", Shown::thousandths, &Degradation::slowdown, "slowdown"}};
  if (comparison.networks.empty()) {
    columns.erase(columns.begin() + 1);
  }
  return columns;
}

}  // namespace dcube
