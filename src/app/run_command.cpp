#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "app/options/options.hpp"
#include "app/run/explanation.hpp"
#include "app/run/process_table.hpp"
#include "app/run/run_summary.hpp"
#include "app/run/run_trace.hpp"
#include "app/run/traffic_recorder.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "command.hpp"
#include "dcube/interop/traffic_files.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"

namespace dcube::app {
namespace {

const std::array<std::string, 2> executions{"actors", "coroutines"};

struct RunOptions {
  ScenarioOptions scenario;
  DisplayOptions display;
  std::string execution;
  std::string output;
  TraceOptions trace;
  std::string traffic;
  bool processes = false;
  bool why = false;
};

Scenario load(const RunOptions& options) {
  Scenario scenario = load(options.scenario);
  if (!options.execution.empty()) {
    scenario.execution = options.execution == "actors" ? Execution::actors : Execution::coroutines;
  }
  return scenario;
}

/// To the terminal first, so that a long run is not lost to a full disk.
void report(const RunOptions& options, const Scenario& scenario, const RunResult& result) {
  std::string json;
  if (options.display.json || !options.output.empty()) {
    json = run_result_json(scenario, result, options.display.lists());
  }
  if (options.display.json) {
    print(json);
  } else if (!options.display.quiet) {
    print(run_summary(scenario, result));
    if (result.explanation) {
      print("\n" + explanation_text(scenario, result));
    }
  }
  if (!options.output.empty()) {
    write_file(options.output, json);
  }
  for (const OutputFile& file : scenario.program->output_files()) {
    write_file(file.path, file.content);
  }
}

RunResult run_showing_progress(const RunOptions& options, Scenario& scenario, Observer* observer) {
  TickingProgress progress{options.display.progress(), fmt::format("simulating {}", scenario.name)};
  return run_scenario(scenario, observer, [&progress](std::uint32_t ended, Ticks time) {
    progress.show(fmt::format("at {}, {} ended", readable_seconds(to_seconds(time)),
                              counted(ended, "process")));
  });
}

/// Observers of a run, where they were asked for.
struct Records {
  std::optional<ProcessRecords> of_processes;
  std::optional<CausalRecord> of_causes;
  std::optional<TrafficRecorder> of_traffic;
};

/// With what --why keeps, a run takes more memory than by itself.
void check_record_fits(const RunOptions& options, const Scenario& scenario) {
  if (!options.why) {
    return;
  }
  const RunSize size = run_size(scenario);
  const std::uint64_t run = estimated_memory_bytes(size);
  const std::uint64_t record =
      CausalRecord::estimated_bytes(size.processes, scenario.program->stage_count());
  const std::uint64_t available = available_memory_bytes();
  if (run <= available && run + record > available) {
    throw MemoryError(
        "--why", fmt::format("the explanation does not fit in memory (with it the run takes about "
                             "{}, and {} are available); run it without --why, or explain a "
                             "smaller case",
                             readable_bytes(run + record), readable_bytes(available)));
  }
}

/// Where --traffic goes to; nothing when it is not asked for.
std::optional<TrafficFile> traffic_file(const RunOptions& options) {
  if (options.traffic.empty()) {
    return std::nullopt;
  }
  TrafficFile file = at("--traffic", [&] { return parse_traffic_file(options.traffic); });
  check_output_folder(file.file.string(), "--traffic");
  return file;
}

ExitStatus run(const RunOptions& options) {
  exit_on_interrupt();
  check_output_folder(options.output);
  check_hosts_option(options.scenario.hosts, {options.scenario.embedding});
  const std::optional<TrafficFile> traffic = traffic_file(options);
  Scenario scenario = load(options);
  const std::uint32_t process_count = run_size(scenario).processes;
  if (options.processes) {
    check_table_size(options.display, process_count);
  }

  Records records;
  ObserverList observers;
  if (options.processes) {
    observers.add(records.of_processes.emplace(process_count, scenario.program->stage_count()));
  }
  if (options.why) {
    observers.add(records.of_causes.emplace(process_count));
  }
  if (traffic) {
    observers.add(records.of_traffic.emplace(scenario.program->guest().process_count()));
  }
  const auto trace = trace_recorder(options.trace, scenario);
  if (trace) {
    observers.add(*trace);
  }
  const RunResult result = at_least_at(scenario.source, [&] {
    check_record_fits(options, scenario);
    RunResult ended = run_showing_progress(options, scenario, observers.observer());
    if (records.of_causes) {
      ended.explanation = explain_run(scenario, *records.of_causes, ended.report);
    }
    return ended;
  });

  if (records.of_processes) {
    print(records.of_processes->table(*scenario.embedding, result.report) + "\n");
  }
  report(options, scenario, result);
  if (trace) {
    write_trace(*trace, scenario, result, options.display.lists(), options.display.progress());
  }
  if (traffic) {
    write_file(traffic->file, traffic->format->write(records.of_traffic->traffic()));
  }
  if (result.report.outcome != Outcome::completed) {
    complain(failure_report(scenario, result.report));
    return ExitStatus::experiment_failed;
  }
  return ExitStatus::done;
}

}  // namespace

void run_command(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  Parser parser = line.add("run", "Simulate a scenario and say where the time went",
                           [options] { return run(*options); });
  add_scenario_argument(parser, options->scenario).required();
  add_scenario_changes(parser, options->scenario);
  parser
      .option("--execution", options->execution, "MODE",
              "how processes run, actors or coroutines; never changes a result")
      .one_of(executions);
  parser.option("--output", options->output, "FILE", "write the result as JSON").writes_file();
  parser
      .option("--traffic", options->traffic, "[FORMAT:]FILE",
              "write who sends how much to whom: csv, grf or mtx, or a file whose suffix tells")
      .writes_file();
  add_trace_options(parser, options->trace);
  const Option json = add_display_options(parser, options->display);
  parser.flag("--processes", options->processes, "print the times of every process").excludes(json);
  parser.flag("--why", options->why,
              "explain the makespan: the critical path, and why processes waited");
  parser.examples("dcube run scenarios/quickstart.json --embedding xor --processes");
}

}  // namespace dcube::app
