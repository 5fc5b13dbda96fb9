#include "compared_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/children/child_figures.hpp"
#include "app/run/run_trace.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {
namespace {

std::optional<std::array<Ticks, cause_kinds>> path_of(const RunResult& result) {
  return result.explanation ? std::optional{result.explanation->path.by_kind} : std::nullopt;
}

RunFigures figures_of(const Scenario& scenario, const RunResult& result) {
  const RunReport& report = result.report;
  const EmbeddingMetrics metrics = measure_embedding(
      *scenario.machine->topology, scenario.program->guest(), scenario.embedding->map());
  const double makespan_s = to_seconds(report.makespan);
  return {.outcome = report.outcome,
          .makespan = report.makespan,
          .average_dilation = metrics.average_dilation,
          .longest_dilation = metrics.longest_dilation,
          .waiting_share = makespan_s > 0 ? report.waiting.mean_s / makespan_s : 0,
          .max_link_load = report.link_load.max,
          .queued_hops = report.queued_hops,
          .fingerprint = report.fingerprint,
          .sequential_time = sequential_time_of(*scenario.program),
          .critical_path = path_of(result)};
}

Outcome outcome_of(ChildEnd end) {
  switch (end) {
    case ChildEnd::timed_out:
      return Outcome::timed_out;
    case ChildEnd::out_of_memory:
      return Outcome::refused;
    default:
      return Outcome::crashed;
  }
}

}  // namespace

std::string ComparedRun::label(ComparedThing thing) const {
  return thing == ComparedThing::process_number ? fmt::format("{}-{}", name, processes) : name;
}

ComparedRun compared_run(const ScenarioOptions& options, const Scenario& scenario) {
  const std::string& embedding = options.embedding;
  const std::optional<MapFile> file = find_map_file(embedding);
  const std::filesystem::path path = file ? file->file : std::filesystem::path{embedding};
  const std::string name =
      embedding.empty() ? std::string{scenario.embedding->kind()} : path.stem().string();
  const RunSize size = run_size(scenario);
  return {.scenario = options,
          .name = name,
          .processes = scenario.program->guest().process_count(),
          .memory_bytes = estimated_memory_bytes(size),
          .causes_bytes =
              CausalRecord::estimated_bytes(size.processes, scenario.program->stage_count()),
          .is_explained = false,
          .trace = {},
          .result = {}};
}

std::string simulate_compared(const ComparedRun& run) {
  Scenario scenario = load(run.scenario);
  TraceOptions traced;
  if (!run.trace.empty()) {
    traced.targets = {"csv:" + run.trace};
    traced.filter.links = "none";
  }
  const auto trace = trace_recorder(traced, scenario);
  ObserverList observers;
  if (trace) {
    observers.add(*trace);
  }
  std::optional<CausalRecord> causes;
  if (run.is_explained) {
    observers.add(causes.emplace(run_size(scenario).processes));
  }
  RunResult result = run_scenario(scenario, observers.observer());
  if (causes) {
    result.explanation = explain_run(scenario, *causes, result.report);
  }
  if (trace) {
    write_trace(*trace, scenario, result, ListOutput::when_small, ProgressOutput::off);
  }
  // The result as JSON follows the figures.
  return sent_figures(figures_of(scenario, result)) + run_result_json(scenario, result);
}

std::string_view received_json(const ComparedRun& run) {
  return std::string_view{run.result.output}.substr(sizeof(RunFigures));
}

ComparisonRow row_of(const ComparedRun& run) {
  ComparisonRow row{run.name, outcome_of(run.result.end), run.result.problem, std::nullopt,
                    run.processes};
  if (run.result.end == ChildEnd::finished) {
    row.figures = received_figures<RunFigures>(run.result.output);
    row.outcome = row.figures->outcome;
    row.problem.clear();
    if (row.outcome != Outcome::completed) {
      row.problem = "more by dcube run " + quoted_arguments(run.scenario);
    }
  }
  return row;
}

}  // namespace dcube::app
