#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/network/message.hpp"
#include "dcube/network/network.hpp"

namespace dcube::detail {

/// A message as SimGrid carries it.
struct Flow {
  MessageId message;
  std::uint64_t bytes = 0;  ///< > 0
  double latency = 0;       ///< until its bytes begin to flow, in ticks, possibly not whole
  /// Flows that share a link get bandwidth in inverse proportion to their penalties; > 0.
  double penalty = 1;
  std::span<const std::uint32_t> servers;  ///< passed all at once; valid until the next flow
};

/// Both ends of a network whose links are shared by messages at one time: SimGrid carries them and
/// knows when each arrives. For the kernel it replaces Network. It does not know SimGrid: the
/// driver of the run makes flows of due messages, and reports when they land.
///
/// A server is a directed link, both directions of a half-duplex link, or an injection_server().
class FluidNetwork {
 public:
  /// The machine must outlive the network.
  explicit FluidNetwork(const Machine& machine);

  // Interface for the kernel: see Network.

  Messages& messages() { return messages_; }
  void depart(MessageId message);
  void arrive(MessageId message, Ticks time) { calendar_.push({time, Due::arrival, message}); }
  void set_alarm(Ticks time, std::uint32_t alarm) {
    calendar_.push({time, Due::alarm, MessageId{alarm}});
  }
  /// Also stops at instants at which flows are due; does not advance before they have begun.
  std::span<const MessageId> advance(Ticks horizon);
  std::span<const std::uint32_t> alarms() const { return alarms_; }
  Ticks now() const { return now_; }
  std::uint64_t hop_count() const { return hop_count_; }
  /// A link is busy for as long as its messages would take one by one.
  LinkCounters link_counters() const;

  // Interface for the driver of the run.

  bool has_due_flows() const { return !due_flows_.empty(); }
  /// Calls `begin(flow)` for each message that sets out at now(), in order of priority.
  template <class Begin>
  void begin_flows(Begin begin) {
    for (const MessageId message : sorted_due_flows()) {
      begin(flow_of(message));
    }
    due_flows_.clear();
  }
  /// The flow of a message has ended: it arrives at `time`, or at the next instant to come.
  void land(MessageId message, Ticks time);

  /// Time per byte on an otherwise idle server, in ticks.
  double per_byte(std::uint32_t server) const { return servers_[server].per_byte; }
  /// The model's factor on bandwidths.
  double bandwidth_factor() const;

 private:
  enum class Due : std::uint8_t { arrival, alarm, departure };
  struct Timed {
    Ticks time{0};
    Due due{};
    MessageId message;  ///< or the number of an alarm

    friend bool operator>(const Timed& a, const Timed& b) { return a.time > b.time; }
  };
  struct Server {
    double latency = 0;
    double per_byte = 0;
  };
  /// Sums over a route.
  struct Way {
    double latency = 0;
    double per_byte_most = 0;
    double per_byte_sum = 0;
  };

  void take_off(MessageId message);
  Way take_way(Message& message);
  Flow flow_of(MessageId message);
  std::span<const MessageId> sorted_due_flows();
  double penalty_of(double latency, double per_byte_sum) const;
  Ticks arrival_alone(const Message& message, const Way& way) const;
  double latency_factor() const;

  const Machine& machine_;
  bool is_half_duplex_;
  bool has_flows_ = false;       ///< false if messages have nothing to share
  std::vector<Server> links_;    ///< [directed link]
  std::vector<Server> servers_;  ///< [server]; `latency` is used only of injection servers
  double most_penalty_ = 0;      ///< over all ways of one server
  double least_penalty_ = 0;     ///< of ways of one server, above 0; 0 if none is

  Messages messages_;
  Ticks now_{0};
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> calendar_;
  std::vector<MessageId> due_flows_;
  std::vector<MessageId> delivered_;
  std::vector<std::uint32_t> alarms_;
  std::vector<std::uint32_t> way_;  ///< servers of the last message given to take_way()
  std::vector<std::uint64_t> crossings_;
  std::vector<double> busy_;
  std::uint64_t hop_count_ = 0;
};

}  // namespace dcube::detail
