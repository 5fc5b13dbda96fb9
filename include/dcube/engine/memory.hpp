#pragma once

#include <cstdint>

#include "dcube/core/errors.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// A run does not fit in this computer's memory. The user asked for something unusable here.
class MemoryError : public InputError {
 public:
  using InputError::InputError;
};

/// What decides how much memory a run takes.
struct RunSize {
  const Machine& machine;
  std::uint32_t processes = 0;
  Execution execution = Execution::automatic;
  std::uint64_t data_bytes = 0;  ///< what the program's own data take in all processes together
};

/// About what a run with one message under way per process takes at its most, libraries included.
std::uint64_t estimated_memory_bytes(const RunSize& size);

/// What this process may still use: memory that is free or can be freed, the limits of its control
/// groups and of its address space counted.
std::uint64_t available_memory_bytes();

/// Throws MemoryError, with both figures and the way out, when the run does not fit.
void expect_fits_in_memory(const RunSize& size);

}  // namespace dcube
