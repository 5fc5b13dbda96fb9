#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_plan.hpp"
#include "app/reproduce/reproduction.hpp"
#include "app/terminal/child_progress.hpp"
#include "app/terminal/output.hpp"
#include "batch/child_batch.hpp"
#include "batch/child_message.hpp"
#include "command.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube::app {
namespace {

struct ReproduceOptions {
  std::string file;
  JobsOption jobs;
  OutputOptions outputs;
  DisplayOptions display;
};

/// The number at `pointer` of a result, truth values counted as 0 and 1. Throws InputError.
double number_at(const std::string& pointer, const std::string& result) {
  const auto json = nlohmann::json::parse(result);
  const nlohmann::json::json_pointer at{pointer};
  const nlohmann::json found = json.contains(at) ? json[at] : nlohmann::json{};
  refuse_if(!found.is_number() && !found.is_boolean(), "", "no number at {} of the result",
            pointer);
  return found.is_boolean() ? static_cast<double>(found.get<bool>()) : found.get<double>();
}

/// What `dcube embed` writes, with stages and hops of 1 s.
std::string embed_json(const Scenario& scenario) {
  const Machine& machine = *scenario.machine;
  refuse_if(machine.links.routing.kind != Routing::fixed, "",
            "no measures of an embedding, since messages draw or choose their ways");
  constexpr Ticks second{1'000'000'000'000};
  return embed_result_json(*machine.topology, scenario.program->guest(), *scenario.embedding,
                           second, second, ListOutput::always, machine.node);
}

TrialFigures figures_at_pointer(const Simulation& simulation, Scenario scenario) {
  TrialFigures figures;
  if (is_of_embeddings(simulation.quantity)) {
    figures.at_pointer = number_at(simulation.pointer, embed_json(scenario));
    return figures;
  }
  const RunResult result = run_scenario(scenario);
  figures.outcome = result.report.outcome;
  if (figures.outcome == Outcome::completed) {
    figures.at_pointer =
        number_at(simulation.pointer, run_result_json(scenario, result, ListOutput::always));
  }
  return figures;
}

std::string simulate_in_child(const Simulation& simulation) {
  if (is_of_mappings(simulation.quantity)) {
    TrialFigures figures;
    figures.mapping_mean = mean_of_study(read_subcube_study(simulation.document));
    return sent(figures);
  }
  Scenario scenario = build_scenario(simulation.document, simulation.scenario);
  if (has_pointer(simulation.quantity)) {
    return sent(figures_at_pointer(simulation, std::move(scenario)));
  }
  const RunReport report = run_scenario(scenario, nullptr, {}, Findings::report).report;
  return sent(TrialFigures{.outcome = report.outcome,
                           .makespan = report.makespan,
                           .message_bytes = report.bytes,
                           .message_hops = report.hops,
                           .link_load_max = report.link_load.max,
                           .link_busy_max_s = report.utilisation_max * to_seconds(report.makespan),
                           .processes = scenario.program->guest().process_count()});
}

TrialRun trial_run(const ChildResult& result) {
  if (result.end != ChildEnd::finished) {
    return {std::nullopt, result.end == ChildEnd::interrupted ? "interrupted" : result.problem};
  }
  const auto figures = ChildReader{result.output}.read<TrialFigures>();
  if (figures.outcome != Outcome::completed) {
    return {std::nullopt, to_string(figures.outcome)};
  }
  return {figures, {}};
}

std::vector<ChildResult> simulate_all(const std::vector<Simulation>& simulations,
                                      const BatchLimits& limits) {
  const auto jobs = mapped(simulations, [](const Simulation& simulation) {
    return std::function<std::string()>{[&] { return simulate_in_child(simulation); }};
  });
  return run_showing_progress("reproducing", jobs, limits, InterruptWatch{});
}

/// How many simulations an interrupt has kept from ending.
std::ptrdiff_t interrupted(const std::vector<ChildResult>& results) {
  return std::count_if(results.begin(), results.end(), [](const ChildResult& result) {
    return result.end == ChildEnd::interrupted;
  });
}

ExitStatus reproduce(const ReproduceOptions& options) {
  const ExperimentFile experiments = load_experiments(options.file);
  const BatchLimits limits{.at_once = jobs_at_once(options.jobs, experiments.largest_run_bytes),
                           .life = ChildLife::many_jobs};
  OutputPlan plan;
  plan.reads({experiments.inputs.begin(), experiments.inputs.end()});
  const std::vector<NamedOutput> outputs = plan.writes(options.outputs);
  const std::vector<ChildResult> results = simulate_all(simulations_of(experiments), limits);
  const std::vector<TrialRun> runs = mapped(results, trial_run);
  const Reproduction reproduction = reproduction_of(options.file, experiments, runs);
  const std::ptrdiff_t missing = interrupted(results);
  for (const NamedOutput& output : outputs) {
    if (missing == 0) {  // a page with gaps is worth less than the one before
      plan.put(output.file, output.kind == "page"
                                ? reproduction_page(reproduction, output.file.string())
                                : reproduction_json(reproduction));
    }
  }
  const ExitStatus written =
      plan.finish(options.display.shown([&] { return reproduction_json(reproduction); },
                                        [&] { return reproduction_text(reproduction); }));
  if (missing > 0) {
    const auto all = static_cast<std::ptrdiff_t>(results.size());
    complain(fmt::format("{}: interrupted ({} of {} simulations done)", options.file, all - missing,
                         all));
    return ExitStatus::interrupted;
  }
  for (const std::string& line : complaints(reproduction)) {
    complain(line);
  }
  return reproduction.has_passed() ? written : ExitStatus::experiment_failed;
}

}  // namespace

void reproduce_command(CommandLine& line) {
  const auto options = std::make_shared<ReproduceOptions>();
  Parser parser =
      line.add("reproduce", "Simulate published experiments and say how far the figures agree",
               [options] { return reproduce(*options); });
  parser.argument("FILE", options->file, "the file of experiments").required().reads_file();
  add_jobs_option(parser, options->jobs);
  options->outputs.add_main(parser, "page", "write the tables as a Markdown page");
  options->outputs.add_write(parser, {{"page"}, {"result"}});
  add_json_option(parser, options->display);
  add_quiet_option(parser, options->display);
  parser.examples("dcube reproduce validation/ncube.json");
}

}  // namespace dcube::app
