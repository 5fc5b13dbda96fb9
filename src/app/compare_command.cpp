#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/children/child_batch.hpp"
#include "app/compare/compared_run.hpp"
#include "app/compare/pictures.hpp"
#include "app/compare/process_number.hpp"
#include "app/compare/scaling.hpp"
#include "app/options/options.hpp"
#include "app/report/report_timelines.hpp"
#include "app/terminal/output.hpp"
#include "app/terminal/progress.hpp"
#include "app/terminal/readable.hpp"
#include "command.hpp"
#include "report/page.hpp"
#include "report/result_file.hpp"

namespace dcube::app {
namespace {

struct CompareOptions {
  ScenarioOptions scenario;
  std::vector<std::string> embeddings;
  std::vector<std::string> processes;
  std::string jobs;
  std::string timeout;
  std::string output;
  bool json = false;
  bool no_pictures = false;
  bool no_report = false;
  bool why = false;

  ComparedThing thing() const {
    return processes.empty() ? ComparedThing::embedding : ComparedThing::process_number;
  }
  bool is_scaling() const { return thing() == ComparedThing::process_number; }
  bool has_pictures() const { return !output.empty() && !no_pictures; }
};

/// Above this number of processes a chart of every process says little.
constexpr std::uint32_t most_charted_processes = 64;

/// Under the embeddings asked for, or all that fit.
std::vector<ComparedRun> runs_by_embedding(const CompareOptions& options,
                                           const Scenario& scenario) {
  std::vector<std::string> embeddings = options.embeddings;
  if (embeddings.empty()) {
    embeddings = fitting_embeddings(*scenario.machine->topology, scenario.program->guest());
  }
  std::vector<ComparedRun> runs;
  for (const std::string& embedding : embeddings) {
    runs.push_back(compared_run(options.scenario, embedding, load(options.scenario, embedding)));
  }
  return runs;
}

/// Every number under the embeddings asked for, or under the scenario's own.
std::vector<ComparedRun> runs_by_processes(const CompareOptions& options,
                                           const Scenario& scenario) {
  const std::vector<std::uint32_t> numbers = process_numbers(options.processes);
  std::vector<std::string> embeddings = options.embeddings;
  if (embeddings.empty()) {
    embeddings.emplace_back();
  }
  std::vector<ComparedRun> runs;
  for (const std::string& embedding : embeddings) {
    for (const std::uint32_t processes : numbers) {
      const ScenarioOptions changed =
          with_processes(options.scenario, std::string{scenario.program->kind()}, processes);
      runs.push_back(
          compared_run(changed, embedding, load_with_processes(changed, embedding, processes)));
    }
  }
  return runs;
}

/// Each checked before anything runs.
std::vector<ComparedRun> chosen_runs(const CompareOptions& options, const Scenario& scenario) {
  std::vector<ComparedRun> runs = options.is_scaling() ? runs_by_processes(options, scenario)
                                                       : runs_by_embedding(options, scenario);
  std::set<std::string> labels{"comparison"};  // its own file in the output folder
  for (const ComparedRun& run : runs) {
    if (!labels.insert(run.label(options.thing())).second) {
      throw InputError("--embedding", fmt::format("the name {} is taken", run.name));
    }
  }
  return runs;
}

/// Memory that the largest takes.
std::uint64_t most_memory_bytes(const std::vector<ComparedRun>& runs) {
  std::uint64_t most = 1;
  for (const ComparedRun& run : runs) {
    most = std::max(most, run.memory_bytes);
  }
  return most;
}

BatchLimits batch_limits(const CompareOptions& options, const std::vector<ComparedRun>& runs) {
  BatchLimits limits;
  limits.at_once = jobs_option(options.jobs, most_memory_bytes(runs));
  if (!options.timeout.empty()) {
    limits.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
        duration_option("--timeout", options.timeout));
    if (limits.timeout->count() == 0) {
      throw InputError("--timeout", "0 is not a time limit (a positive duration)");
    }
  }
  return limits;
}

void simulate_all(const std::string& title, const BatchLimits& limits,
                  const InterruptWatch& interrupt, std::vector<ComparedRun>& runs) {
  std::vector<std::function<std::string()>> jobs;
  jobs.reserve(runs.size());
  for (const ComparedRun& run : runs) {
    jobs.emplace_back([&] { return simulate_compared(run); });
  }
  Progress progress{ProgressOutput::on_terminal, title};
  std::vector<ChildResult> results = run_in_children(
      jobs, limits, interrupt,
      [&](std::size_t done) { progress.show(fmt::format("{} of {} done", done, runs.size())); });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].result = std::move(results[i]);
  }
}

