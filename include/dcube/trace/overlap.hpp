#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

/// To what the exposed time of a collective in the background is lost.
enum class LostTo {
  own_time,        ///< its messages alone on their ways, and its steps
  late_start,      ///< a process had not started it yet
  other_messages,  ///< a message of it queued behind one that is not of it
  own_messages,    ///< a message of it queued behind another of it
  busy_process     ///< a process had its message, but took up another, or waited for something else
};
/// The words used in results, in the order of LostTo.
inline constexpr std::array lost_to_names{"own_time", "late_start", "other_messages",
                                          "own_messages", "busy_process"};
inline constexpr std::size_t lost_to_kinds = lost_to_names.size();

constexpr const char* to_string(LostTo to) {
  return lost_to_names.at(static_cast<std::size_t>(to));
}

/// A collective in the background of one process, from its start to the process's last step of it.
/// time = beside_compute + beside_other + exposed, and the lost times add up to `exposed`.
struct BackgroundSpan {
  ProcessId process;
  std::uint32_t collective = 0;  ///< its place in CausalRecord::collectives()
  Ticks time{0};
  Ticks beside_compute{0};                  ///< the process computed something else
  Ticks beside_other{0};                    ///< the process neither computed nor waited for it
  Ticks exposed{0};                         ///< the process waited for it
  std::array<Ticks, lost_to_kinds> lost{};  ///< [LostTo]
};

/// The collectives of one kind that processes started in one stage, and waited for. Times are sums
/// over them and over the processes, in seconds.
struct CollectiveOverlap {
  std::uint32_t stage = no_stage;
  std::string operation;  ///< "allreduce"
  /// Of starts, over all processes. 0: all were waited for at once, or never.
  std::uint64_t count = 0;
  double time_s = 0;
  double beside_compute_s = 0;
  double beside_other_s = 0;
  double exposed_s = 0;
  std::array<double, lost_to_kinds> lost_s{};  ///< [LostTo]

  struct Loss {
    LostTo to{};
    ProcessId process;  ///< late_start, busy_process
    LinkId link;        ///< of queues: link or injection server; half duplex: the lower number
    /// other_messages: the collectives to which those belong, in Overlap::collectives.
    std::optional<std::size_t> behind;
    double time_s = 0;
  };
  std::vector<Loss> losses;  ///< but its own time; longest first
};

/// What computing hid of the collectives in the background, and to what the rest was lost.
struct Overlap {
  std::vector<CollectiveOverlap> collectives;  ///< by stage and operation
  std::vector<BackgroundSpan> spans;           ///< process by process

  /// Those of which overlap could be lost.
  std::vector<const CollectiveOverlap*> started() const;
};

/// Follows each collective back from its last step on a process: to the message that the step
/// waited for, the step that sent it, and so on, until the process did not wait for it yet.
/// O(hops * log(hops)) where messages queue, otherwise O(steps * log(steps)).
Overlap explain_overlap(const ExplainedRun& run);

}  // namespace dcube
