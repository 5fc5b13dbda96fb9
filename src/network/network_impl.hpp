#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "arbiter.hpp"
#include "calendar.hpp"
#include "core/going_on.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/network/network.hpp"
#include "free_flight.hpp"
#include "hop_costs.hpp"
#include "hop_teller.hpp"
#include "link_usage.hpp"
#include "packets.hpp"
#include "servers.hpp"
#include "ways.hpp"

namespace dcube {

/// The messages that advance() returns. Room for them is made beforehand.
class Handout {
 public:
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void make_room(std::size_t more) {
    if (items_.size() < size_ + more) [[unlikely]] {
      items_.resize(std::max(size_ + more, 2 * items_.size()));
    }
  }
  /// Needs make_room().
  void push(std::uint32_t message) { items_[size_++] = MessageId{message}; }
  std::span<const MessageId> all() const { return {items_.data(), size_}; }

 private:
  std::vector<MessageId> items_;
  std::size_t size_ = 0;
};

/// See network.cpp.
class Network::Impl {
 public:
  Impl(const Topology& topology, const LinkModel& links, std::function<void(const Hop&)> on_hop,
       HopReports reports)
      : is_contended_{links.contention == Contention::on},
        faults_{links.faults},
        packets_{links.packet_bytes, messages_},
        servers_{topology, links},
        teller_{messages_, servers_, std::move(on_hop), reports, !links.faults.empty()},
        costs_{links, servers_},
        usage_{servers_, costs_},
        ways_{links, servers_, costs_, usage_},
        flight_{servers_, costs_, ways_, messages_, teller_},
        arbiter_{links, servers_, costs_, messages_, calendar_, teller_},
        departs_with_care_{!is_contended_ || packets_.are_used() || !ways_.are_own()},
        goes_with_care_{ways_.may_fail() || ways_.are_chosen()},
        leaves_plainly_{is_contended_ && !departs_with_care_ && !goes_with_care_ &&
                        !servers_.are_shared() && !servers_.have_injection(Passage::out) &&
                        costs_.have_own_lanes() && !teller_.tells_all()},
        attends_hops_{teller_.tells_all() || costs_.may_stretch_bodies() ||
                      ways_.counts_messages()},
        ends_with_last_hop_{!servers_.have_injection(Passage::in) && !costs_.have_bodies() &&
                            !packets_.are_used() && !ways_.have_intermediates()} {
    expects(is_contended_ || faults_.empty(), "links that fail carry one message at a time");
    ask_to_go_on(topology.node_count());
  }

  void on_delay(Network::Delays delays) { teller_.on_delay(std::move(delays)); }
  Messages& messages() { return messages_; }
  void depart(std::uint32_t message) {
    const Message& leaving = messages_[MessageId{message}];
    const auto start = static_cast<Instant>(leaving.start.count());
    // A batch that can still be joined leaves later than now.
    if (!departs_with_care_ && calendar_.departures.can_join_latest(start) &&
        costs_.is_last_size(leaving.payload.size_bytes()) && leaving.at != leaving.to) [[likely]] {
      join_departures(message);
    } else {
      depart_apart(message);
    }
  }
  void arrive(std::uint32_t message, Instant time) {
    ++under_way_;
    calendar_.heap.push({time, event_of(message), Due::arrival});
  }
  void set_alarm(std::uint32_t alarm, Instant time) {
    calendar_.heap.push({time, event_of(alarm), Due::alarm});
  }
  std::span<const MessageId> advance(Ticks horizon);
  std::span<const std::uint32_t> alarms() const { return alarms_; }

  Instant now() const { return calendar_.now; }
  const std::optional<CutOff>& cut_off() const { return cut_off_; }
  std::uint32_t under_way() const { return under_way_; }
  const LinkUsage& usage() const { return usage_; }
  LinkCounters link_counters() const;
  const Arbiter& arbiter() const { return arbiter_; }

 private:
  [[gnu::always_inline]] void prefetch_message(std::uint32_t message) const {
    prefetch(&messages_[MessageId{message}], sizeof(Message));
  }
  static HopEvent event_of(std::uint32_t message) { return {0, message, 0, 0, 0}; }

  void join_departures(std::uint32_t number) {
    Message& message = messages_[MessageId{number}];
    message.hops = 0;
    message.cost_row = costs_.last_row();
    ++under_way_;
    calendar_.departures.push_to_latest(number);
  }
  void depart_apart(std::uint32_t message);
  void depart_with_care(std::uint32_t message, Instant start);
  void prepare(std::uint32_t message);
  Instant fly(std::uint32_t message, std::uint32_t packets);
  void set_out(std::uint32_t message, Instant start);
  /// Takes the next link of the message's way, or lets it choose one.
  [[gnu::always_inline]] void go_on(std::uint32_t number, Message& message) {
    if (goes_with_care_) [[unlikely]] {
      go_on_with_care(number, message);
    } else {
      arbiter_.arrive(ways_.next(number, message));
    }
  }
  void go_on_with_care(std::uint32_t number, Message& message);
  void choose_links();

  bool go_with_care(Instant& next, Instant last);
  Instant began(const HopEvent& hop, Instant finish) const;
  void fail(const Topology& left);
  void stop();
  void note_cut_off(const Message& message);

  Instant earliest_in_lanes() const;
  void collect(bool is_lane_due);
  void finish_lane(std::uint8_t number);
  void take_timed(const Timed& timed);
  void leave(std::uint32_t message);
  void leave_in_packets(std::uint32_t message, std::uint32_t packets);
  void leave_plainly(const Topology& topology, std::uint32_t number);
  void leave_together();
  void finish_hop(HopEvent event);
  void attend(const HopEvent& event);
  void end_way(const HopEvent& event);
  void arrive_at_node(std::uint32_t message);
  void arrive_with_tail(std::uint32_t message, Instant tail);
  void deliver(std::uint32_t message);

  bool is_contended_;
  std::vector<Fault> faults_;
  std::size_t next_fault_ = 0;
  Messages messages_;
  Packets packets_;
  Servers servers_;
  HopTeller teller_;
  HopCosts costs_;
  LinkUsage usage_;
  Ways ways_;
  FreeFlight flight_;
  Calendar calendar_;
  Arbiter arbiter_;
  bool departs_with_care_;               ///< packets, drawn or lost ways, or no contention
  bool goes_with_care_;                  ///< links may fail, or messages choose them
  bool leaves_plainly_;                  ///< messages may leave in leave_plainly()
  bool attends_hops_;                    ///< the end of a hop is told, counted or stretches bodies
  bool ends_with_last_hop_;              ///< a message whose last link is behind it has arrived
  std::vector<std::uint32_t> choosing_;  ///< messages that choose a link at the end of the instant
  Handout delivered_;
  std::vector<std::uint32_t> alarms_;
  std::optional<CutOff> cut_off_;
  std::uint32_t cut_off_packet_ = 0;  ///< number of the packet in its message
  std::vector<HopEvent> failed_hops_;
  std::uint32_t under_way_ = 0;
};

}  // namespace dcube
