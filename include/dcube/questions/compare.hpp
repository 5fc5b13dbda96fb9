#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/questions/comparison.hpp"
#include "dcube/runs/limits.hpp"
#include "dcube/runs/scenario_request.hpp"

namespace dcube {

/// Whether a comparison runs every embedding a few times more, with computing times that vary, to
/// see what rests on ties.
enum class TieCheck { never, when_cheap, always };

/// Comparison that is asked for. Texts are as on the command line of `dcube compare`.
struct CompareRequest {
  ScenarioRequest scenario;
  /// The scenario's file, already read; null: the file of `scenario` is read.
  std::shared_ptr<const ScenarioSource> source{};
  /// Catalogue names, files or "own", the scenario's; empty: all that fit but random and
  /// weighted_xor, and the scenario's own, or that alone where numbers of processes are compared.
  std::vector<std::string> embeddings{};
  bool axis_orders = false;  ///< every order of the axes of the program's guest, besides
  std::string place{};       ///< objective of a map that place() finds, besides; empty: none
  std::vector<std::uint32_t> process_numbers{};  ///< each once, >= 1; empty: the scenario's
  std::vector<std::string> networks{};           ///< empty: the scenario's
  /// Numbers of links that fail at random, ascending from 0, each once; empty: none do.
  std::vector<std::uint32_t> failures{};
  std::uint32_t seeds = 10;  ///< draws of each number of failures
  TieCheck ties = TieCheck::when_cheap;
  std::uint32_t jitter_draws = 20;  ///< of computing times; fewer where only fewer are cheap
  /// Of those draws, in place of the scenario's jitter: see Jitter. Nothing: the scenario's, or a
  /// millionth.
  std::optional<std::uint64_t> jitter_part{};
  bool check_links = false;  ///< all runs are also made under fair links, whatever that takes
  bool explains = false;     ///< the critical path of every run is looked for

  ComparedThing thing() const {
    return process_numbers.empty() ? ComparedThing::embedding : ComparedThing::process_number;
  }
};

/// Simulates each run in a child process. An embedding that does not fit is a row with the reason.
/// An interrupt (SIGINT, SIGTERM) ends it early: see Comparison::is_complete. Throws InputError.
Comparison compare(const CompareRequest& request, const SimulationLimits& limits = {});

}  // namespace dcube
