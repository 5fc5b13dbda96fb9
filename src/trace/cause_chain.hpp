#pragma once

#include <cstdint>
#include <optional>

#include "dcube/trace/causal_record.hpp"

namespace dcube {

/// Why a process was not further at some instant than it was: the interval that ended just then.
///
/// Computing, an endpoint cost and communication took the time of a process or of the network.
/// Waiting is no cause in itself, whoever was late is: it passes on to the partner's cause at the
/// same instant.
struct Cause {
  ProcessId process;
  std::uint32_t step = 0;

  friend bool operator==(const Cause&, const Cause&) = default;
};

/// Nothing at instant 0. Needs an interval of the process to end at `time` unless that is 0.
std::optional<Cause> cause_at(const CausalRecord& record, ProcessId process, Ticks time);

/// What the cause itself had to wait for, back to instant 0: the process's own step before it; of
/// a message, what its sender did before; of waiting for a partner, what that did.
std::optional<Cause> cause_before(const CausalRecord& record, const Cause& cause);

}  // namespace dcube
