#pragma once

#include <cstdint>

#include "dcube/engine/simulation.hpp"

namespace dcube::detail {

/// Above these, processes are coroutines unless the user says otherwise, and one host stands for
/// all nodes.
inline constexpr std::uint32_t most_actors = 65'536;

/// What `automatic` means for so many processes.
inline Execution chosen_execution(Execution asked, std::uint32_t processes) {
  if (asked != Execution::automatic) {
    return asked;
  }
  return processes <= most_actors ? Execution::actors : Execution::coroutines;
}

}  // namespace dcube::detail
