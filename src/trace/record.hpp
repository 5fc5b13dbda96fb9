#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/network/machine.hpp"

namespace dcube::detail {

enum class RecordKind : std::uint8_t { interval, hop, message };

/// Record of a trace: an interval of a process, a hop of a message, or a message. It is flat and
/// small, because there are many and they go through files.
///
/// The order of records is that of all traces: by begin (of a message: its start), intervals before
/// hops before messages, then by process, by link and by message. No two records of a run are
/// equal.
struct TraceRecord {
  Ticks begin{0};
  RecordKind kind = RecordKind::interval;
  Activity activity{};              ///< interval
  bool has_message = false;         ///< interval
  bool is_named_backwards = false;  ///< hop: half duplex, and the link's name begins with `to`
  /// interval: process, peer, stage, source, send number; hop: from, to, source, send number,
  /// destination; message: source, send number, destination, hops.
  std::array<std::uint32_t, 5> words{};
  Ticks end{0};      ///< message: its arrival
  Ticks arrival{0};  ///< hop: when its message reached the link
  std::uint64_t bytes = 0;

  static TraceRecord of(const Interval& interval);
  static TraceRecord of(const Delivery& delivery);
  static TraceRecord of(const Hop& hop, NodeId from, NodeId to);

  // Intervals.
  ProcessId process() const { return ProcessId{words[0]}; }
  ProcessId peer() const { return ProcessId{words[1]}; }
  std::uint32_t stage() const { return words[2]; }
  // Hops.
  NodeId from() const { return NodeId{words[0]}; }
  NodeId to() const { return NodeId{words[1]}; }
  /// The ends of the link in the order in which its name has them.
  std::pair<NodeId, NodeId> link_ends() const {
    return is_named_backwards ? std::pair{to(), from()} : std::pair{from(), to()};
  }
  // Messages.
  std::uint32_t hops() const { return words[3]; }
  /// Name of a message, of a hop's message, or of the one that an interval has.
  MessageName message() const {
    switch (kind) {
      case RecordKind::interval:
        return {ProcessId{words[3]}, words[4]};
      case RecordKind::hop:
        return {ProcessId{words[2]}, words[3]};
      case RecordKind::message:
        break;
    }
    return {ProcessId{words[0]}, words[1]};
  }
  /// Destination of a message or of a hop's message.
  ProcessId destination() const { return ProcessId{words[kind == RecordKind::hop ? 4 : 2]}; }

  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
  friend bool operator<(const TraceRecord& a, const TraceRecord& b) {
    const auto rest = [](const TraceRecord& r) {
      return std::tie(r.kind, r.words, r.end, r.arrival, r.bytes, r.activity, r.has_message,
                      r.is_named_backwards);
    };
    return a.begin != b.begin ? a.begin < b.begin : rest(a) < rest(b);
  }
};
static_assert(sizeof(TraceRecord) == 56);

inline TraceRecord TraceRecord::of(const Interval& interval) {
  const MessageName message = interval.message.value_or(MessageName{});
  return {.begin = interval.begin,
          .kind = RecordKind::interval,
          .activity = interval.activity,
          .has_message = interval.message.has_value(),
          .words = {interval.process.index(), interval.peer.index(), interval.stage,
                    message.source.index(), message.send_number},
          .end = interval.end};
}

inline TraceRecord TraceRecord::of(const Delivery& delivery) {
  return {.begin = delivery.start,
          .kind = RecordKind::message,
          .words = {delivery.source.index(), delivery.send_number, delivery.destination.index(),
                    delivery.hops, 0},
          .end = delivery.arrival,
          .bytes = delivery.bytes};
}

inline TraceRecord TraceRecord::of(const Hop& hop, NodeId from, NodeId to) {
  return {.begin = hop.start,
          .kind = RecordKind::hop,
          .words = {from.index(), to.index(), hop.source.index(), hop.send_number,
                    hop.destination.index()},
          .end = hop.finish,
          .arrival = hop.arrival,
          .bytes = hop.bytes};
}

/// Name of a hop's link in results: "2->3", half duplex "2-3". See link_name().
inline std::string hop_link_name(const TraceRecord& hop, Duplex duplex) {
  const auto [first, second] = hop.link_ends();
  return fmt::format(FMT_COMPILE("{}{}{}"), first.index(), duplex == Duplex::half ? "-" : "->",
                     second.index());
}

}  // namespace dcube::detail
