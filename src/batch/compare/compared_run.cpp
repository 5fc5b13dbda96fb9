#include "compared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>
#include <utility>

#include "batch/child_message.hpp"
#include "batch/key.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/batch/measures.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/random.hpp"
#include "dcube/interop/map_files.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "engine/simulator.hpp"
#include "scenario/documents.hpp"
#include "scenario/json_writing.hpp"

namespace dcube {
namespace {

RunFigures figures_of(const Scenario& scenario, const RunResult& result) {
  const RunReport& report = result.report;
  const MeasuredRun run = measured_run(scenario, report);
  return {.outcome = report.outcome,
          .makespan = report.makespan,
          .average_dilation = run.embedding.average_dilation,
          .longest_dilation = run.embedding.longest_dilation,
          .waiting_share = measure_named("waiting_share").value(run).value_or(0),
          .max_link_load = report.link_load.max,
          .queued_hops = report.queued_hops,
          .fingerprint = report.fingerprint,
          .sequential_time = run.sequential_time,
          .critical_path =
              result.explanation ? std::optional{result.explanation->path.by_kind} : std::nullopt};
}

/// What programs read, each file once. The document holds everything else. Pipes are left out,
/// because they can be read only once.
std::set<std::filesystem::path> data_files(const std::vector<ComparedRun>& runs) {
  std::set<std::filesystem::path> files;
  for (const ComparedRun& run : runs) {
    if (run.scenario) {
      for (const auto& [pointer, file] : run.scenario->program_inputs) {
        if (std::error_code ignored; std::filesystem::is_regular_file(file, ignored)) {
          files.insert(file);
        }
      }
    }
  }
  return files;
}

constexpr const char* process_count = "--process-count";
constexpr const char* network_option = "--network";

bool has_parameter(const std::string& program, std::string_view name) {
  const ProgramKind* kind = find_kind(program_catalog(), program);
  return kind != nullptr &&
         std::ranges::any_of(kind->parameters, [&](const ParameterHelp& parameter) {
           return parameter.name == name;
         });
}

std::string cube_setting(std::uint32_t processes) {
  refuse_if(!std::has_single_bit(processes), process_count,
            "{} is not a power of two; the nearest are {} and {}", processes,
            std::bit_floor(processes), std::uint64_t{std::bit_floor(processes)} * 2);
  return fmt::format("/program/dimensions={}", std::countr_zero(processes));
}

}  // namespace

std::string label_of(const std::string& embedding) {
  if (find_kind(embedding_catalog(), embedding) != nullptr) {
    return embedding;
  }
  const std::optional<MapFile> file = find_map_file(embedding);
  const std::filesystem::path path = file ? file->file : std::filesystem::path{embedding};
  const std::string name = path.stem().string();
  return find_kind(embedding_catalog(), name) == nullptr ? name : path.filename().string();
}

std::string ComparedRun::label(ComparedThing thing) const {
  const std::string draw =
      row.failures == 0 ? std::string{} : fmt::format("-f{}-s{}", row.failures, row.seed);
  if (!row.network.empty()) {
    std::string network = row.network;
    std::ranges::replace(network, ':', '-');
    return fmt::format("{}-{}{}", network, row.embedding, draw);
  }
  return thing == ComparedThing::process_number ? fmt::format("{}-{}", row.embedding, row.processes)
                                                : row.embedding + draw;
}

ComparedRun compared_run(const ScenarioRequest& options, Scenario scenario) {
  const RunSize size = run_size(scenario);
  ComparedRun run{.options = options,
                  .row = {},
                  .scenario = nullptr,
                  .memory_bytes = estimated_memory_bytes(size),
                  .causes_bytes = CausalRecord::estimated_bytes(size.processes,
                                                                scenario.program->stage_count())};
  run.row.embedding = options.embedding.empty() ? embedding_name(scenario.embedding_settings)
                                                : label_of(options.embedding);
  run.row.processes = scenario.program->guest().process_count();
  run.scenario = std::make_shared<Scenario>(std::move(scenario));
  return run;
}

ComparedRun later_run(const ComparedRun& built, const ScenarioRequest& options,
                      std::shared_ptr<const ScenarioSource> source) {
  ComparedRun run{.options = options,
                  .row = {},
                  .scenario = nullptr,
                  .build = [source = std::move(source), options] { return source->build(options); },
                  .memory_bytes = built.memory_bytes,
                  .causes_bytes = built.causes_bytes};
  run.row.embedding = built.row.embedding;
  run.row.processes = built.row.processes;
  return run;
}

ComparedRun refused_run(const ScenarioRequest& options, const InputError& refusal) {
  return {.options = options,
          .row = {label_of(options.embedding), Outcome::refused, refusal.problem(), std::nullopt},
          .scenario = nullptr,
          .has_ended = true};
}

namespace {

/// Runs it in this process. A child sends its figures, a complaint of its watcher, and the result
/// as JSON.
std::string simulate(const ComparedRun& run) {
  const std::shared_ptr<Scenario> built =
      run.scenario ? run.scenario : std::make_shared<Scenario>(run.build());
  Scenario& scenario = *built;
  std::string problem;
  std::unique_ptr<RunWatcher> watcher;
  const auto watched = [&](const std::function<void()>& step) {
    try {
      step();
    } catch (const InputError& error) {
      problem = error.what();
      watcher.reset();
    }
  };
  if (run.watch) {
    watched([&] { watcher = run.watch(scenario); });
  }
  ObserverList observers;
  if (watcher) {
    observers.add(watcher->observer());
  }
  std::optional<CausalRecord> causes;
  if (run.is_explained) {
    observers.add(causes.emplace(run_size(scenario).processes, scenario.machine->links));
  }
  RunResult result = run_scenario(scenario, observers.observer());
  if (causes) {
    result.explanation = explain_run(scenario, *causes, result.report);
  }
  if (watcher) {
    watched([&] { watcher->finish(result); });
  }
  const std::string json = run_result_json(scenario, result, ListOutput::when_small, run.folder);
  RunFigures figures = figures_of(scenario, result);
  figures.under_jitter = run.ties.look(scenario, result.report);
  const std::optional<MakespanBound> bound =
      run.is_bounded && is_repeatable(scenario, result.report)
          ? makespan_bound(scenario, &result.report)
          : std::nullopt;
  return sent(figures, problem, json, bound ? bound->makespan_s : -1.0,
              bound ? bound->source : std::string{});
}

/// Keeps what a child has sent, or how it ended.
void receive(ComparedRun& run, ChildResult result) {
  run.has_ended = true;
  run.has_unusable_input = result.end == ChildEnd::failed;
  if (result.end != ChildEnd::finished) {
    run.row.outcome = outcome_of(result.end);
    run.row.problem = std::move(result.problem);
    return;
  }
  ChildReader message{result.output};
  run.row.figures = message.read<RunFigures>();
  run.watch_problem = message.read_text();
  run.json = message.read_text();
  if (const auto makespan_s = message.read<double>(); makespan_s >= 0) {
    run.bound = MakespanBound{makespan_s, message.read_text()};
  }
  run.row.outcome = run.row.figures->outcome;
  if (run.row.outcome != Outcome::completed) {
    run.row.problem = "more by dcube run " + quoted_arguments(run.options);
  }
}

}  // namespace

void simulate_runs(std::vector<ComparedRun>& runs, const BatchLimits& limits,
                   const InterruptWatch& interrupt, const ProgressListener& on_progress,
                   const std::function<void(ComparedRun&)>& on_end) {
  std::vector<std::function<std::string()>> jobs;
  std::vector<ComparedRun*> simulated;
  for (ComparedRun& run : runs) {
    if (run.can_run()) {
      jobs.emplace_back([&run] { return simulate(run); });
      simulated.push_back(&run);
    }
  }
  if (!jobs.empty()) {
    load_simulator();
  }
  run_in_children(jobs, limits, interrupt, on_progress, [&](std::size_t job, ChildResult& result) {
    receive(*simulated[job], std::move(result));
    on_end(*simulated[job]);
  });
}

std::string comparison_id(const std::vector<ComparedRun>& runs, ComparedThing thing) {
  std::uint64_t hash = 0;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text) {
      hash = hash_of(hash, static_cast<unsigned char>(c));
    }
  };
  for (const ComparedRun& run : runs) {
    add(run.label(thing) + (run.scenario ? json_text(Setting{run.scenario->document})
                            : run.build  ? quoted_arguments(run.options)
                                         : run.row.problem));
  }
  for (const std::filesystem::path& file : data_files(runs)) {
    add(content_key(file));
  }
  return fmt::format("{:016x}", hash);
}

