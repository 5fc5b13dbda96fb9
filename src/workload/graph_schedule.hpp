#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/workload/schedule.hpp"
#include "sent_messages.hpp"

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
  /// Messages that are on their way to a process. Those that left before an instant are counted by
  /// themselves, and when all of them are there, those that have left meanwhile take their place:
  /// so the first departure is never long past.
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
    /// No message that is on its way left earlier. Ticks::max(): there is none.
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
  Ticks least_transfer;                 ///< no message takes less
  std::vector<std::uint32_t> arrivals;  ///< messages that each process is sent
  std::vector<Coming> coming;           ///< to each process; unused where has_rendezvous
  SentMessages sent;                    ///< by all; a message's tag is its number
  bool has_one_cpu = true;              ///< nothing names another
  bool has_rendezvous = false;          ///< some message is above the eager limit
  std::vector<Ticks> ends;              ///< of each process, when a cpu was last busy
  /// Operations that enter at once, and their kinds. Shared, so that it stays in the cache.
  std::vector<std::uint64_t> freed;

  /// `least_transfer` may be 0.
  GraphSchedule(const Schedule& of, const EndpointModel& endpoint, Ticks least_transfer);

  /// Nothing that a process does not know of at `now` arrives before. With one cpu, a message is
  /// noted when its send starts.
  Ticks first_arrival(const Coming& of, Ticks now) const {
    const Ticks of_others = now + (has_one_cpu ? costs.overhead() : Ticks{0});
    return std::min(of.first_departure(), of_others) + least_transfer;
  }
  /// Nor has it begun before.
  Ticks first_begin(const Coming& of, Ticks now) const {
    return std::min(of.first_departure() - costs.overhead(), now);
  }
};

}  // namespace dcube
