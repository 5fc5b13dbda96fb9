#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dcube::testing {

/// An operation of a schedule, as the plain simulator and the text see it. Times are nanoseconds.
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

/// The costs of LogGP in nanoseconds, with LogGOPSim's usual values.
struct LogGp {
  std::int64_t L = 2500, o = 1500, g = 1000, G = 6, O = 0, S = 65535;
};

/// The same schedule in GOAL's text.
std::string goal_text(const PlainSchedule& schedule);

/// When a cpu of each rank was last busy: the rules of LogGOPSim, one after the other, in one list
/// of events of all ranks. What can begin at one instant begins in the order in which it entered.
std::vector<std::int64_t> last_busy(const PlainSchedule& schedule, const LogGp& costs);

/// The same; false where operations wait for each other for ever.
bool ends(const PlainSchedule& schedule, const LogGp& costs, std::vector<std::int64_t>& last_busy);

}  // namespace dcube::testing
