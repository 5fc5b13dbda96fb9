#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

namespace dcube::app {
namespace {

constexpr std::uint32_t most_processes_in_a_table = 4096;

struct RunOptions {
  ScenarioOptions scenario;
  std::string embedding;
  std::string execution;
  std::string output;
  TraceOptions trace;
  std::string traffic;
  bool json = false;
  bool full = false;
  bool processes = false;
  bool why = false;
  bool quiet = false;
};

/// Refused before the run, not after it.
void check_table_size(const RunOptions& options, std::uint32_t processes) {
  if (options.processes && !options.full && processes > most_processes_in_a_table) {
    throw InputError(
        "--processes",
        fmt::format("{} make a long table (more than {}); add --full to print it",
                    counted(processes, "process"), grouped(most_processes_in_a_table)));
  }
}

Scenario load(const RunOptions& options) {
  Scenario scenario = load(options.scenario, options.embedding);
  if (!options.execution.empty()) {
    scenario.execution = options.execution == "actors" ? Execution::actors : Execution::coroutines;
  }
  return scenario;
}

/// To the terminal first, so that a long run is not lost to a full disk.
void report(const RunOptions& options, const Scenario& scenario, const RunResult& result) {
  std::string json;
  if (options.json || !options.output.empty()) {
    json = run_result_json(scenario, result,
                           options.full ? ListOutput::always : ListOutput::when_small);
  }
  if (options.json) {
    print(json);
  } else if (!options.quiet) {
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
  TickingProgress progress{options.quiet ? ProgressOutput::off : ProgressOutput::on_terminal,
                           fmt::format("simulating {}", scenario.name)};
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
  check_hosts_option(options.scenario.hosts, {options.embedding});
  const std::optional<TrafficFile> traffic = traffic_file(options);
  Scenario scenario = load(options);
  const std::uint32_t process_count = run_size(scenario).processes;
  check_table_size(options, process_count);

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
    write_trace(*trace, scenario, result,
                options.full ? ListOutput::always : ListOutput::when_small,
                options.quiet ? ProgressOutput::off : ProgressOutput::on_terminal);
  }
  if (traffic) {
    write_file(traffic->file, traffic->format->write(records.of_traffic->traffic()));
  }
  if (result.report.outcome != Outcome::completed) {
    complain_in_lines(failure_report(scenario, result.report));
    return ExitStatus::experiment_failed;
  }
  return ExitStatus::done;
}

}  // namespace

Command run_command(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* parser = app.add_subcommand("run", "Simulate a scenario and say where the time went");
  add_scenario_options(*parser, options->scenario);
  parser
      ->add_option("--embedding", options->embedding,
                   "use this embedding (a name, a JSON or a map file)")
      ->type_name("NAME");
  parser->add_option("--execution", options->execution, "how processes run; never changes a result")
      ->type_name("MODE")
      ->check(CLI::IsMember({"actors", "coroutines"}));
  parser->add_option("--output", options->output, "write the result as JSON")->type_name("FILE");
  add_hosts_option(*parser, options->scenario.hosts);
  parser
      ->add_option(
          "--traffic", options->traffic,
          "write who sends how much to whom: csv, grf or mtx, or a file whose suffix tells")
      ->type_name("[FORMAT:]FILE");
  add_trace_options(*parser, options->trace);
  CLI::Option* json = parser->add_flag("--json", options->json, "print the result as JSON");
  parser->add_flag("--full", options->full, "print maps and tables whatever their size");
  parser->add_flag("--processes", options->processes, "print the times of every process")
      ->excludes(json);
  parser->add_flag("--why", options->why,
                   "explain the makespan: the critical path, and why processes waited");
  parser->add_flag("--quiet", options->quiet, "print no summary");
  parser->footer("Example:\n  dcube run scenarios/quickstart.json --embedding xor --processes");
  return {parser, [options] { return run(*options); }};
}

}  // namespace dcube::app
