#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// Why a process waited: what the chain of causes behind the awaited process was spent on
/// meanwhile. `blocked`: the awaited process never came. Whoever has the core of the node that is
/// waited for is an awaited process, too.
enum class WaitingCause {
  peer_compute,   ///< the awaited process computed
  other_compute,  ///< somebody that the awaited process waited for computed
  endpoint,       ///< somebody sent or received, or a message was in a node
  distance,       ///< a message crossed a link
  queueing,       ///< a message queued before a link
  blocked
};
/// The words used in results, in the order of WaitingCause.
inline constexpr std::array waiting_cause_names{"peer_compute", "other_compute", "endpoint",
                                                "distance",     "queueing",      "blocked"};
inline constexpr std::size_t waiting_causes = waiting_cause_names.size();

constexpr const char* to_string(WaitingCause cause) {
  return waiting_cause_names.at(static_cast<std::size_t>(cause));
}

/// The words used in results, in the order of Awaits.
inline constexpr std::array awaits_names{"blocked", "message", "partner", "receiver", "core"};

/// Waiting of one process by cause; the sum is its waiting.
using WaitingSplit = std::array<Ticks, waiting_causes>;

/// Why awaited processes were later than those that waited for them. It compares two chains of
/// causes from instant 0, one up to the end of a wait and one up to its beginning, and says how
/// much more the first spent on each kind; less is negative. The sum is the waiting that ended.
struct Lateness {
  Ticks compute{0};
  Ticks endpoint{0};
  Ticks distance{0};
  Ticks queueing{0};
};

/// Why processes waited. Sums over several processes are in seconds, since they may exceed what
/// Ticks hold.
struct WaitingCauses {
  std::vector<WaitingSplit> by_process;          ///< [process]
  std::array<double, waiting_causes> total_s{};  ///< [WaitingCause]
  double sum_s = 0;
  std::array<double, awaits_names.size()> for_s{};  ///< [Awaits], what was waited for

  std::vector<Lateness> lateness_by_process;  ///< [process that waited]
  struct LatenessTotals {
    double compute_s = 0;
    double endpoint_s = 0;
    double distance_s = 0;
    double queueing_s = 0;
  };
  LatenessTotals lateness;

  /// Waiting because messages of a group were on their way.
  struct Group {
    PairGroup group;
    double distance_s = 0;
    double queueing_s = 0;
  };
  std::vector<Group> by_group;  ///< most time first

  /// Waiting because a message queued before a link.
  struct Queue {
    LinkId link;  ///< half duplex: the lower of its two numbers
    double waiting_s = 0;
  };
  std::vector<Queue> by_link;  ///< longest first, lower number first among equals

  /// Waits of others for one process, those that block for ever included.
  struct Awaited {
    ProcessId process;
    std::uint64_t waits = 0;
    double waiting_s = 0;
  };
  std::vector<Awaited> by_awaited;  ///< longest first, lower number first among equals

  double of(WaitingCause cause) const { return total_s[static_cast<std::size_t>(cause)]; }
};

/// O(intervals * log(intervals)), however long the chains are. It takes about 100 bytes for every
/// interval that is a cause of some waiting.
WaitingCauses explain_waiting(const ExplainedRun& run);

}  // namespace dcube
