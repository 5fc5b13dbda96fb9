#pragma once

#include <cstdint>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/network.hpp"

namespace dcube {

/// What a process does with its time. The five add up to the makespan for every process.
enum class Activity { compute, communication, waiting, endpoint, idle };

/// A stretch of one process's time, begin < end. Those of a process come in order; idle is left
/// out.
struct Interval {
  ProcessId process;
  Activity activity{};
  std::uint32_t stage = 0;
  Ticks begin{0};
  Ticks end{0};

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A message that has reached its destination process.
struct Delivery {
  ProcessId source;
  std::uint32_t send_number = 0;
  ProcessId destination;
  std::uint64_t bytes = 0;
  std::uint32_t hops = 0;
  Ticks start{0};
  Ticks arrival{0};

  friend bool operator==(const Delivery&, const Delivery&) = default;
};

/// Told what happens while a run goes on. Records of one instant come in no particular order.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_interval(const Interval&) {}
  virtual void on_hop(const Hop&) {}
  virtual void on_delivery(const Delivery&) {}
  /// `process` left `stage` at `time`.
  virtual void on_stage_end(ProcessId, std::uint32_t /*stage*/, Ticks /*time*/) {}
};

}  // namespace dcube
