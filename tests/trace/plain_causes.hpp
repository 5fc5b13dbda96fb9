#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/trace/critical_path.hpp"
#include "support/plain/simulator.hpp"

namespace dcube::testing {

/// Why things happened no earlier, event by event, from what was recorded of a run and nothing
/// else.
class PlainCauses {
 public:
  /// What came last: what a process did until `time`, or the arrival of a message then.
  struct Point {
    ProcessId process;  ///< of a message its sender
    Ticks time{0};
    std::optional<MessageName> arrival;
  };
  /// A piece of a chain of causes.
  struct Piece {
    CauseKind kind{};
    Ticks begin{0};
    Ticks end{0};
    ProcessId process;  ///< of a message its sender
    LinkId server;      ///< hop, queueing

    friend bool operator==(const Piece&, const Piece&) = default;
  };

  /// Servers with numbers from `link_slots` on are those of injection.
  PlainCauses(const History& history, std::uint32_t link_slots) : link_slots_{link_slots} {
    for (const Hop& hop : history.hops) {
      hops_[{hop.source, hop.send_number}].push_back(hop);
    }
    for (const Delivery& delivery : history.deliveries) {
      deliveries_[{delivery.source, delivery.send_number}] = delivery;
    }
    for (const Release& release : history.releases) {
      releases_[release.message] = release;
    }
    for (const Interval& interval : history.intervals) {
      ending_[{interval.process, interval.end}] = interval;
    }
  }

  const Delivery& delivery(const MessageName& message) const { return deliveries_.at(message); }
  bool has_arrived_by_its_end(const Interval& communication) const {
    return delivery(*communication.message).arrival == communication.end;
  }

  /// Why the message did not leave earlier.
  Point start_of(const MessageName& message) const {
    const auto release = releases_.find(message);
    return release != releases_.end() && !release->second.had_arrived
               ? cause_of(release->second)
               : Point{message.source, delivery(message).start, std::nullopt};
  }
  /// Why the process did not stop waiting earlier, or did not get a message that had arrived.
  Point end_of(const Interval& interval) const {
    if (interval.activity == Activity::communication) {
      return cause_of(releases_.at(*interval.message));
    }
    switch (interval.awaits) {
      case Awaits::message:
        return start_of(*interval.message);
      case Awaits::receiver:
        return start_of({interval.process, interval.send_number});
      default:
        return {interval.peer, interval.end, std::nullopt};
    }
  }

  /// Hands out the pieces of the chain that ends at a point, backwards, as far as some instant.
  template <class See>
  void walk(Point at, Ticks back_to, See see) const {
    walk(at, back_to, see, [](const MessageName&) {});
  }
  /// The messages of that chain.
  std::vector<MessageName> messages_behind(const Point& last, Ticks back_to) const {
    std::vector<MessageName> messages;
    walk(
        last, back_to, [](const Piece&) {},
        [&](const MessageName& message) { messages.push_back(message); });
    return messages;
  }
  std::vector<Piece> chain(const Point& last) const {
    std::vector<Piece> pieces;
    walk(last, Ticks{0}, [&](const Piece& piece) { pieces.push_back(piece); });
    std::ranges::reverse(pieces);
    return pieces;
  }

 private:
  static Point cause_of(const Release& release) {
    return {release.arrival ? release.arrival->source : release.process, release.time,
            release.arrival};
  }

  template <class See, class SeeWhole>
  void walk(Point at, Ticks back_to, See see, SeeWhole see_whole) const {
    while (at.time > back_to) {
      if (at.arrival) {
        const MessageName message = *at.arrival;
        see_whole(message);
        see_message(message, see);
        at = start_of(message);
        continue;
      }
      const Interval& last = ending_.at({at.process, at.time});
      switch (last.activity) {
        case Activity::compute:
          see(Piece{CauseKind::compute, last.begin, last.end, at.process, {}});
          at.time = last.begin;
          break;
        case Activity::endpoint:
          see(Piece{CauseKind::endpoint, last.begin, last.end, at.process, {}});
          at.time = last.begin;
          break;
        case Activity::communication:
          at = has_arrived_by_its_end(last) ? Point{last.message->source, at.time, *last.message}
                                            : end_of(last);
          break;
        default:
          at = end_of(last);
      }
    }
  }

  template <class See>
  void see_message(const MessageName& message, See see) const {
    const auto hops = hops_.find(message);
    if (hops == hops_.end()) {  // inside a node
      const Delivery& way = delivery(message);
      see(Piece{CauseKind::endpoint, way.start, way.arrival, message.source, {}});
      return;
    }
    for (auto hop = hops->second.rbegin(); hop != hops->second.rend(); ++hop) {
      if (hop->link.index() >= link_slots_) {
        see(Piece{CauseKind::endpoint, hop->start, hop->finish, message.source, {}});
      } else {
        see(Piece{CauseKind::hop, hop->start, hop->finish, message.source, hop->link});
      }
      if (hop->arrival < hop->start) {
        see(Piece{CauseKind::queueing, hop->arrival, hop->start, message.source, hop->link});
      }
      const Ticks reached =
          hop + 1 == hops->second.rend() ? delivery(message).start : (hop + 1)->finish;
      if (reached < hop->arrival) {  // a failure undid what the message had begun
        see(Piece{CauseKind::hop, reached, hop->arrival, message.source, {}});
      }
    }
  }

  std::uint32_t link_slots_;
  std::map<MessageName, std::vector<Hop>> hops_;
  std::map<MessageName, Delivery> deliveries_;
  std::map<MessageName, Release> releases_;
  std::map<std::pair<ProcessId, Ticks>, Interval> ending_;
};

/// A part as the plain causes have it.
inline PlainCauses::Piece piece_of(const PathPart& part, const Machine& machine) {
  PlainCauses::Piece piece{part.kind, part.begin, part.end, part.process, {}};
  if ((part.kind == CauseKind::hop || part.kind == CauseKind::queueing) && !part.is_lost) {
    const bool is_shared =
        machine.links.duplex == Duplex::half && !injection_server_of(*machine.topology, part.link);
    piece.server =
        is_shared ? std::min(part.link, machine.topology->reverse(part.link)) : part.link;
  }
  return piece;
}

}  // namespace dcube::testing
