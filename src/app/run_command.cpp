#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "process_table.hpp"
#include "progress.hpp"
#include "readable.hpp"
#include "run_summary.hpp"
#include "run_trace.hpp"

namespace dcube::app {
namespace {

constexpr std::uint32_t most_processes_in_a_table = 4096;

struct RunOptions {
  ScenarioOptions scenario;
  std::string embedding;
  std::string execution;
  std::string output;
  TraceOptions trace;
  bool json = false;
  bool full = false;
  bool processes = false;
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

ExitStatus run(const RunOptions& options) {
  exit_on_interrupt();
  check_output_folder(options.output);
  Scenario scenario = load(options);
  const std::uint32_t process_count = run_size(scenario).processes;
  check_table_size(options, process_count);

  ObserverList observers;
  std::optional<ProcessRecords> records;
  if (options.processes) {
    records.emplace(process_count, scenario.program->stage_count());
    observers.add(*records);
  }
  const auto trace = trace_recorder(options.trace, scenario);
  if (trace) {
    observers.add(*trace);
  }
  const RunResult result = at_least_at(scenario.source, [&] {
    return run_showing_progress(options, scenario, observers.observer());
  });

  if (records) {
    print(records->table(*scenario.embedding, result.report) + "\n");
  }
  report(options, scenario, result);
  if (trace) {
    write_trace(*trace, scenario, result,
                options.full ? ListOutput::always : ListOutput::when_small,
                options.quiet ? ProgressOutput::off : ProgressOutput::on_terminal);
  }
  if (result.report.outcome != Outcome::completed) {
    complain(failure_report(scenario, result.report));
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
      ->add_option("--embedding", options->embedding, "use this embedding (a name or a JSON file)")
      ->type_name("NAME");
  parser->add_option("--execution", options->execution, "how processes run; never changes a result")
      ->type_name("MODE")
      ->check(CLI::IsMember({"actors", "coroutines"}));
  parser->add_option("--output", options->output, "write the result as JSON")->type_name("FILE");
  add_trace_options(*parser, options->trace);
  CLI::Option* json = parser->add_flag("--json", options->json, "print the result as JSON");
  parser->add_flag("--full", options->full, "print maps and tables whatever their size");
  parser->add_flag("--processes", options->processes, "print the times of every process")
      ->excludes(json);
  parser->add_flag("--quiet", options->quiet, "print no summary");
  parser->footer("Example:\n  dcube run scenarios/quickstart.json --embedding xor --processes");
  return {parser, [options] { return run(*options); }};
}

}  // namespace dcube::app
