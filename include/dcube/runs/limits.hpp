#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace dcube {

/// Every `count`-th run, from the `index`-th on; `index` is 0 .. count-1.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// Limits of a batch of simulations, each in a child process, and the folder that keeps them.
struct SimulationLimits {
  std::optional<std::uint32_t> at_once{};  ///< default: one a processor, as far as they fit
  std::optional<std::chrono::nanoseconds> timeout{};  ///< of each simulation
  /// Hears now and then how many of how many simulations have ended.
  std::function<void(std::size_t ended, std::size_t all)> on_progress{};
  /// A folder that keeps what came of every run, so that the same call goes on where it was ended;
  /// it may hold the runs of many calls. Empty: nothing is kept.
  std::filesystem::path records{};
  Shard shard{};  ///< the runs that this process makes
  /// The ranks of MPI share the runs: rank 0 has the answer, the others work for it.
  bool mpi = false;

  /// Limits for runs that follow from others, and so are made by one process.
  SimulationLimits alone() const {
    SimulationLimits limits = *this;
    limits.shard = {};
    limits.mpi = false;
    return limits;
  }
};

}  // namespace dcube
