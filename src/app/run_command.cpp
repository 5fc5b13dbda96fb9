#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/run/run_outputs.hpp"
#include "app/run/run_summary.hpp"
#include "app/run/run_trace.hpp"
#include "app/terminal/interrupt.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "command.hpp"
#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/write_file.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/trace/traffic_recorder.hpp"

namespace dcube::app {
namespace {

const std::array<std::string, 2> executions{"actors", "coroutines"};

/// Collects when each process finished its stages and when it waited, for --processes.
class ProcessTable final : public Observer {
 public:
  ProcessTable(std::uint32_t process_count, const Program& program)
      : stages_{program.stage_names()} {
    if (program.repeats_stages()) {
      stages_.clear();  // when one ended last says little
    } else if (stages_.empty()) {
      stages_ = numbered(program.stage_count(),
                         [](std::uint32_t stage) { return fmt::format("stage {}", stage); });
    }
    records_ = numbered(process_count, [&](std::uint32_t process) {
      return Record{process, std::vector<std::optional<Ticks>>(stages_.size()), {}};
    });
  }

  HopReports hop_reports() const override { return HopReports::queued; }
  void on_interval(const Interval& interval) override {
    if (interval.activity == Activity::waiting) {
      records_[interval.process.index()].waits.push_back(interval);
    }
  }
  void on_stage_end(ProcessId process, std::uint32_t stage, Ticks time) override {
    if (stage < stages_.size()) {
      records_[process.index()].stage_ends[stage] = time;
    }
  }

  /// Process by process: its node, its times and its waiting intervals.
  std::string text(const Embedding& embedding, const RunReport& report) const {
    Columns<Record> columns{
        {"process", Shown::figure, &Record::process},
        {"node", Shown::figure, [&](const Record& record) {
           return record.process >= embedding.process_count()
                      ? CellValue{"host"}
                      : CellValue{embedding.node_of(ProcessId{record.process}).index()};
         }}};
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      columns.push_back({stages_[stage], Shown::exact_time,
                         [stage](const Record& record) { return record.stage_ends[stage]; }});
    }
    columns.push_back({"end", Shown::exact_time, [&](const Record& record) {
                         return record.process < report.process_ends.size()
                                    ? CellValue{report.process_ends[record.process]}
                                    : CellValue{};
                       }});
    columns.push_back({"waiting", Shown::text, [](const Record& record) {
                         return joined(record.waits, " ", [](const Interval& wait) {
                           return fmt::format("[{}, {})", format_time(wait.begin),
                                              format_time(wait.end));
                         });
                       }});
    return text_table(columns, records_).text();
  }

 private:
  struct Record {
    std::uint32_t process;
    std::vector<std::optional<Ticks>> stage_ends;
    std::vector<Interval> waits;
  };

