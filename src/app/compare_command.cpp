#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "child_batch.hpp"
#include "child_figures.hpp"
#include "command.hpp"
#include "comparison.hpp"
#include "options.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace dcube::app {
namespace {

struct CompareOptions {
  ScenarioOptions scenario;
  std::vector<std::string> embeddings;
  std::string jobs;
  std::string timeout;
  std::string output;
  bool json = false;
};

struct Run {
  std::string embedding;  ///< a catalogue name or a file
  std::string label;      ///< what rows and result files are called
  ChildResult result;
};

RunFigures figures_of(const Scenario& scenario, const RunReport& report) {
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
          .fingerprint = report.fingerprint};
}

/// The figures, and after them the result as JSON.
std::string simulate_in_child(const ScenarioOptions& options, const std::string& embedding) {
  Scenario scenario = load(options, embedding);
  const RunResult result = run_scenario(scenario);
  return sent_figures(figures_of(scenario, result.report)) + run_result_json(scenario, result);
}

std::string_view received_json(const std::string& message) {
  return std::string_view{message}.substr(sizeof(RunFigures));
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

ComparisonRow row_of(const Run& run, const ScenarioOptions& options) {
  if (run.result.end != ChildEnd::finished) {
    return {run.label, outcome_of(run.result.end), run.result.problem, std::nullopt};
  }
  const RunFigures figures = received_figures<RunFigures>(run.result.output);
  std::string problem;
  if (figures.outcome != Outcome::completed) {
    problem = fmt::format("more by dcube run {} --embedding {}", options.file, run.embedding);
  }
  return {run.label, figures.outcome, problem, figures};
}

/// Those asked for, or all that fit, each checked against the scenario before anything runs.
std::vector<Run> chosen_runs(const CompareOptions& options, const Scenario& scenario) {
  std::vector<std::string> embeddings = options.embeddings;
  if (embeddings.empty()) {
    embeddings = fitting_embeddings(*scenario.machine->topology, scenario.program->guest());
  }
  std::vector<Run> runs;
  std::set<std::string> labels{"comparison"};  // its own file in the output folder
  for (const std::string& embedding : embeddings) {
    const std::string label = std::filesystem::path{embedding}.stem().string();
    if (!labels.insert(label).second) {
      throw InputError("--embedding", fmt::format("the name {} is taken", label));
    }
    load(options.scenario, embedding);
    runs.push_back({embedding, label, {}});
  }
  return runs;
}

BatchLimits batch_limits(const CompareOptions& options, const Scenario& scenario) {
  BatchLimits limits;
  limits.at_once = jobs_option(options.jobs, estimated_memory_bytes(run_size(scenario)));
  if (!options.timeout.empty()) {
    limits.timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
        duration_option("--timeout", options.timeout));
    if (limits.timeout->count() == 0) {
      throw InputError("--timeout", "0 is not a time limit (a positive duration)");
    }
  }
  return limits;
}

void simulate_all(const ScenarioOptions& options, const BatchLimits& limits,
                  const InterruptWatch& interrupt, std::vector<Run>& runs) {
  std::vector<std::function<std::string()>> jobs;
  jobs.reserve(runs.size());
  for (const Run& run : runs) {
    jobs.emplace_back([&] { return simulate_in_child(options, run.embedding); });
  }
  Progress progress{ProgressOutput::on_terminal, "comparing embeddings"};
  std::vector<ChildResult> results = run_in_children(
      jobs, limits, interrupt,
      [&](std::size_t done) { progress.show(fmt::format("{} of {} done", done, runs.size())); });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].result = std::move(results[i]);
  }
}

Comparison compared(const CompareOptions& options, const Scenario& scenario,
                    const std::vector<Run>& runs) {
  const Machine& machine = *scenario.machine;
  Comparison comparison{
      .scenario = options.scenario.file,
      .machine = fmt::format("{} ({})", machine.name, describe(*machine.topology)),
      .program = std::string{scenario.program->kind()},
      .processes = scenario.program->guest().process_count(),
      .bound = makespan_bound(scenario),
      .rows = {}};
  for (const Run& run : runs) {
    if (run.result.end == ChildEnd::interrupted) {
      comparison.is_complete = false;
    } else {
      comparison.rows.push_back(row_of(run, options.scenario));
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

void write_results(const std::filesystem::path& folder, const Comparison& comparison,
                   const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.result.end == ChildEnd::finished) {
      write_file(folder / (run.label + ".json"), received_json(run.result.output));
    }
  }
  write_file(folder / "comparison.csv", comparison_csv(comparison));
  write_file(folder / "comparison.json", comparison_json(comparison));
}

void complain_of_failures(const Comparison& comparison) {
  for (const ComparisonRow& row : comparison.rows) {
    if (row.outcome != Outcome::completed) {
      complain(fmt::format("{}: {}: {} ({})", comparison.scenario, row.embedding,
                           to_string(row.outcome), row.problem));
    }
  }
}

ExitStatus compare(const CompareOptions& options) {
  const Scenario scenario = load(
      options.scenario, options.embeddings.empty() ? std::string{} : options.embeddings.front());
  std::vector<Run> runs = chosen_runs(options, scenario);
  const BatchLimits limits = batch_limits(options, scenario);
  if (!options.output.empty()) {
    make_folder(options.output);
  }
  const InterruptWatch interrupt;
  simulate_all(options.scenario, limits, interrupt, runs);

  const Comparison comparison = compared(options, scenario, runs);
  print(options.json ? comparison_json(comparison) : comparison_table(comparison));
  if (!options.output.empty()) {
    write_results(options.output, comparison, runs);
  }
  complain_of_failures(comparison);
  if (!comparison.is_complete) {
    complain(fmt::format("{}: interrupted ({} of {} embeddings done)", comparison.scenario,
                         comparison.rows.size(), runs.size()));
    return ExitStatus::interrupted;
  }
  return comparison.has_failure() ? ExitStatus::experiment_failed : ExitStatus::done;
}

}  // namespace

Command compare_command(CLI::App& app) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* parser = app.add_subcommand(
      "compare", "Simulate a scenario under several embeddings and say which wins");
  add_scenario_options(*parser, options->scenario);
  add_name_list(*parser, "--embedding", options->embeddings,
                "embeddings to compare (default: all that fit but random)");
  add_jobs_option(*parser, options->jobs);
  parser->add_option("--timeout", options->timeout, "stop a simulation after this time")
      ->type_name("SECONDS");
  parser
      ->add_option("--output", options->output,
                   "write comparison.json, comparison.csv and every result here")
      ->type_name("FOLDER");
  parser->add_flag("--json", options->json, "print the comparison as JSON");
  parser->footer("Example:\n  dcube compare scenarios/quickstart.json --embedding standard,xor");
  return {parser, [options] { return compare(*options); }};
}

}  // namespace dcube::app
