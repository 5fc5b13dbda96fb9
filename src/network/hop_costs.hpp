#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "calendar.hpp"
#include "dcube/network/machine.hpp"
#include "servers.hpp"

namespace dcube {

/// What a hop costs, by message size and link.
///
/// A table has a row for each size and a column for each dimension, then for both passages of
/// injection, then for each cost of single links that differ. Where many links differ and messages
/// have many sizes, the table would grow without bound: sizes that come after `most_tabled` entries
/// have no row, and their costs are computed at each hop. The first few distinct costs have lanes.
class HopCosts {
 public:
  /// ContractViolation when the model does not fit the topology: a cost for each dimension, and
  /// single costs only for links in use.
  HopCosts(const LinkModel& links, const Servers& servers);

  /// About what the table for links that differ takes at its most; 0 when none does.
  static std::uint64_t estimated_bytes(const LinkModel& links, const Topology& topology);

  /// Whether the links of a dimension cost the same.
  bool are_by_dimension() const { return link_column_.empty(); }
  std::size_t size_count() const { return rows_.size(); }
  /// The row of messages of this size, which may be new.
  std::uint32_t row(std::uint64_t bytes) {
    return bytes == last_bytes_ && !rows_.empty() ? last_row_ : find_row(bytes);
  }
  /// For a message of this row on a server, moving in `direction`.
  Instant cost(std::uint32_t row, std::uint32_t server, std::uint8_t direction) const {
    return are_by_dimension() ? costs_[row + servers_.dimension(direction)]
                              : cost_of_link(row, servers_.link(server, direction));
  }
  /// For a message of this row on a link of this dimension.
  Instant cost_on(std::uint32_t row, LinkId link, std::uint32_t dimension) const {
    return are_by_dimension() ? costs_[row + dimension] : cost_of_link(row, link);
  }
  /// Starts to load what cost() will need for this server.
  void prefetch_cost(std::size_t server) const { __builtin_prefetch(first_row_.data() + server); }
  /// The lane of all hops of a message of this row that moves in `direction`, or per_hop.
  std::uint8_t lane(std::uint32_t row, std::uint8_t direction) const {
    return are_by_dimension() ? lane_of_entry_[row + servers_.dimension(direction)] : per_hop;
  }
  /// The lane of hops that cost so much, or per_hop.
  std::uint8_t lane_of(Instant cost) const {
    const auto end = lane_costs_.begin() + lanes_.size();
    const auto found = std::find(lane_costs_.begin(), end, cost);
    return found == end ? per_hop : static_cast<std::uint8_t>(found - lane_costs_.begin());
  }
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

 private:
  /// Every lane is looked at in every instant: with many costs and sparse traffic a heap is faster.
  static constexpr std::size_t most_lanes = 4;
  static constexpr std::size_t most_tabled = std::size_t{1} << 20;
  /// The "rows" of sizes that have none begin here.
  static constexpr std::uint32_t first_untabled = std::uint32_t{1} << 31;

  /// Where links differ.
  Instant cost_of_link(std::uint32_t row, LinkId link) const {
    if (row == 0) {
      return first_row_[link.index()];
    }
    const std::uint32_t column = link_column_[link.index()];
    return row < first_untabled ? costs_[row + column] : computed_cost(row, column);
  }
  Instant computed_cost(std::uint32_t row, std::uint32_t column) const;
  std::uint32_t find_row(std::uint64_t bytes);
  std::uint32_t add_row(std::uint64_t bytes);
  void tell_links_apart(const LinkModel& links);

  const Servers& servers_;
  std::vector<TransferCost> columns_;
  std::size_t lane_columns_ = 0;            ///< the first so many may have lanes of their own
  std::vector<std::uint32_t> link_column_;  ///< [link], or empty: its dimension
  std::map<std::uint64_t, std::uint32_t> rows_;
  std::uint64_t last_bytes_ = 0;
  std::uint32_t last_row_ = 0;
  std::vector<Instant> costs_;
  std::vector<std::uint8_t> lane_of_entry_;    ///< of `costs_`, where links do not differ
  std::vector<Instant> first_row_;             ///< [link], where they differ: one look, not two
  std::vector<std::uint64_t> untabled_sizes_;  ///< [row - first_untabled]
  std::vector<Lane> lanes_;
  std::array<Instant, most_lanes> lane_costs_{};
};

}  // namespace dcube
