#include "reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/refuse.hpp"

namespace dcube {
namespace {

/// A trial and what became of its simulations.
struct TrialResult {
  double value = 0;
  TrialFigures run;
  TrialFigures baseline;
};

/// How much less `value` is than `baseline`, in percent.
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

/// Throws InputError when there is no such figure.
double measured(Quantity quantity, std::span<const TrialResult> trials) {
  const TrialFigures& run = trials.front().run;
  const TrialFigures& baseline = trials.front().baseline;
  constexpr double bytes_per_kb = 1000;
  switch (quantity) {
    case Quantity::makespan_s:
      return to_seconds(run.makespan);
    case Quantity::rate_kb_per_s:
      refuse_if(run.makespan == Ticks{0}, "", "no rate, since the run takes no time");
      return static_cast<double>(run.message_bytes) / bytes_per_kb / to_seconds(run.makespan);
    case Quantity::saving_percent:
      return saving(to_seconds(run.makespan), to_seconds(baseline.makespan), "takes no time");
    case Quantity::best_value:
      return std::ranges::min_element(trials, {},
                                      [](const TrialResult& trial) { return trial.run.makespan; })
          ->value;
    case Quantity::crossover:
      return crossover(trials);
    case Quantity::link_load_max:
      return static_cast<double>(run.link_load_max);
    case Quantity::link_busy_max_s:
      return run.link_busy_max_s;
    case Quantity::hops_per_pair:
      return static_cast<double>(run.message_hops) / static_cast<double>(run.processes) /
             static_cast<double>(run.processes);
    case Quantity::mapping_mean:
      return run.mapping_mean;
    case Quantity::mapping_saving_percent:
      return saving(run.mapping_mean, baseline.mapping_mean, "is 0");
    case Quantity::run_result:
    case Quantity::embed_result:
      return run.at_pointer;
    case Quantity::run_ratio:
    case Quantity::embed_ratio:
      refuse_if(baseline.at_pointer == 0, "", "no ratio, since the baseline is 0");
      return run.at_pointer / baseline.at_pointer;
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

/// Takes the runs of simulations_of() one after the other.
class RunReader {
 public:
  explicit RunReader(std::span<const TrialRun> runs) : runs_{runs} {}

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
  TrialFigures next(std::string& problem) {
    expects(!runs_.empty(), "there is a run for every trial and baseline");
    const TrialRun& run = runs_.front();
    runs_ = runs_.subspan(1);
    if (problem.empty()) {
      problem = run.problem;
    }
    return run.figures.value_or(TrialFigures{});
  }

  std::span<const TrialRun> runs_;
};

}  // namespace

bool Reproduction::has_passed() const {
  return std::ranges::all_of(results,
                             [](const ExperimentResult& result) { return result.has_passed; });
}

std::vector<Simulation> simulations_of(const ExperimentFile& experiments) {
  std::vector<Simulation> simulations;
  for (const Experiment& experiment : experiments.experiments) {
    for (const ExperimentPoint& point : experiment.points) {
      for (const Trial& trial : point.trials) {
        const auto add = [&](const Params& document) {
          simulations.push_back(
              {document, experiment.scenario, experiment.quantity, point.pointer});
        };
        add(trial.document);
        if (trial.baseline) {
          add(*trial.baseline);
        }
      }
    }
  }
  return simulations;
}

Reproduction reproduction_of(const std::string& file, const ExperimentFile& experiments,
                             std::span<const TrialRun> runs) {
  Reproduction reproduction{.file = file, .experiments = experiments, .results = {}};
  RunReader reader{runs};
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

}  // namespace dcube