ScenarioRequest with_processes(ScenarioRequest options, const std::string& program,
                               std::uint32_t processes) {
  if (has_parameter(program, "processes")) {
    options.settings.push_back(fmt::format("/program/processes={}", processes));
  } else if (has_parameter(program, "dimensions")) {
    options.settings.push_back(cube_setting(processes));
  } else {
    throw InputError(
        process_count,
        fmt::format("the program {} has no setting for its number of processes", program));
  }
  return options;
}

std::vector<std::string> network_names(const std::vector<std::string>& texts) {
  const std::vector<std::string> known{"store_and_forward", "cut_through", "fluid", "fluid:CM02",
                                       "fluid:LV08"};
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    refuse_if(std::ranges::find(known, text) == known.end(), network_option,
              "`{}` is not a network that dcube knows{}", text, nearest_name_hint(text, known));
    refuse_if(std::ranges::find(names, text) != names.end(), network_option, "{} is given twice",
              text);
    names.push_back(text);
  }
  return names;
}

ScenarioRequest with_network(ScenarioRequest options, const std::string& network) {
  const std::size_t colon = network.find(':');
  if (colon != std::string::npos) {
    options.settings.push_back(fmt::format(R"(/machine/network={{"kind": "fluid", "model": "{}"}})",
                                           network.substr(colon + 1)));
  } else if (network == "fluid") {
    options.settings.emplace_back("/machine/network=fluid");
  } else {
    options.settings.emplace_back("/machine/network=switched");
    options.settings.push_back("/machine/switching=" + network);
  }
  return options;
}

Scenario build_with_processes(const ScenarioSource& source, const ScenarioRequest& options,
                              std::uint32_t processes) {
  try {
    return source.build(options);
  } catch (const InputError& error) {
    if (error.place().ends_with("/program/processes")) {
      throw InputError(process_count, error.problem());  // which begins with the number
    }
    refuse_if(error.place().find("/embedding") != std::string::npos, process_count, "{}: {}",
              counted(processes, "process"), error.problem());
    throw;
  }
}

}  // namespace dcube
