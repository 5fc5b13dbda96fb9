#pragma once

#include <cstdint>

#include "dcube/core/memory.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// Whether processes are known to compute for different times, so that messages spread in time.
enum class ComputeTimes { alike, varied };

/// Parameters that decide how much memory a run takes.
struct RunSize {
  const Machine& machine;
  std::uint32_t processes = 0;
  Execution execution = Execution::automatic;
  ComputeTimes times = ComputeTimes::alike;
  std::uint64_t data_bytes = 0;  ///< the program's own data, all processes together
};

/// Bytes for each process to count the costs of `stages`; see SimulationInput::counts_stages.
constexpr std::uint64_t counted_stages_bytes(std::uint32_t stages) {
  return 24 + std::uint64_t{16} * stages;
}

/// Estimated peak memory in bytes, with a message under way per process, libraries included.
std::uint64_t estimated_memory_bytes(const RunSize& size);

/// Throws MemoryError, with both figures and a remedy, when the run does not fit.
void expect_fits_in_memory(const RunSize& size);

}  // namespace dcube
