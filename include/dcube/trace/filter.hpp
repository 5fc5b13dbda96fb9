#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/engine/observer.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Processes `first` .. `last`, both included.
struct ProcessRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  friend bool operator==(const ProcessRange&, const ProcessRange&) = default;
};

/// One direction of a link, by its ends.
using LinkEnds = std::pair<NodeId, NodeId>;

/// Which records a trace holds. A record is kept or left out as a whole, never cut.
struct TraceFilter {
  /// Keeps the intervals of these processes, the messages that one of them sends or receives, and
  /// the hops of such messages. The ranges ascend and do not touch. Without a value everything is
  /// kept; an empty list keeps no interval, no message, and the hops of any message.
  std::optional<std::vector<ProcessRange>> processes;
  /// Keeps the hops over these links, which ascend. Without a value all hops are kept; an empty
  /// list keeps none.
  std::optional<std::vector<LinkEnds>> links;
  /// Window: keeps records that lie in [begin, end) for a part of their time. A hop begins when its
  /// message reaches the link, a message when it leaves its sender.
  Ticks begin{0};
  Ticks end = Ticks::max();

  bool shows(ProcessId process) const;
  bool shows(NodeId from, NodeId to) const;
  bool overlaps(Ticks first, Ticks last) const;

  friend bool operator==(const TraceFilter&, const TraceFilter&) = default;
};

// Text as users and trace files write it. Each throws InputError with an empty place.

/// Reads "0-15,20" or "none", also with blanks between the parts.
std::vector<ProcessRange> parse_process_ranges(std::string_view text);
/// Reads "2->3" (one direction), "3-4" (both), several with commas between them, or "none".
std::vector<LinkEnds> parse_links(std::string_view text);
/// Reads "1s:2.5s", "1s:", ":2.5s", "12ps:13ps".
std::pair<Ticks, Ticks> parse_window(std::string_view text);

std::string format_process_ranges(const std::vector<ProcessRange>& ranges);
std::string format_links(const std::vector<LinkEnds>& links);

/// Filter that keeps what both keep.
TraceFilter both(const TraceFilter& a, const TraceFilter& b);

/// Throws InputError (place ".trace_process" or ".trace_link") when the filter names a process or
/// a link that is not there. Where only the number of nodes is known, any two may be joined.
void check_processes(const TraceFilter& filter, std::uint32_t processes);
void check_links(const TraceFilter& filter, std::uint64_t nodes);
void check_links(const TraceFilter& filter, const Topology& topology);

}  // namespace dcube
