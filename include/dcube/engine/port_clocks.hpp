#pragma once

#include <algorithm>
#include <span>

#include "dcube/engine/process.hpp"

namespace dcube::detail {

/// For a process that goes on at several ports at once, as collectives do: at each it takes its
/// steps in an order of their own, and those of one port need nothing from another. It takes up the
/// messages of the ports as they come, which changes nothing of what it does but its order.
///
/// So it does not heed the time (see RunReport). In a contention-free run every port has a
/// clock of its own, as if a port cost the others no time, so that the order of the messages does
/// not matter there at all; no run is faster at any port. What all ports cost together is counted.
class PortClocks {
 public:
  explicit PortClocks(const Process& process)
      : process_{process}, begin_{process.now_for_the_record()}, end_{begin_} {}

  /// Before a port takes its first step.
  void begin_port();
  /// After what a port does at once.
  void end_steps() { end_ = std::max(end_, process_.now_for_the_record()); }
  /// Waits for the first of the ports' receives. The port then goes on from where it was.
  Process::WaitAny wait_any(std::span<const Request> requests);
  /// When all ports are done.
  void end();

 private:
  const Process& process_;
  Ticks begin_;
  Ticks end_;
};

}  // namespace dcube::detail
