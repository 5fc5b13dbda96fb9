#pragma once

#include <cstdint>
#include <optional>

#include "dcube/core/ids.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"

namespace dcube {

/// A receive that no message has answered.
struct OpenReceive {
  ProcessId from;  ///< or anyone
  Tag tag = 0;     ///< or any_tag
  std::uint64_t bytes = 0;
};

/// The oldest one of a process when the last run ended. Known of graphs of operations alone.
std::optional<OpenReceive> open_receive(const Program& program, ProcessId process);

/// Names whom processes await that match messages themselves: the sources of their open receives.
void name_awaited(const Program& program, RunReport& report);

}  // namespace dcube
