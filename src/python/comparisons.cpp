#include "comparisons.hpp"

#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "core/json_reading.hpp"
#include "dcube/core/interrupt.hpp"
#include "dcube/engine/jitter.hpp"
#include "dcube/questions/compare.hpp"
#include "exceptions.hpp"
#include "measures.hpp"
#include "program.hpp"
#include "values.hpp"

namespace dcube::python {
namespace {

TieCheck tie_check(const std::optional<bool>& ties) {
  return !ties ? TieCheck::when_cheap : *ties ? TieCheck::always : TieCheck::never;
}

py::dict described(const SpreadUnderJitter& spread) {
  using namespace py::literals;
  return py::dict("part"_a = static_cast<double>(spread.part) / static_cast<double>(Jitter::whole),
                  "draws"_a = spread.draws, "least_ps"_a = spread.least.count(),
                  "greatest_ps"_a = spread.greatest.count(),
                  "not_completed"_a = spread.not_completed,
                  "rests_on_ties"_a = spread.rests_on_ties);
}

py::dict described(const Comparison& comparison, const Columns<ComparisonRow>& identity,
                   const Columns<ComparisonRow>& figures, const ComparisonRow& row) {
  py::dict all;
  all["embedding"] = row.embedding;
  all["processes"] = row.processes;
  add_values(all, identity, row);
  if (!comparison.failures.empty()) {
    all["seed"] = row.seed;  // 0 where no link fails
  }
  all["outcome"] = to_string(row.outcome);
  all["problem"] = row.problem;
  if (!row.figures) {
    return all;
  }
  if (const std::optional<Speedup> speedup = speedup_of(comparison, row)) {
    all["speedup"] = speedup->speedup;  // a column only where numbers of processes are compared
    all["efficiency"] = speedup->efficiency;
  }
  add_values(all, figures, row);
  if (row.figures->critical_path) {
    py::dict path;
    for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
      path[cause_names.at(kind)] = row.figures->critical_path->at(kind).count();
    }
    all["critical_path_ps"] = std::move(path);
  }
  if (row.figures->under_jitter) {
    all["under_jitter"] = described(*row.figures->under_jitter);
  }
  return all;
}

py::object place_of(const Comparison& comparison, const ComparisonRow* row) {
  return row == nullptr ? py::none() : py::object{py::int_(row - comparison.rows.data())};
}

py::dict described(const Comparison& comparison) {
  py::dict all;
  py::list rows;
  const Columns<ComparisonRow> identity = identity_columns(comparison);
  const Columns<ComparisonRow> figures = figure_columns(comparison);
  for (const ComparisonRow& row : comparison.rows) {
    rows.append(described(comparison, identity, figures, row));
  }
  py::list rivals;
  for (const ComparisonRow* const row : comparison.rivals_under_jitter()) {
    rivals.append(place_of(comparison, row));
  }
  all["machine"] = comparison.machine;
  all["program"] = comparison.program;
  all["processes"] = comparison.processes;
  all["rows"] = std::move(rows);
  Columns<ComparisonRow> shown = row_columns(comparison);
  if (comparison.has_failure()) {
    shown.push_back({"problem", Shown::text, &ComparisonRow::problem});
  }
  all["cells"] = text_table(shown, comparison.rows).cells();
  all["best"] = place_of(comparison, comparison.best());
  all["rivals"] = std::move(rivals);
  all["hop"] = comparison.hop;
  all["network"] = comparison.network;
  all["best_under_fair_links"] = place_of(comparison, comparison.best_under_fair_links());
  all["placed"] = py::none();
  if (const std::optional<PlacedMap>& placed = comparison.placed) {
    using namespace py::literals;
    all["placed"] = py::dict("objective"_a = placed->objective, "cost"_a = placed->cost,
                             "bound"_a = placed->bound, "gap"_a = placed->gap);
  }
  all["bound"] = comparison.bound
                     ? py::object{py::make_tuple(to_seconds(comparison.bound->makespan),
                                                 comparison.bound->source)}
                     : py::none();
  return all;
}

/// Implements dcube.compare().
py::dict compare(const py::dict& fields, const py::object& on_progress) {
  CompareRequest request;
  std::string text;
  Overrides overrides;
  std::optional<bool> ties;
  bool is_python = false;
  const auto take = [&](const char* name, auto& field) { take_field(fields, name, field); };
  take("text", text);
  take("file", request.scenario.file);
  take("overrides", overrides);
  take("embeddings", request.embeddings);
  take("axis_orders", request.axis_orders);
  take("place", request.place);
  take("process_numbers", request.process_numbers);
  take("networks", request.networks);
  take("failures", request.failures);
  if (!fields["seeds"].is_none()) {
    take("seeds", request.seeds);
    request.jitter_draws = request.seeds;  // as on the command line
  }
  take("ties", ties);
  take("check_links", request.check_links);
  take("explains", request.explains);
  take("is_python", is_python);
  request.ties = tie_check(ties);
  for (const auto& [pointer, value] : overrides) {
    request.scenario.settings.push_back(pointer + "=" + value);
  }
  Comparison comparison;
  simulate_in_children(fields, on_progress, [&](const SimulationLimits& limits) {
    // Child processes that run programs in Python have the lock from here.
    std::optional<Unlocked> unlocked;
    std::optional<RaisedInLine> in_line;
    if (is_python) {
      in_line.emplace();
    } else {
      unlocked.emplace();
    }
    const std::string& file = request.scenario.file;
    request.source = text.empty()
                         ? std::make_shared<ScenarioSource>(file)
                         : std::make_shared<ScenarioSource>(file, *read_json(text, file).group());
    comparison = dcube::compare(request, limits);
  });
  warn_of(comparison.refuted);
  return described(comparison);
}

}  // namespace

void simulate_in_children(const py::dict& fields, const py::object& on_progress,
                          const std::function<void(const SimulationLimits&)>& ask) {
  SimulationLimits limits;
  std::optional<double> time_limit_s;
  take_field(fields, "jobs", limits.at_once);
  take_field(fields, "time_limit_s", time_limit_s);
  if (time_limit_s) {
    limits.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>{*time_limit_s});
  }
  const Turn turn;
  Watch watch{on_progress};
  limits.on_progress = [&](std::size_t ended, std::size_t all) {
    watch.look([&] { return py::make_tuple(ended, all, py::none()); });
  };
  try {
    const KeptSignalMask mask;  // Python hears of Ctrl-C afterwards; the children are polled for it
    ask(limits);
  } catch (const Interrupted&) {
    Watch::look_at_signals();
    throw;
  }
  Watch::look_at_signals();
}

std::string answer_of_children(const py::dict& fields, const py::object& on_progress,
                               const std::function<std::string(const SimulationLimits&)>& ask) {
  std::string answer;
  simulate_in_children(fields, on_progress, [&](const SimulationLimits& limits) {
    const Unlocked unlocked;
    answer = ask(limits);
  });
  return answer;
}

void bind_comparisons(py::module_& module) { module.def("compare", &compare); }

}  // namespace dcube::python