  std::vector<std::string> stages_;  ///< names
  std::vector<Record> records_;
};

struct RunOptions {
  ScenarioRequest scenario;
  DisplayOptions display;
  std::string execution;
  OutputOptions outputs;
  TraceFilter trace;
  bool processes = false;
  bool why = false;
};

/// A run takes more memory with the record that --why keeps.
void check_record_fits(const Scenario& scenario) {
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

/// What options and outputs make a run record: of processes, causes, traffic and traces.
class RunRecords {
 public:
  /// The scenario must outlive the records. Throws InputError where one cannot be made, MemoryError
  /// where the run does not fit in memory with it.
  RunRecords(const RunOptions& options, const RunOutputs& outputs, const Scenario& scenario)
      : scenario_{scenario}, display_{options.display}, traffic_files_{outputs.traffic} {
    const std::uint32_t process_count = run_size(scenario).processes;
    if (options.processes) {
      check_table_size(display_, process_count);
      observers_.add(processes_.emplace(process_count, *scenario.program));
    }
    if (options.why) {
      expect_explicable(*scenario.run_machine);
      check_record_fits(scenario);
      observers_.add(causes_.emplace(process_count, scenario.machine->links));
    }
    if (!outputs.traffic.empty()) {
      observers_.add(traffic_.emplace(scenario.program->guest().process_count()));
    }
    trace_ = trace_recorder(options.trace, outputs.traces, scenario);
    if (trace_) {
      observers_.add(*trace_);
    }
  }

  /// Null where nothing is recorded.
  Observer* observer() { return observers_.observer(); }
  void explain(RunResult& result) const {
    if (causes_) {
      result.explanation = explain_run(scenario_, *causes_, result.report);
    }
  }
  /// The times of every process and an empty line, or nothing.
  std::string process_table(const RunReport& report) const {
    return processes_ ? processes_->text(*scenario_.embedding, report) + "\n" : "";
  }
  /// Lets the plan write the files of traffic and traces.
  void add_writers(const RunResult& result, OutputPlan& plan) const {
    for (const TrafficFile& file : traffic_files_) {
      plan.add_writer([&] { write_file(file.file, file.format->write(traffic_->traffic())); });
    }
    if (trace_) {
      plan.add_writer(
          [&] { write_trace(*trace_, scenario_, result, display_.lists(), display_.progress()); });
    }
  }

 private:
  const Scenario& scenario_;
  const DisplayOptions& display_;
  const std::vector<TrafficFile>& traffic_files_;
  ObserverList observers_;
  std::optional<ProcessTable> processes_;
  std::optional<CausalRecord> causes_;
  std::optional<TrafficRecorder> traffic_;
  std::unique_ptr<TraceRecorder> trace_;
};

Scenario load(const RunOptions& options) {
  Scenario scenario = [&] {
    try {
      return load_showing_progress(options.scenario, options.display.progress());
    } catch (const InputError& complaint) {
      refuse_program_output(options.outputs, complaint);
      throw;
    }
  }();
  if (!options.execution.empty()) {
    scenario.execution = options.execution == "actors" ? Execution::actors : Execution::coroutines;
  }
  return scenario;
}

std::string summary(const Scenario& scenario, const RunResult& result) {
  return run_summary(scenario, result) +
         (result.explanation ? "\n" + explanation_text(scenario, result) : "");
}

RunResult run_showing_progress(const RunOptions& options, Scenario& scenario, Observer* observer) {
  TickingProgress progress{options.display.progress(), fmt::format("simulating {}", scenario.name)};
  return run_scenario(scenario, observer, [&progress](std::uint32_t ended, Ticks time) {
    progress.show(fmt::format("at {}, {} ended", readable_seconds(to_seconds(time)),
                              counted(ended, "process")));
  });
}

ExitStatus run(RunOptions options) {
  exit_on_interrupt();
  OutputPlan plan{options.display};
  if (options.processes) {
    plan.prints("--processes");
  }
  const RunOutputs outputs = plan_run_outputs(options.outputs, options.scenario, plan);
  Scenario scenario = load(options);
  plan.reads(scenario.inputs);
  const std::filesystem::path folder =
      outputs.results.empty() ? "" : outputs.results.front().parent_path();
  const auto program_output = plan_program_output(scenario, folder, plan);
  put_programs(outputs, scenario, plan);
  RunRecords records{options, outputs, scenario};
  const RunResult result = at_least_at(scenario.source, [&] {
    RunResult ended = run_showing_progress(options, scenario, records.observer());
    records.explain(ended);
    return ended;
  });

  const auto json_in = [&](const std::filesystem::path& place) {
    return run_result_json(scenario, result, options.display.lists(), place);
  };
  for (const std::filesystem::path& file : outputs.results) {
    plan.put(file, json_in(file.parent_path()));
  }
  std::string text = records.process_table(result.report);
  const bool has_summary = !options.display.json && !options.display.quiet;
  text += options.display.json ? json_in({}) : has_summary ? summary(scenario, result) : "";
  for (OutputFile& file : scenario.program->output_files()) {
    plan.put(*program_output, std::move(file.content));
    text += has_summary ? fmt::format("wrote {}\n", program_output->string()) : "";
  }
  records.add_writers(result, plan);
  const ExitStatus written = plan.finish(text);
  if (result.report.outcome == Outcome::completed) {
    return written;
  }
  complain_in_lines(failure_report(scenario, result.report));
  return written == ExitStatus::done ? ExitStatus::experiment_failed : written;
}

}  // namespace

void run_command(CommandLine& line) {
  auto [parser, options] =
      line.add<RunOptions>("run", "Simulate a scenario and say where the time went", run);
  add_scenario_argument(parser, options->scenario).required();
  add_scenario_changes(parser, options->scenario);
  parser
      .option("--execution", options->execution, "MODE",
              "how processes run, actors or coroutines; never changes a result")
      .one_of(executions);
  add_run_outputs(parser, options->outputs);
  add_trace_filter_options(parser, options->trace);
  const Option json = add_display_options(parser, options->display);
  parser.flag("--processes", options->processes, "print the times of every process").excludes(json);
  parser.flag("--why", options->why,
              "explain the makespan: the critical path, and why processes waited");
  parser.examples("dcube run scenarios/quickstart.json --embedding xor --processes");
}

}  // namespace dcube::app
