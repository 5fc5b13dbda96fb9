#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dcube/runs/case_list.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/record.hpp"
#include "fit_cases.hpp"

namespace dcube {

/// Texts of the values that are varied; none: the machine's own.
using FitTexts = std::vector<std::string>;

/// Simulates rows with values, each once.
class FitRuns {
 public:
  /// `pointers` lead into the scenarios.
  FitRuns(std::vector<FitCase> cases, std::vector<std::string> pointers,
          const SimulationLimits& limits)
      : cases_{std::move(cases)}, pointers_{std::move(pointers)}, limits_{limits.alone()} {}

  /// Makes the runs of some cases with all of the values. False after an interrupt.
  bool simulate(const std::vector<std::size_t>& rows, const std::vector<FitTexts>& values);
  /// Record of a run that has been made; its `key` is empty.
  const RunRecord& record(std::size_t row, const FitTexts& values) const {
    return records_.at({row, values});
  }
  std::size_t run_count() const { return records_.size(); }

 private:
  using Run = std::pair<std::size_t, FitTexts>;
  Params document_of(const Run& run) const;

  std::vector<FitCase> cases_;
  std::vector<std::string> pointers_;
  SimulationLimits limits_;
  std::map<Run, RunRecord> records_;
};

}  // namespace dcube