Comparison compared(const CompareOptions& options, const Scenario& scenario,
                    const std::vector<ComparedRun>& runs) {
  const Machine& machine = *scenario.machine;
  Comparison comparison{
      .scenario = options.scenario.file,
      .machine = fmt::format("{} ({})", machine.name, describe(*machine.topology)),
      .program = std::string{scenario.program->kind()},
      .processes = scenario.program->guest().process_count(),
      .bound = options.is_scaling() ? std::nullopt : makespan_bound(scenario),
      .rows = {}};
  for (const ComparedRun& run : runs) {
    if (run.result.end == ChildEnd::interrupted) {
      comparison.is_complete = false;
    } else {
      comparison.rows.push_back(row_of(run, options.thing()));
    }
  }
  return comparison;
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError("--output", fmt::format("{}: {}", folder, error.message()));
  }
}

/// A comparison in the form that was asked for.
class Report {
 public:
  Report(const Comparison& comparison, ComparedThing thing)
      : comparison_{comparison}, thing_{thing} {}

  std::string table() const {
    return is_scaling() ? scaling_table(comparison_) : comparison_table(comparison_);
  }
  std::string json() const {
    return is_scaling() ? scaling_json(comparison_) : comparison_json(comparison_);
  }
  std::string csv() const {
    return is_scaling() ? scaling_csv(comparison_) : comparison_csv(comparison_);
  }

  void write(const std::filesystem::path& folder, const std::vector<ComparedRun>& runs) const {
    for (const ComparedRun& run : runs) {
      if (run.result.end == ChildEnd::finished) {
        write_file(folder / (run.label(thing_) + ".json"), received_json(run));
      }
    }
    write_file(folder / "comparison.txt", table());
    write_file(folder / "comparison.csv", csv());
    write_file(folder / "comparison.json", json());
  }

  void complain_of_failures() const {
    for (const ComparisonRow& row : comparison_.rows) {
      if (row.outcome != Outcome::completed) {
        complain(fmt::format("{}: {}: {} ({})", comparison_.scenario, name(row),
                             to_string(row.outcome), row.problem));
      }
    }
  }

 private:
  bool is_scaling() const { return thing_ == ComparedThing::process_number; }
  std::string name(const ComparisonRow& row) const {
    return is_scaling() ? fmt::format("{}: {}", row.embedding, counted(row.processes, "process"))
                        : row.embedding;
  }

  const Comparison& comparison_;
  ComparedThing thing_;
};

/// The runs whose processes a picture can show one by one leave a trace for it.
void trace_small_runs(const CompareOptions& options, std::vector<ComparedRun>& runs) {
  const std::filesystem::path folder = options.output;
  for (ComparedRun& run : runs) {
    if (run.processes <= most_charted_processes) {
      run.trace = folder / (run.label(options.thing()) + "-trace.csv");
    }
  }
}

/// Their memory grows by what keeping all causes takes.
void explain_runs(std::vector<ComparedRun>& runs) {
  for (ComparedRun& run : runs) {
    run.is_explained = true;
    run.memory_bytes += run.causes_bytes;
  }
}

/// A page of all results that finished; false when SIGINT has come.
bool write_report(const CompareOptions& options, const std::vector<ComparedRun>& runs,
                  const InterruptWatch& interrupt) {
  std::vector<report::ReportedRun> reported;
  for (const ComparedRun& run : runs) {
    if (run.result.end == ChildEnd::finished) {
      const std::string label = run.label(options.thing());
      const std::string file = label + ".json";
      reported.push_back({label, file, report::read_result(std::string{received_json(run)}, file)});
    }
  }
  if (reported.empty()) {
    return true;
  }
  if (!add_timelines(reported, {.window = std::nullopt, .jobs = options.jobs}, interrupt)) {
    return false;
  }
  write_file(std::filesystem::path{options.output} / "index.html",
             report::report_page(reported, DCUBE_VERSION));
  return true;
}

