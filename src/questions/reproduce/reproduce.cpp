#include "dcube/questions/reproduce.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "engine/simulator.hpp"
#include "reproduction.hpp"
#include "runs/child_batch.hpp"
#include "runs/child_message.hpp"
#include "scenario/link_sharing.hpp"

namespace dcube {
namespace {

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
                           second, second, ListOutput::always, machine.node, link_sharing(machine));
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

}  // namespace

Reproduction reproduce(const std::string& file, const ExperimentFile& experiments,
                       const SimulationLimits& limits) {
  const std::vector<Simulation> simulations = simulations_of(experiments);
  const auto jobs = mapped(simulations, [](const Simulation& simulation) {
    return std::function<std::string()>{[&] { return simulate_in_child(simulation); }};
  });
  const BatchLimits batch{.at_once = jobs_at_once(limits.at_once, experiments.largest_run_bytes),
                          .timeout = limits.timeout,
                          .life = ChildLife::many_jobs};
  load_simulator();
  const std::vector<ChildResult> results =
      run_in_children(jobs, batch, InterruptWatch{}, [&](std::size_t ended) {
        if (limits.on_progress) {
          limits.on_progress(ended, jobs.size());
        }
      });
  Reproduction reproduction = reproduction_of(file, experiments, mapped(results, trial_run));
  reproduction.simulations = results.size();
  reproduction.interrupted = static_cast<std::size_t>(
      std::ranges::count(results, ChildEnd::interrupted, &ChildResult::end));
  return reproduction;
}

}  // namespace dcube
