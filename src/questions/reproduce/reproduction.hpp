#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/questions/reproduce.hpp"

namespace dcube {

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

}  // namespace dcube
