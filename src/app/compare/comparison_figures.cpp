#include "comparison_figures.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/terminal/json_values.hpp"
#include "dcube/runs/measures.hpp"

namespace dcube::app {
namespace {

using nlohmann::ordered_json;

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
  return {
      ratio(makespan, to_seconds(comparison.best_beside(row)->figures->makespan)),
      comparison.bound ? ratio(makespan, to_seconds(comparison.bound->makespan)) : std::nullopt};
}

/// A measure of the run; counts are whole.
ordered_json measured(const RunRecord& record, std::string_view name) {
  const std::optional<double> value = record.value(name);
  if (value && measure_named(name).unit.empty()) {
    return static_cast<std::uint64_t>(*value);
  }
  return value;
}

}  // namespace

std::vector<Figure> figures_of(const Comparison& comparison, const ComparisonRow& row) {
  const RunFigures figures = row.figures.value_or(RunFigures{});
  std::vector<Figure> list{
      {"makespan_s", figures.makespan, Shown::time, "makespan"},
      {"makespan_ps", figures.makespan.count()},
  };
  const auto add = [&list](Figure figure) { list.push_back(std::move(figure)); };
  const auto add_measure = [&](const char* name, Shown shown = Shown::nowhere,
                               const char* header = "") {
    list.push_back({name, measured(figures, name), shown, header});
  };
  if (comparison.is_scaling()) {
    const std::optional<Speedup> speedup = row.figures ? speedup_of(comparison, row) : std::nullopt;
    add_measure("sequential_s");
    add({"speedup", speedup ? ordered_json(speedup->speedup) : nullptr, Shown::hundredths,
         "speedup"});
    add({"efficiency", speedup ? ordered_json(speedup->efficiency) : nullptr, Shown::share,
         "efficiency"});
    add_measure("waiting_share", Shown::share, "waiting");
    add_measure("queued_hops");
  } else {
    const Ratios to = ratios(comparison, row);
    add({"ratio_to_best", to.to_best, Shown::thousandths, "to best"});
    add({"ratio_to_bound", to.to_bound, comparison.bound ? Shown::thousandths : Shown::nowhere,
         "to bound"});
    add_measure("average_dilation", Shown::thousandths, "mean");
    add_measure("longest_dilation", Shown::count, "longest");
    add_measure("waiting_share", Shown::share, "waiting");
    add_measure("max_link_load", Shown::count, "max link load");
    add_measure("queued_hops", Shown::count, "queued");
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

}  // namespace dcube::app
