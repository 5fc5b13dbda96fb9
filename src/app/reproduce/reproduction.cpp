#include "reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube::app {
namespace {

/// A trial and what became of its simulations.
struct TrialResult {
  double value = 0;
  TrialFigures run;
  TrialFigures baseline;
};

PointResult without_figure(std::string problem) { return {.problem = std::move(problem)}; }

PointResult with_figure(double figure) { return {.figure = figure}; }

PointResult rate(const TrialFigures& run) {
  if (run.makespan == Ticks{0}) {
    return without_figure("no rate, since the run takes no time");
  }
  constexpr double bytes_per_kb = 1000;
  return with_figure(static_cast<double>(run.message_bytes) / bytes_per_kb /
                     to_seconds(run.makespan));
}

PointResult saving(const TrialResult& trial) {
  if (trial.baseline.makespan == Ticks{0}) {
    return without_figure("no saving, since the baseline takes no time");
  }
  return with_figure(100 *
                     (1 - to_seconds(trial.run.makespan) / to_seconds(trial.baseline.makespan)));
}

PointResult mapping_saving(const TrialResult& trial) {
  if (trial.baseline.mapping_mean == 0) {
    return without_figure("no saving, since the baseline is 0");
  }
  return with_figure(100 * (1 - trial.run.mapping_mean / trial.baseline.mapping_mean));
}

PointResult best_value(std::span<const TrialResult> trials) {
  return with_figure(std::ranges::min_element(trials, {}, [](const TrialResult& trial) {
                       return trial.run.makespan;
                     })->value);
}

PointResult crossover(std::span<const TrialResult> trials) {
  const auto first = std::find_if(trials.begin(), trials.end(), [](const TrialResult& trial) {
    return trial.run.makespan > trial.baseline.makespan;
  });
  return first == trials.end()
             ? without_figure("no crossover, since no choice takes longer than its baseline")
             : with_figure(first->value);
}

PointResult measured(Quantity quantity, std::span<const TrialResult> trials) {
  switch (quantity) {
    case Quantity::makespan_s:
      return with_figure(to_seconds(trials.front().run.makespan));
    case Quantity::rate_kb_per_s:
      return rate(trials.front().run);
    case Quantity::saving_percent:
      return saving(trials.front());
    case Quantity::best_value:
      return best_value(trials);
    case Quantity::crossover:
      return crossover(trials);
    case Quantity::mapping_mean:
      return with_figure(trials.front().run.mapping_mean);
    case Quantity::mapping_saving_percent:
      return mapping_saving(trials.front());
  }
  return {};
}

void compare(const Experiment& experiment, const Reference& reference, PointResult& result) {
  if (!result.figure) {
    return;
  }
  if (reference.is_range) {
    result.is_within_limit = reference.low <= *result.figure && *result.figure <= reference.high;
    return;
  }
  result.error_percent = 100 * (*result.figure - reference.low) / std::abs(reference.low);
  result.is_within_limit = std::abs(*result.error_percent) <= *experiment.limit_percent;
}

void summarise(const Experiment& experiment, ExperimentResult& result) {
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
      is_mean_within && std::all_of(result.points.begin(), result.points.end(),
                                    [](const PointResult& point) { return point.is_within_limit; });
}

std::vector<std::string> point_complaints(const Experiment& experiment,
                                          const ExperimentResult& result) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const ExperimentPoint& point = experiment.points[i];
    const PointResult& outcome = result.points[i];
    if (!outcome.figure) {
      lines.push_back(fmt::format("{}: {}", point.label, outcome.problem));
    } else if (point.reference.is_range && !outcome.is_within_limit) {
      lines.push_back(fmt::format("{}: {} is not within {}", point.label,
                                  figure_text(experiment, point.reference, outcome),
                                  point.reference.text));
    }
  }
  return lines;
}

void add_limit_complaint(const char* which, std::optional<double> error,
                         std::optional<double> limit, std::vector<std::string>& lines) {
  if (error && limit && *error > *limit) {
    lines.push_back(fmt::format("the {} error is {:.2f} % (limit {} %)", which, *error, *limit));
  }
}

/// Takes the runs of simulations_of() one after the other.
class RunReader {
 public:
  explicit RunReader(std::span<const TrialRun> runs) : runs_{runs} {}

  PointResult read(const Experiment& experiment, const ExperimentPoint& point) {
    std::vector<TrialResult> trials;
    std::string problem;
    for (const Trial& trial : point.trials) {
      TrialResult result;
      result.value = trial.value;
      result.run = next(problem);
      if (trial.baseline) {
        result.baseline = next(problem);
      }
      trials.push_back(result);
    }
    PointResult result = problem.empty() ? measured(experiment.quantity, trials)
                                         : without_figure(std::move(problem));
    compare(experiment, point.reference, result);
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
  return std::all_of(results.begin(), results.end(),
                     [](const ExperimentResult& result) { return result.has_passed; });
}

std::vector<Simulation> simulations_of(const ExperimentFile& experiments) {
  std::vector<Simulation> simulations;
  for (const Experiment& experiment : experiments.experiments) {
    for (const ExperimentPoint& point : experiment.points) {
      for (const Trial& trial : point.trials) {
        simulations.push_back({trial.document, experiment.scenario, experiment.quantity});
        if (trial.baseline) {
          simulations.push_back({*trial.baseline, experiment.scenario, experiment.quantity});
        }
      }
    }
  }
  return simulations;
}

Reproduction reproduction_of(const std::string& file, const ExperimentFile& experiments,
                             std::span<const TrialRun> runs) {
  Reproduction reproduction{file, experiments, {}};
  RunReader reader{runs};
  for (const Experiment& experiment : experiments.experiments) {
    ExperimentResult result;
    for (const ExperimentPoint& point : experiment.points) {
      result.points.push_back(reader.read(experiment, point));
    }
    summarise(experiment, result);
    reproduction.results.push_back(std::move(result));
  }
  return reproduction;
}

std::vector<std::string> complaints(const Reproduction& reproduction) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < reproduction.results.size(); ++i) {
    const Experiment& experiment = reproduction.experiments.experiments[i];
    const ExperimentResult& result = reproduction.results[i];
    std::vector<std::string> own = point_complaints(experiment, result);
    add_limit_complaint("largest", result.largest_error_percent, experiment.limit_percent, own);
    add_limit_complaint("mean", result.mean_error_percent, experiment.mean_limit_percent, own);
    for (const std::string& line : own) {
      lines.push_back(fmt::format("{}: {}: {}", reproduction.file, experiment.name, line));
    }
  }
  return lines;
}

}  // namespace dcube::app
