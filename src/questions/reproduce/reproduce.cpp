#include "dcube/questions/reproduce.hpp"

#include <algorithm>
#include <cmath>
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

// --- Simulations ---

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

// --- Figures ---

/// A trial and the results of its simulations.
struct TrialResult {
  double value = 0;
  RunRecord run;
  RunRecord baseline;
};

/// Saving of `value` over `baseline`, in percent.
double saving(double value, double baseline, const char* problem) {
  refuse_if(baseline == 0, "", "no saving, since the baseline {}", problem);
  return 100 * (1 - value / baseline);
}

double crossover(std::span<const TrialResult> trials) {
  const auto first = std::ranges::find_if(trials, [](const TrialResult& trial) {
    return trial.run.makespan > trial.baseline.makespan;
  });
  refuse_if(first == trials.end(), "",
            "no crossover, since no choice takes longer than its baseline");
  return first->value;
}

/// The number that number_record() keeps.
double number_of(const RunRecord& record) {
  return record.details.empty() ? 0 : json_value(record.details).value("number", 0.0);
}

/// The figure of trials. Throws InputError when there is none.
double measured(Quantity quantity, std::span<const TrialResult> trials) {
  const RunRecord& run = trials.front().run;
  const RunRecord& baseline = trials.front().baseline;
  switch (quantity) {
    case Quantity::makespan_s:
      return to_seconds(run.makespan);
    case Quantity::rate_kb_per_s:
      refuse_if(run.makespan == Ticks{0}, "", "no rate, since the run takes no time");
      return run.value("rate_kb_per_s").value_or(0);
    case Quantity::saving_percent:
      return saving(to_seconds(run.makespan), to_seconds(baseline.makespan), "takes no time");
    case Quantity::best_value:
      return std::ranges::min_element(trials, {},
                                      [](const TrialResult& trial) { return trial.run.makespan; })
          ->value;
    case Quantity::crossover:
      return crossover(trials);
    case Quantity::link_load_max:
      return run.value("max_link_load").value_or(0);
    case Quantity::link_busy_max_s:
      return run.value("link_busy_max_s").value_or(0);
    case Quantity::hops_per_pair:
      return run.value("hops_per_pair").value_or(0);
    case Quantity::mapping_saving_percent:
      return saving(number_of(run), number_of(baseline), "is 0");
    case Quantity::mapping_mean:
    case Quantity::run_result:
    case Quantity::embed_result:
      return number_of(run);
    case Quantity::run_ratio:
    case Quantity::embed_ratio:
      refuse_if(number_of(baseline) == 0, "", "no ratio, since the baseline is 0");
      return number_of(run) / number_of(baseline);
  }
  return 0;
}

void compare(const Experiment& experiment, PointResult& result) {
  if (!result.figure) {
    return;
  }
  const Reference& reference = result.point.reference;
  if (reference.is_range) {
    result.is_within_limit = reference.low <= *result.figure && *result.figure <= reference.high;
    return;
  }
  result.error_percent = 100 * (*result.figure - reference.low) / std::abs(reference.low);
  result.is_within_limit = std::abs(*result.error_percent) <= *experiment.limit_percent;
}

void summarise(ExperimentResult& result) {
  const Experiment& experiment = result.experiment;
  double sum = 0;
  std::size_t count = 0;
  for (const PointResult& point : result.points) {
    if (point.error_percent) {
      const double error = std::abs(*point.error_percent);
      result.largest_error_percent = std::max(result.largest_error_percent.value_or(0), error);
      sum += error;
      ++count;
    }
  }
  if (count > 0) {
    result.mean_error_percent = sum / static_cast<double>(count);
  }
  const bool is_mean_within = !experiment.mean_limit_percent || !result.mean_error_percent ||
                              *result.mean_error_percent <= *experiment.mean_limit_percent;
  result.has_passed =
      is_mean_within && std::ranges::all_of(result.points, [](const PointResult& point) {
        return point.is_within_limit;
      });
}

/// Takes the records of the simulations one after the other.
class RecordTaker {
 public:
  explicit RecordTaker(std::span<const std::optional<RunRecord>> records) : records_{records} {}

  PointResult read(const Experiment& experiment, const ExperimentPoint& point) {
    std::vector<TrialResult> trials;
    PointResult result{.point = point};
    for (const Trial& trial : point.trials) {
      trials.push_back({trial.value, next(result.problem), {}});
      if (trial.baseline) {
        trials.back().baseline = next(result.problem);
      }
    }
    try {
      if (result.problem.empty()) {
        result.figure = measured(experiment.quantity, trials);
      }
    } catch (const InputError& error) {
      result.problem = error.problem();
    }
    compare(experiment, result);
    return result;
  }

 private:
  /// The first problem of a point is kept.
  RunRecord next(std::string& problem) {
    expects(!records_.empty(), "there is a record for every trial and baseline");
    const std::optional<RunRecord>& record = records_.front();
    records_ = records_.subspan(1);
    if (problem.empty()) {
      problem = record ? record->problem : "interrupted";
    }
    return record.value_or(RunRecord{});
  }

  std::span<const std::optional<RunRecord>> records_;
};

}  // namespace

bool Reproduction::has_passed() const {
  return std::ranges::all_of(results,
                             [](const ExperimentResult& result) { return result.has_passed; });
}

Reproduction reproduction_of(const std::string& file, const ExperimentFile& experiments,
                             std::span<const std::optional<RunRecord>> records) {
  Reproduction reproduction{.file = file, .experiments = experiments, .results = {}};
  reproduction.simulations = records.size();
  reproduction.missing = static_cast<std::size_t>(
      std::ranges::count_if(records, [](const auto& record) { return !record; }));
  RecordTaker reader{records};
  for (const Experiment& experiment : experiments.experiments) {
    ExperimentResult result{.experiment = experiment};
    for (const ExperimentPoint& point : experiment.points) {
      result.points.push_back(reader.read(experiment, point));
    }
    summarise(result);
    reproduction.results.push_back(std::move(result));
  }
  return reproduction;
}

Reproduction reproduce(const std::string& file, const ExperimentFile& experiments,
                       const SimulationLimits& limits) {
  const CaseRecords made = run_cases(cases_of(experiments), limits);
  Reproduction reproduction = reproduction_of(file, experiments, made.records);
  reproduction.end = made.end;
  return reproduction;
}

}  // namespace dcube
