#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dcube/core/growing_array.hpp"
#include "dcube/engine/process.hpp"
#include "dcube/engine/task.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/workload/open_receive.hpp"
#include "dcube/workload/schedule.hpp"
#include "graph_operations.hpp"
#include "sent_messages.hpp"

namespace dcube {

/// LogGP costs of operations for cpu and network interface (Alexandrov et al. 1995; LogGOPSim,
/// Hoefler et al. 2010). Costs of a message of s bytes are `fixed + per_byte * (s - 1)`.
class GraphCosts {
 public:
  /// o and O are the costs of sending and receiving, g and G the gap, S the eager limit.
  explicit GraphCosts(const EndpointModel& endpoint);

  /// Costs of one message.
  struct OfMessage {
    std::uint64_t bytes = 0;
    Ticks send{0};     ///< of the sender's cpu
    Ticks receive{0};  ///< of the receiver's cpu, from the arrival
    Ticks gap{0};      ///< of the interface, at either end
  };
  const OfMessage& of(std::uint64_t bytes) {
    OfMessage& known = known_[bytes % known_.size()];
    if (known.bytes != bytes) [[unlikely]] {
      known = {bytes, cost(endpoint_.send, bytes), receive(bytes), cost(endpoint_.gap, bytes)};
    }
    return known;
  }
  /// Time from the begin of a send until the message leaves.
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
  std::array<OfMessage, 1024> known_;  ///< [bytes modulo 1024]
};

/// State of a schedule of graphs that runs.
struct GraphSchedule {
  /// Messages on their way to a process, in two groups: those that left before an instant, and
  /// newer ones, which replace them once all have arrived. The first departure is never long past.
  class Coming {
   public:
    void note_departure(Ticks time) {
      Group& of = group(time);
      of.first = of.messages++ == 0 ? time : std::min(of.first, time);
      last_ = std::max(last_, time);
    }
    void note_arrival(Ticks departure) {
      --group(departure).messages;
      if (older_.messages == 0) {
        older_ = std::exchange(newer_, {});
        split_ = last_ + Ticks{1};
      }
    }
    /// Earliest departure of a message on its way; Ticks::max() if there is none.
    Ticks first_departure() const { return std::min(older_.start(), newer_.start()); }

   private:
    struct Group {
      std::uint32_t messages = 0;
      Ticks first{0};
      Ticks start() const { return messages == 0 ? Ticks::max() : first; }
    };
    Group& group(Ticks departure) { return departure < split_ ? older_ : newer_; }

    Group older_;
    Group newer_;
    Ticks split_{0};
    Ticks last_{0};
  };

  const Schedule& schedule;
  GraphCosts costs;
  Ticks least_transfer;                 ///< lower bound for every message
  std::vector<std::uint32_t> arrivals;  ///< [process]: messages sent to it
  std::vector<Coming> coming;   ///< [process]: messages on their way; unused if has_rendezvous
  GraphNodes nodes;             ///< of all processes, in the order in which they started
  SentMessages sent;            ///< by all; a message's tag is its number
  bool has_one_cpu = true;      ///< no operation names another cpu
  bool has_rendezvous = false;  ///< some message is above the eager limit
  std::vector<Ticks> ends;      ///< [process]: when a cpu was last busy
  std::map<ProcessId, OpenReceive> open;  ///< of processes that did not end
  /// Operations that enter at once, and their kinds. Shared, to stay in the cache.
  GrowingArray<std::uint64_t> freed;

  /// `least_transfer` may be 0.
  GraphSchedule(const Schedule& of, const EndpointModel& endpoint, Ticks least_transfer);

  /// Lower bound for the arrival of any message unknown to a process at `now`. With one cpu, a
  /// message is noted when its send starts.
  Ticks first_arrival(const Coming& of, Ticks now) const {
    const Ticks of_others = now + (has_one_cpu ? costs.overhead() : Ticks{0});
    return std::min(of.first_departure(), of_others) + least_transfer;
  }
  /// Lower bound for the begin of such a message.
  Ticks first_begin(const Coming& of, Ticks now) const {
    return std::min(of.first_departure() - costs.overhead(), now);
  }
};

/// What one process does. Its operations start as soon as what they require is done and their cpu
/// is free, and of those that can start at one instant first what entered first (GraphPlace). A
/// message is handled by the cpu and interface whose numbers its sender has.
Task<> run_graph(Process& process, GraphSchedule& graphs);

}  // namespace dcube