ExitStatus compare(const CompareOptions& options) {
  check_hosts_option(options.scenario.hosts, options.embeddings);
  const Scenario scenario = load(
      options.scenario, options.embeddings.empty() ? std::string{} : options.embeddings.front());
  std::vector<ComparedRun> runs = chosen_runs(options, scenario);
  if (options.why) {
    explain_runs(runs);
  }
  const BatchLimits limits = batch_limits(options, runs);
  if (!options.output.empty()) {
    make_folder(options.output);
  }
  if (options.has_pictures()) {
    trace_small_runs(options, runs);
  }
  const std::string compared_things = options.is_scaling() ? "runs" : "embeddings";
  const InterruptWatch interrupt;
  simulate_all("comparing " + compared_things, limits, interrupt, runs);

  const Comparison comparison = compared(options, scenario, runs);
  const Report report{comparison, options.thing()};
  print(options.json ? report.json() : report.table());
  if (!options.output.empty()) {
    report.write(options.output, runs);
  }
  const bool makes_page = !options.output.empty() && !options.no_report && comparison.is_complete;
  const bool has_page = makes_page && write_report(options, runs, interrupt);
  report.complain_of_failures();
  if (!comparison.is_complete) {
    complain(fmt::format("{}: interrupted ({} of {} {} done)", comparison.scenario,
                         comparison.rows.size(), runs.size(), compared_things));
    return ExitStatus::interrupted;
  }
  if (makes_page && !has_page) {
    complain(fmt::format("{}: interrupted (index.html is not written)", comparison.scenario));
    return ExitStatus::interrupted;
  }
  if (options.has_pictures() &&
      draw_pictures(options.output, interrupt) == PicturesEnd::interrupted) {
    complain(fmt::format("{}: interrupted while drawing pictures", options.output));
    return ExitStatus::interrupted;
  }
  const bool has_unusable_input = std::ranges::any_of(
      runs, [](const ComparedRun& run) { return run.result.end == ChildEnd::failed; });
  if (has_unusable_input) {
    return ExitStatus::unusable_input;
  }
  return comparison.has_failure() ? ExitStatus::experiment_failed : ExitStatus::done;
}

}  // namespace

Command compare_command(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* parser = app.add_subcommand(
      "compare",
      "Simulate a scenario under several embeddings or on several numbers of processes and say "
      "which wins");
  add_scenario_options(*parser, options->scenario);
  add_name_list(*parser, "--embedding", options->embeddings,
                "embeddings to compare: names, JSON or map files (default: all that fit but "
                "random)");
  add_hosts_option(*parser, options->scenario.hosts);
  add_number_list(*parser, "--processes", options->processes,
                  "numbers of processes to compare, under the scenario's embedding or each of "
                  "--embedding");
  add_jobs_option(*parser, options->jobs);
  parser->add_option("--timeout", options->timeout, "stop a simulation after this time")
      ->type_name("TIME");
  parser
      ->add_option(
          "--output", options->output,
          "write the comparison as text, JSON and CSV, every result, pictures and a report "
          "page (index.html) here")
      ->type_name("FOLDER");
  parser->add_flag("--no-pictures", options->no_pictures,
                   "draw no pictures into the output folder");
  parser->add_flag("--no-report", options->no_report,
                   "write no index.html, for which every run is repeated");
  parser->add_flag("--why", options->why, "also say what the critical path of every run goes on");
  parser->add_flag("--json", options->json, "print the comparison as JSON");
  parser->footer(
      "Examples:\n  dcube compare scenarios/quickstart.json --embedding standard,xor\n"
      "  dcube compare scenarios/hypercube-knapsack-ncube.json --processes 1,2,4,8,16 --output "
      "knapsack");
  return {parser, [options] { return compare(*options); }};
}

}  // namespace dcube::app
