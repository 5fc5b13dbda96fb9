#include "dcube/questions/reproduce.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/json_writing.hpp"
#include "core/refuse.hpp"
#include "dcube/runs/case_list.hpp"
#include "dcube/runs/make_record.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "reproduction.hpp"
#include "scenario/embed_result.hpp"

namespace dcube {
namespace {

/// The number at `pointer` of a result, truth values counted as 0 and 1. Throws InputError.
double number_at(const std::string& pointer, const std::string& result) {
  const auto json = json_value(result);
  const nlohmann::ordered_json::json_pointer at{pointer};
  const nlohmann::ordered_json found = json.contains(at) ? json[at] : nlohmann::ordered_json{};
  refuse_if(!found.is_number() && !found.is_boolean(), "", "no number at {} of the result",
            pointer);
  return found.is_boolean() ? static_cast<double>(found.get<bool>()) : found.get<double>();
}

/// The JSON of `dcube embed`, with stages and hops of 1 s.
std::string embed_json(const Scenario& scenario) {
  const Machine& machine = *scenario.machine;
  refuse_if(machine.links.routing.kind != Routing::fixed, "",
            "no measures of an embedding, since messages draw or choose their routes");
  constexpr Ticks second{1'000'000'000'000};
  return json_layout(embed_result(*machine.topology, scenario.program->guest(), *scenario.embedding,
                                  second, second, ListOutput::always, machine.node,
                                  link_sharing(machine)));
}

/// A simulation of an experiment.
struct Simulation {
  const Params& document;
  const std::filesystem::path& scenario;
  Quantity quantity;
  const std::string& pointer;

  RunRecord record() const {
    RunRecord record;
    const auto keep = [&](double number) { record.details = json_line({{"number", number}}); };
    if (is_of_mappings(quantity)) {
      keep(mean_of_study(read_subcube_study(document)));
      return record;
    }
    Scenario built = build_scenario(document, scenario);
    if (is_of_embeddings(quantity)) {
      keep(number_at(pointer, embed_json(built)));
      return record;
    }
    const RunResult result =
        run_scenario(built, nullptr, {}, has_pointer(quantity) ? Findings::all : Findings::report);
    record = record_of(built, result.report);
    if (has_pointer(quantity) && record.has_completed()) {
      keep(number_at(pointer, run_result_json(built, result, ListOutput::always)));
    }
    return record;
  }
};

/// Every simulation of a file, in the order of reproduction_of().
CaseList cases_of(const ExperimentFile& experiments) {
  std::vector<CaseList::Case> cases;
  for (const Experiment& experiment : experiments.experiments) {
    for (const ExperimentPoint& point : experiment.points) {
      const auto add = [&](const Params& document) {
        const Simulation simulation{document, experiment.scenario, experiment.quantity,
                                    point.pointer};
        cases.push_back({.identity = to_string(experiment.quantity) + point.pointer +
                                     json_text(Setting{document}),
                         .manner = {},
                         .make = [simulation] { return simulation.record(); }});
      };
      for (const Trial& trial : point.trials) {
        add(trial.document);
        if (trial.baseline) {
          add(*trial.baseline);
        }
      }
    }
  }
  return {"reproduction", std::move(cases), experiments.largest_run_bytes, experiments.inputs};
}

}  // namespace

Reproduction reproduce(const std::string& file, const ExperimentFile& experiments,
                       const SimulationLimits& limits) {
  const CaseRecords made = run_cases(cases_of(experiments), limits);
  Reproduction reproduction = reproduction_of(file, experiments, made.records);
  reproduction.end = made.end;
  return reproduction;
}

}  // namespace dcube
