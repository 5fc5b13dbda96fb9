#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/scenario/experiments.hpp"

namespace dcube::app {

/// What a reproduction takes from one run. Trivially copyable, so that it can cross a pipe as it
/// is.
struct TrialFigures {
  Outcome outcome = Outcome::completed;
  Ticks makespan{0};
  std::uint64_t message_bytes = 0;  ///< of all messages together
  std::uint64_t message_hops = 0;   ///< likewise
  std::uint64_t link_load_max = 0;
  double link_busy_max_s = 0;  ///< of the link that was busy longest
  std::uint64_t processes = 0;
  double mapping_mean = 0;  ///< of a study of mappings, which has no makespan
  double at_pointer = 0;    ///< the number at the point's pointer, where it has one
};

/// How one simulation of a trial or a baseline ended.
struct TrialRun {
  std::optional<TrialFigures> figures;  ///< of a run that completed
  std::string problem;                  ///< why it did not
};

struct PointResult {
  const ExperimentPoint& point;
  std::optional<double> figure{};
  std::string problem{};                  ///< why there is no figure
  std::optional<double> error_percent{};  ///< signed; nothing for a range
  bool is_within_limit = false;           ///< or within the range
};

struct ExperimentResult {
  const Experiment& experiment;
  std::vector<PointResult> points{};
  // Of the points with a number; nothing when there are none.
  std::optional<double> largest_error_percent{};
  std::optional<double> mean_error_percent{};
  bool has_passed = false;
};

/// A file of experiments and what came out.
struct Reproduction {
  std::string file;  ///< as given
  const ExperimentFile& experiments;
  std::vector<ExperimentResult> results;  ///< one for each experiment
  bool has_passed() const;
};

/// Every simulation of a file, trial after trial, each followed by its baseline where it has one.
struct Simulation {
  const Params& document;
  const std::filesystem::path& scenario;
  Quantity quantity;
  const std::string& pointer;
};
std::vector<Simulation> simulations_of(const ExperimentFile& experiments);

/// `runs` are those of simulations_of(), in that order.
Reproduction reproduction_of(const std::string& file, const ExperimentFile& experiments,
                             std::span<const TrialRun> runs);

/// The simulated figure with one digit more than the reference has.
std::string figure_text(const Experiment& experiment, const PointResult& result);

/// Says of every experiment that did not pass, and of every point without a figure, why: a line
/// each.
std::vector<std::string> complaints(const Reproduction& reproduction);

// For people, for a page and for programs.
std::string reproduction_text(const Reproduction& reproduction);
/// Markdown. `page` is where it will stand.
std::string reproduction_page(const Reproduction& reproduction, const std::string& page);
std::string reproduction_json(const Reproduction& reproduction);

}  // namespace dcube::app
