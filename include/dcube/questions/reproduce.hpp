#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dcube/runs/limits.hpp"
#include "dcube/runs/run_cases.hpp"
#include "dcube/scenario/experiments.hpp"

namespace dcube {

struct PointResult {
  const ExperimentPoint& point;
  std::optional<double> figure{};
  std::string problem{};                  ///< why there is no figure
  std::optional<double> error_percent{};  ///< signed; nothing for a range
  bool is_within_limit = false;           ///< of the error, or within the range
};

struct ExperimentResult {
  const Experiment& experiment;
  std::vector<PointResult> points{};
  // Errors over the points with a number; nothing when there are none.
  std::optional<double> largest_error_percent{};
  std::optional<double> mean_error_percent{};
  bool has_passed = false;
};

/// Results of a file of experiments.
struct Reproduction {
  std::string file;  ///< as given
  const ExperimentFile& experiments;
  std::vector<ExperimentResult> results;  ///< one for each experiment
  std::size_t simulations = 0;            ///< simulations that the file takes
  std::size_t missing = 0;                ///< simulations that have not ended
  RunsEnd end = RunsEnd::complete;
  bool has_passed() const;
};

/// Simulates all experiments and compares what comes out with what was published. `file` is what
/// they are called, and `experiments` must outlive the result. Unless all runs are made, there are
/// no results of those that are not.
Reproduction reproduce(const std::string& file, const ExperimentFile& experiments,
                       const SimulationLimits& limits = {});

}  // namespace dcube
