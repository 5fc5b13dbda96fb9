#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/network/network.hpp"
#include "dcube/topology/run_tally.hpp"
#include "hop_costs.hpp"
#include "servers.hpp"

namespace dcube {

/// Counts the messages over each link and their time on it, a stretch at a time. While all messages
/// have one size and a link costs the same both ways, crossings give both.
///
/// Marks of 32 bits keep the counting in the cache. No link is crossed more often than hops are
/// made, so the marks move to wider counts before 2^32 hops.
class LinkUsage {
 public:
  LinkUsage(const Servers& servers, const HopCosts& costs);

  /// Counts a message of this row of costs on the stretch.
  [[gnu::always_inline]] void add(const Stretch& stretch, std::uint32_t row) {
    if (counts_plainly(stretch.hops, row)) [[likely]] {
      add_plainly(stretch.block, servers_.lowest(stretch), stretch.hops);
    } else {
      add_with_care(stretch, row);
    }
  }
  /// Whether add_plainly() does all that add() does for so many hops.
  bool counts_plainly(std::uint32_t hops, std::uint32_t row) const {
    return row == counted_row_ && hop_count_ + hops <= most_counted_;
  }
  void add_plainly(std::uint32_t block, LinkId lowest, std::uint32_t hops) {
    hop_count_ += hops;
    crossings_.add(block, lowest, hops, 1);
  }
  /// Undoes add() for a hop that failed.
  void take_back(const Stretch& hop, std::uint32_t row);
  std::uint64_t hop_count() const { return hop_count_; }
  LinkCounters counters() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void add_with_care(const Stretch& stretch, std::uint32_t row);
  void widen_crossings();
  std::vector<std::uint64_t> crossings() const;
  template <class Add>
  void add_up_busy(const std::vector<std::uint64_t>& crossings, Add&& add) const;
  void count_busy_from_here();
  void add_busy(const Stretch& stretch, LinkId lowest, std::uint32_t row);

  const Servers& servers_;
  const HopCosts& costs_;
  RunTally<std::uint32_t> crossings_;  ///< since `crossings_before_`
  std::vector<std::uint64_t> crossings_before_;
  std::optional<RunTally<Int128>> busy_;  ///< without contention, sums can exceed 63 bits
  std::uint32_t counted_row_ = 0;         ///< row of all messages; none once there is `busy_`
  std::uint64_t hop_count_ = 0;
  std::uint64_t most_counted_;  ///< largest `hop_count_` that `crossings_` can hold
};

}  // namespace dcube
