#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

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

  /// Of a message.
  struct OfMessage {
    std::uint64_t bytes = 0;
    Ticks send{0};     ///< the cpu of its sender is busy
    Ticks receive{0};  ///< the cpu of its receiver is busy when it has arrived
    Ticks gap{0};      ///< the interface is busy, at either end
  };
  const OfMessage& of(std::uint64_t bytes) {
    OfMessage& known = known_[bytes % known_.size()];
    if (known.bytes != bytes) [[unlikely]] {
      known = {bytes, cost(endpoint_.send, bytes), receive(bytes), cost(endpoint_.gap, bytes)};
    }
    return known;
  }
  /// The message leaves so long after the begin of its send.
  Ticks overhead() const { return overhead_; }
  bool is_rendezvous(std::uint64_t bytes) const {
    return endpoint_.eager_limit_bytes && bytes > *endpoint_.eager_limit_bytes;
  }

 private:
  static Ticks cost(const TransferCost& of, std::uint64_t bytes) {
    return of.of(bytes > 0 ? bytes - 1 : 0);
  }
  Ticks receive(std::uint64_t bytes) const;

  EndpointModel endpoint_;
  Ticks overhead_;
  std::array<OfMessage, 1024> known_;  ///< each with its number of bytes, modulo 1024
};

/// A schedule of graphs while it runs.
struct GraphSchedule {
  /// Messages that are on their way to a process.
  struct Coming {
    std::uint32_t messages = 0;
    Ticks first{0};  ///< none of them arrives earlier
  };

  const Schedule& schedule;
  GraphCosts costs;
  Ticks least_transfer;                 ///< no message takes less
  std::vector<std::uint32_t> arrivals;  ///< messages that each process is sent
  std::vector<Coming> coming;           ///< to each process
  bool has_one_cpu = true;              ///< nothing names another
  /// Nor another interface, so messages carry their tags; else the numbers of their sends.
  bool is_plain = true;
  bool has_rendezvous = false;  ///< some message is above the eager limit
  std::vector<Ticks> ends;      ///< of each process, when a cpu was last busy

  /// `least_transfer` may be 0.
  GraphSchedule(const Schedule& of, const EndpointModel& endpoint, Ticks least_transfer);

  void note_departure(ProcessId to, Ticks time) {
    Coming& of = coming[to.index()];
    const Ticks arrival = time + least_transfer;
    of.first = of.messages++ == 0 ? arrival : std::min(of.first, arrival);
  }
  /// Nothing that a process does not know of at `now` arrives before. With one cpu, a message is
  /// noted when its send starts.
  Ticks first_arrival(const Coming& of, Ticks now) const {
    const Ticks of_others = now + least_transfer + (has_one_cpu ? costs.overhead() : Ticks{0});
    return of.messages == 0 ? of_others : std::min(of.first, of_others);
  }
};

}  // namespace dcube
