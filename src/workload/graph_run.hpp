#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/workload/schedule.hpp"

namespace dcube {

/// What operations of a graph cost the cpu and the network interface that execute them: LogGP
/// (Alexandrov et al. 1995; LogGOPSim, Hoefler et al. 2010). Of a message of s bytes each cost is
/// `fixed + per_byte * (s - 1)`.
class GraphCosts {
 public:
  /// o and O are the costs of sending and receiving, g and G the gap, S the eager limit.
  explicit GraphCosts(const EndpointModel& endpoint);

  /// The cpu of a send is busy for `send`. The message leaves after `overhead`.
  Ticks send(std::uint64_t bytes) const { return cost(endpoint_.send, bytes); }
  Ticks overhead() const { return endpoint_.send.of(0); }
  /// The cpu is busy with a message that has arrived.
  Ticks receive(std::uint64_t bytes) const;
  /// The interface is busy, at either end.
  Ticks gap(std::uint64_t bytes) const { return cost(endpoint_.gap, bytes); }
  bool is_rendezvous(std::uint64_t bytes) const {
    return endpoint_.eager_limit_bytes && bytes > *endpoint_.eager_limit_bytes;
  }

 private:
  static Ticks cost(const TransferCost& of, std::uint64_t bytes) {
    return of.of(bytes > 0 ? bytes - 1 : 0);
  }

  EndpointModel endpoint_;
};

/// A schedule of graphs while it runs.
struct GraphSchedule {
  const Schedule& schedule;
  GraphCosts costs;
  std::vector<std::uint32_t> arrivals;  ///< messages that each process is sent
  bool has_one_cpu = true;              ///< nothing names another
  std::vector<Ticks> ends;              ///< of each process, when a cpu was last busy

  GraphSchedule(const Schedule& of, const EndpointModel& endpoint);
};

/// What one process does. Its operations start as soon as what they require is done and their cpu
/// is free, in order of the time at which they could have started, and among equals as they
/// became ready. A message is handled by the cpu and interface whose numbers its sender has.
Task<> run_graph(Process& process, GraphSchedule& graphs);

}  // namespace dcube
