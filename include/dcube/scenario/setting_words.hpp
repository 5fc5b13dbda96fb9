#pragma once

#include <string>

#include "dcube/network/machine.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/columns.hpp"

namespace dcube {

/// The cost of a hop with its bandwidth: "a hop takes 1 us + 20 ps a byte (50 GB/s)", "a hop takes
/// 1 s (no bandwidth)".
std::string hop_words(const Machine& machine);

/// Parts of network_words(): all, or what every network has that `--network` compares.
enum class NetworkWords { all, common };

/// Duplex, switching, packets, service, routing and failures, the last two where they are not
/// usual: "full duplex, cut-through, first come first served; failed: node 17".
std::string network_words(const Machine& machine, NetworkWords words = NetworkWords::all);

/// A run for columns that say something about it.
struct RunInWords {
  const Scenario& scenario;
  const RunResult& result;
};

/// Settings of a run in words. Columns that are shown say them to people, from the machine to the
/// answer; those with a key say those of the model in a result. A setting that a run does not have
/// is missing.
Columns<RunInWords> setting_columns();

}  // namespace dcube
