#include "compared_run.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "app/children/child_figures.hpp"
#include "app/run/run_trace.hpp"
#include "core/file_text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/random.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "scenario/json_writing.hpp"

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
    case ChildEnd::failed:
    case ChildEnd::out_of_memory:
      return Outcome::refused;
    default:
      return Outcome::crashed;
  }
}

/// Of an embedding, in rows and files: that of a file without folder and suffix.
std::string name_of(const std::string& embedding) {
  const std::optional<MapFile> file = find_map_file(embedding);
  return (file ? file->file : std::filesystem::path{embedding}).stem().string();
}

/// What programs read, each file once. The document holds everything else. A pipe can be read once
/// only, and that has been done.
std::set<std::filesystem::path> data_files(const std::vector<ComparedRun>& runs) {
  std::set<std::filesystem::path> files;
  for (const ComparedRun& run : runs) {
    if (run.scenario) {
      for (const auto& [key, file] : run.scenario->program_inputs) {
        if (std::error_code ignored; std::filesystem::is_regular_file(file, ignored)) {
          files.insert(file);
        }
      }
    }
  }
  return files;
}

}  // namespace

std::string ComparedRun::label(ComparedThing thing) const {
  return thing == ComparedThing::process_number ? fmt::format("{}-{}", name, processes) : name;
}

ComparedRun compared_run(const ScenarioOptions& options, Scenario scenario) {
  ComparedRun run;
  run.options = options;
  run.name = options.embedding.empty() ? std::string{scenario.embedding->kind()}
                                       : name_of(options.embedding);
  run.processes = scenario.program->guest().process_count();
  const RunSize size = run_size(scenario);
  run.memory_bytes = estimated_memory_bytes(size);
  run.causes_bytes = CausalRecord::estimated_bytes(size.processes, scenario.program->stage_count());
  run.scenario = std::make_shared<Scenario>(std::move(scenario));
  return run;
}

ComparedRun refused_run(const ScenarioOptions& options, const InputError& refusal) {
  ComparedRun run;
  run.options = options;
  run.name = name_of(options.embedding);
  run.refusal = refusal.problem();
  return run;
}

// A child sends its figures, the length of a complaint about its trace, the complaint, and the
// result as JSON.
std::string simulate_compared(const ComparedRun& run) {
  Scenario& scenario = *run.scenario;
  std::string trace_problem;
  std::unique_ptr<TraceRecorder> trace;
  const auto traced = [&](const std::function<void()>& step) {
    try {
      step();
    } catch (const InputError& error) {
      trace_problem = error.what();
      trace.reset();
    }
  };
  ObserverList observers;
  if (!run.trace.empty()) {
    TraceFilterOptions filter;
    filter.links = "none";
    const TraceTarget target{find_kind(trace_catalog(), "csv"), run.trace};
    traced([&] { trace = trace_recorder(filter, {target}, scenario); });
  }
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
    traced([&] {
      write_trace(*trace, scenario, result, ListOutput::when_small, ProgressOutput::off);
    });
  }
  return sent_figures(figures_of(scenario, result)) + sent_figures(trace_problem.size()) +
         trace_problem + run_result_json(scenario, result, ListOutput::when_small, run.folder);
}

void receive(ComparedRun& run, ChildResult result) {
  run.end = result.end;
  run.problem = std::move(result.problem);
  if (result.end != ChildEnd::finished) {
    return;
  }
  std::string_view message = result.output;
  run.figures = received_figures<RunFigures>(message);
  message.remove_prefix(sizeof(RunFigures));
  const auto length = received_figures<std::size_t>(message);
  message.remove_prefix(sizeof length);
  run.trace_problem = message.substr(0, length);
  run.json = message.substr(length);
}

std::string comparison_id(const std::vector<ComparedRun>& runs, ComparedThing thing) {
  std::uint64_t hash = 0;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text) {
      hash = hash_of(hash, static_cast<unsigned char>(c));
    }
  };
  for (const ComparedRun& run : runs) {
    add(run.label(thing) +
        (run.scenario ? json_text(Setting{run.scenario->document}) : run.refusal));
  }
  for (const std::filesystem::path& file : data_files(runs)) {
    add(file_text(file));
  }
  return fmt::format("{:016x}", hash);
}

ComparisonRow row_of(const ComparedRun& run) {
  ComparisonRow row{run.name, Outcome::refused, run.refusal, run.figures, run.processes};
  if (!run.scenario) {
    return row;
  }
  row.outcome = run.figures ? run.figures->outcome : outcome_of(run.end);
  if (row.outcome != Outcome::completed) {
    row.problem = run.figures ? "more by dcube run " + quoted_arguments(run.options) : run.problem;
  }
  return row;
}

}  // namespace dcube::app
