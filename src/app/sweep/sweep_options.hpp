#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "app/output/output_options.hpp"
#include "app/runs/runs_options.hpp"
#include "dcube/runs/study.hpp"
#include "sweep_report.hpp"

namespace dcube::app {

/// The command line of `dcube sweep`.
struct SweepOptions {
  ScenarioRequest scenario;  ///< or a study
  std::vector<std::string> embeddings;
  std::vector<std::string> vary;
  std::vector<std::string> zip;
  std::vector<std::string> where;
  std::optional<std::uint32_t> seeds;
  std::string jitter;
  std::vector<std::string> ratios;
  std::vector<std::string> measures;
  std::string x;
  std::string lines;
  RunsOptions runs;
  std::string status;
  std::string collect;
  std::string output;
  OutputOptions outputs;
  DisplayOptions display;
  bool no_pictures = false;
  bool no_report = false;
};

// Readers of the options. Each throws InputError at the option that is to blame.
StudyPlan study_plan(const SweepOptions& options);
SweepQuestion sweep_question(const SweepOptions& options, const Study& study);

}  // namespace dcube::app
