#pragma once

// Schedules under the LogGP model, simulated plainly.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dcube::testing {

/// Operation of a schedule, for the plain simulator and for GOAL. Times are in nanoseconds.
struct PlainOperation {
  enum class Kind { calc, send, receive };

  Kind kind = Kind::calc;
  std::int64_t amount = 0;  ///< calc: time; messages: bytes
  int peer = 0;             ///< -1: anyone
  int tag = 0;              ///< -1: any
  int cpu = 0;
  int nic = 0;
  /// Operations of the rank that this one waits for, and whether only for their start.
  std::vector<std::pair<int, bool>> requires_of{};
};

using PlainSchedule = std::vector<std::vector<PlainOperation>>;

/// Costs of LogGP in nanoseconds, with LogGOPSim's defaults.
struct LogGp {
  std::int64_t L = 2500, o = 1500, g = 1000, G = 6, O = 0, S = 65535;
};

/// The schedule as text in GOAL.
std::string goal_text(const PlainSchedule& schedule);

/// Time at which a cpu of each rank was last busy, by the rules of LogGOPSim and one list of events
/// of all ranks. Operations that can begin at one instant begin in the order in which they entered.
std::vector<std::int64_t> last_busy(const PlainSchedule& schedule, const LogGp& costs);

/// Computes last_busy(); false for a deadlock.
bool ends(const PlainSchedule& schedule, const LogGp& costs, std::vector<std::int64_t>& last_busy);

}  // namespace dcube::testing
