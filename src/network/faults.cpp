#include <utility>

#include "network_impl.hpp"

// Failures of links and nodes during a run.

namespace dcube {

/// Notes the first by (source, send number, packet), whatever the order of calls.
void Network::Impl::note_cut_off(const Message& message) {
  const Message::Priority priority = message.priority();
  const std::uint32_t packet = Packets::number(message);
  if (!cut_off_ ||
      std::pair{priority, packet} <
          std::pair{Message::Priority{cut_off_->source, cut_off_->send_number}, cut_off_packet_}) {
    cut_off_packet_ = packet;
    cut_off_ = {ticks(now()),        message.source, message.send_number,
                message.destination, message.at,     message.to};
  }
}

/// Applies failures up to the next instant; `next` may become an earlier one. False: it is past
/// `last`. Nothing fails after the last event.
bool Network::Impl::go_with_care(Instant& next, Instant last) {
  const bool is_fault = next_fault_ < faults_.size() && next != RadixHeap<Timed>::never &&
                        static_cast<Instant>(faults_[next_fault_].at.count()) <= next;
  if (is_fault) {
    next = static_cast<Instant>(faults_[next_fault_].at.count());
  }
  if (next > last) {
    return false;
  }
  if (is_fault) {
    calendar_.now = next;
    fail(*faults_[next_fault_++].left);
  }
  return true;
}

/// When a hop that is not over began.
Instant Network::Impl::began(const HopEvent& hop, Instant finish) const {
  const auto direction = static_cast<std::uint8_t>(hop.direction & ~release_flag);
  return finish - costs_.advance(messages_[MessageId{hop.message}].cost_row, hop.server, direction);
}

/// Links fail at this instant before anything else. Hops that end now have been made.
void Network::Impl::fail(const Topology& left) {
  ways_.change(left);
  const auto fails = [&](const HopEvent& hop) {
    return hop.server < servers_.topology().link_slots() && !ways_.works(LinkId{hop.server});
  };
  const auto take = [&](const HopEvent& hop) { failed_hops_.push_back(hop); };
  const auto keep = [&](const HopEvent& hop, Instant finish) {
    const bool stays = finish <= now() || !fails(hop);
    if (!stays) {
      arbiter_.undo(hop, began(hop, finish));
      take(hop);
    }
    return stays;
  };
  for (Lane& lane : costs_.lanes()) {
    lane.filter(keep);
  }
  calendar_.heap.filter(
      [&](const Timed& timed) { return timed.due != Due::hop || keep(timed.hop, timed.time); });
  for (std::uint32_t server = 0; server < servers_.topology().link_slots(); ++server) {
    if (servers_.topology().link(LinkId{server}) && !ways_.works(LinkId{server})) {
      arbiter_.clear_queue(server, take);
    }
  }
  for (const HopEvent& hop : failed_hops_) {
    Message& message = messages_[MessageId{hop.message}];
    ways_.take_back(hop, message);
    const bool is_there = message.at == message.to && !ways_.passes(hop.message, message);
    if (!is_there) {
      go_on_with_care(hop.message, message);
    } else if (servers_.have_injection(Passage::in)) {
      arbiter_.arrive(
          ways_.injection(hop.message, message, Passage::in, tag_of(messages_, message)));
    } else {
      arrive_with_tail(hop.message, costs_.have_bodies() ? arbiter_.tail(hop.message) : now());
    }
  }
  failed_hops_.clear();
}

/// Ends the traffic now, after a message has been cut off. Hops that have begun end here; those
/// that would begin now or later are undone.
void Network::Impl::stop() {
  const auto undo = [&](const HopEvent& hop) {
    if (hop.server < servers_.topology().link_slots()) {
      ways_.take_back(hop, messages_[MessageId{hop.message}]);
    }
  };
  const auto end = [&](const HopEvent& hop, Instant finish) {
    if (began(hop, finish) == now()) {
      arbiter_.undo(hop, now());
      undo(hop);
    } else if (teller_.tells_all()) {
      teller_.end(hop, now());
    }
    return false;
  };
  for (std::uint32_t server = 0; server < servers_.count(); ++server) {
    arbiter_.clear_queue(server, undo);
  }
  for (Lane& lane : costs_.lanes()) {
    lane.filter(end);
  }
  calendar_.heap.filter(
      [&](const Timed& timed) { return timed.due != Due::hop || end(timed.hop, timed.time); });
}

}  // namespace dcube
