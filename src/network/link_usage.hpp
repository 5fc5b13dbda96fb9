#pragma once

#include <cstdint>
#include <optional>

#include "dcube/network/network.hpp"
#include "dcube/topology/run_tally.hpp"
#include "hop_costs.hpp"
#include "servers.hpp"

namespace dcube {

/// Counts the messages over each link and how long they use it, a stretch at a time. While all
/// messages have one size and a link costs the same both ways, crossings tell both.
class LinkUsage {
 public:
  LinkUsage(const Servers& servers, const HopCosts& costs);

  /// A message of this row of the costs takes the stretch.
  void add(const Stretch& stretch, std::uint32_t row);
  std::uint64_t hop_count() const { return hop_count_; }
  LinkCounters counters() const;

 private:
  void count_busy_from_here();
  void add_busy(const Stretch& stretch, std::size_t block, LinkId lowest, std::uint32_t row);

  const Servers& servers_;
  const HopCosts& costs_;
  RunTally<std::uint32_t> crossings_;
  std::optional<RunTally<std::int64_t>> busy_;
  std::uint32_t only_row_ = 0;  ///< while there is no `busy_`
  std::uint64_t hop_count_ = 0;
};

}  // namespace dcube
