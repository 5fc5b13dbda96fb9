#pragma once

#include <cstdint>
#include <optional>

#include "dcube/trace/causal_record.hpp"

namespace dcube {

/// Why a process was no further at some instant: the interval that ended just then.
///
/// Computing, endpoint costs and communication take the time of a process or of the network.
/// Waiting is no cause in itself. It leads on to the cause of the partner that was late, at the
/// same instant.
struct Cause {
  ProcessId process;
  std::uint32_t step = 0;

  friend bool operator==(const Cause&, const Cause&) = default;
};

/// The interval of the process that ends at `time`, which must be there unless the time is 0.
/// Nothing at time 0.
std::optional<Cause> cause_at(const CausalRecord& record, ProcessId process, Ticks time);

/// What the cause itself had to wait for: before a message, what its sender did; before the end of
/// waiting, what the partner did; otherwise the process's own step before. Nothing at instant 0.
std::optional<Cause> cause_before(const CausalRecord& record, const Cause& cause);

}  // namespace dcube
