#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "calendar.hpp"
#include "dcube/network/machine.hpp"
#include "servers.hpp"

namespace dcube {

/// Costs of hops by message size and link: how long the message takes (advance), and has the link
/// (occupancy). Occupancies are not kept under plain store and forward, where both are equal.
///
/// The table has a row for each size and a column for each dimension, for both passages of
/// injection, and for each cost of single links that differ. Sizes after `most_tabled` entries have
/// no row, and are computed at each hop. The first few distinct costs have lanes.
class HopCosts {
 public:
  /// ContractViolation when the model does not fit the topology: it needs a cost for each
  /// dimension, and single costs only for links in use.
  HopCosts(const LinkModel& links, const Servers& servers);

  /// Estimated bytes of the full table for links that differ; 0 when none does.
  static std::uint64_t estimated_bytes(const LinkModel& links, const Topology& topology);

  /// Whether the links of a dimension cost the same.
  bool are_by_dimension() const { return link_column_.empty(); }
  /// Whether a link is taken for as long as its message takes to cross it.
  bool occupy_as_they_advance() const { return occupy_as_they_advance_; }
  /// Whether the tails of messages come after their heads.
  bool have_bodies() const { return switching_ == Switching::cut_through; }
  /// Whether a tail may be further behind its head than its present link explains, because of a
  /// slower link before it, or a wait for a way around a failure.
  bool may_stretch_bodies() const { return may_stretch_bodies_; }
  std::size_t size_count() const { return rows_.size(); }
  /// Row of messages of this size, possibly new. If bytes cost nothing, there is one row.
  std::uint32_t row(std::uint64_t bytes) {
    return is_last_size(bytes) ? last_row_ : find_row(bytes);
  }
  /// Whether row() was last called for this size.
  bool is_last_size(std::uint64_t bytes) const {
    return (bytes & size_mask_) == last_bytes_ && !rows_.empty();
  }
  std::uint32_t last_row() const { return last_row_; }
  /// Time of a message of this row on a server, moving in `direction`.
  Instant advance(std::uint32_t row, std::uint32_t server, std::uint8_t direction) const {
    return are_by_dimension() ? advances_[row + servers_.dimension(direction)]
                              : advance_of_link(row, servers_.link(server, direction));
  }
  Instant occupancy(std::uint32_t row, std::uint32_t server, std::uint8_t direction) const {
    return occupy_as_they_advance()
               ? advance(row, server, direction)
               : occupancy_of(row, column(servers_.link(server, direction), direction));
  }
  /// Whether any number of messages cross the link at a time.
  bool never_queues(std::uint32_t server, std::uint8_t direction) const {
    return columns_[column(servers_.link(server, direction), direction)].never_queues;
  }
  /// Until when a message holds the server of a hop whose occupancy ends then: a tail that comes
  /// later holds it longer.
  Instant held_until(std::uint32_t server, std::uint8_t direction, Instant end,
                     Instant tail) const {
    return tail > end && !never_queues(server, direction) ? tail : end;
  }
  /// Lag of the tail behind the head.
  Instant body(std::uint32_t row, std::uint32_t server, std::uint8_t direction) const {
    return body_of(row, column(servers_.link(server, direction), direction));
  }
  /// How long a message of this row has a link of this dimension.
  Instant occupancy_on(std::uint32_t row, LinkId link, std::uint32_t dimension) const {
    if (!occupy_as_they_advance()) {
      return occupancy_of(row, are_by_dimension() ? dimension : link_column_[link.index()]);
    }
    return are_by_dimension() ? advances_[row + dimension] : advance_of_link(row, link);
  }
  [[gnu::always_inline]] void prefetch_cost(std::size_t server) const {
    // An address in whole numbers, for the table may be empty.
    const auto table = reinterpret_cast<std::uintptr_t>(first_row_.data());
    __builtin_prefetch(reinterpret_cast<const void*>(table + server * sizeof first_row_[0]));
  }
  /// The lane of all hops of a message of this row that moves in `direction`, or per_hop.
  std::uint8_t lane(std::uint32_t row, std::uint8_t direction) const {
    return have_own_lanes() ? own_lane(row, servers_.dimension(direction)) : per_hop;
  }
  /// Whether all hops of a message in one direction belong to one lane.
  bool have_own_lanes() const { return are_by_dimension() && !may_stretch_bodies_; }
  /// lane() when have_own_lanes().
  std::uint8_t own_lane(std::uint32_t row, std::uint32_t dimension) const {
    return lane_of_entry_[row + dimension];
  }
  /// A lane of this advance, or per_hop; for hops that do not stay in one lane.
  std::uint8_t lane_of(Instant advance) const {
    const auto end = lane_advances_.begin() + lanes_.size();
    const auto found = std::find(lane_advances_.begin(), end, advance);
    return found == end ? per_hop : static_cast<std::uint8_t>(found - lane_advances_.begin());
  }
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

 private:
  /// Every lane is examined at every instant: with many costs and little traffic a heap is faster.
  static constexpr std::size_t most_lanes = 4;
  static constexpr std::size_t most_tabled = std::size_t{1} << 20;
  /// Row numbers of sizes without a row begin here.
  static constexpr std::uint32_t first_untabled = std::uint32_t{1} << 31;

  /// advance() when links of a dimension differ.
  Instant advance_of_link(std::uint32_t row, LinkId link) const {
    if (row == 0) {
      return first_row_[link.index()];
    }
    const std::uint32_t column = link_column_[link.index()];
    return row < first_untabled ? advances_[row + column]
                                : static_cast<Instant>(computed(row, column).advance.count());
  }
  std::uint32_t column(LinkId link, std::uint8_t direction) const {
    return are_by_dimension() ? servers_.dimension(direction) : link_column_[link.index()];
  }
  Instant occupancy_of(std::uint32_t row, std::uint32_t column) const {
    return row < first_untabled ? occupancies_[row + column]
                                : static_cast<Instant>(computed(row, column).occupancy.count());
  }
  Instant body_of(std::uint32_t row, std::uint32_t column) const {
    return row < first_untabled ? bodies_[row + column]
                                : static_cast<Instant>(computed(row, column).body.count());
  }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct KnownRow {
    std::uint64_t bytes = 0;
    std::uint32_t row = none;
  };

  HopTime computed(std::uint32_t row, std::uint32_t column) const;
  HopTime time_of(std::uint32_t column, std::uint64_t bytes) const;
  std::uint32_t find_row(std::uint64_t size);
  std::uint32_t add_row(std::uint64_t bytes);
  std::uint8_t lane_for(Instant advance, Instant occupancy) const;
  void tell_links_apart(const LinkModel& links);

  const Servers& servers_;
  Switching switching_;
  bool occupy_as_they_advance_ = false;
  bool may_stretch_bodies_ = false;
  std::vector<TransferCost> columns_;
  std::size_t lane_columns_ = 0;            ///< the first columns, which may have own lanes
  std::vector<std::uint32_t> link_column_;  ///< [link]; empty: the column is the link's dimension
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;
  std::array<KnownRow, 1024> recent_rows_;       ///< [bytes modulo 1024]
  std::uint64_t size_mask_ = ~std::uint64_t{0};  ///< 0: all sizes cost the same
  std::uint64_t last_bytes_ = 0;
  std::uint32_t last_row_ = 0;
  std::vector<Instant> advances_;
  std::vector<Instant> occupancies_;           ///< unless equal to the advances
  std::vector<Instant> bodies_;                ///< cut-through only
  std::vector<std::uint8_t> lane_of_entry_;    ///< of `advances_`, if have_own_lanes()
  std::vector<Instant> first_row_;             ///< [link], if links differ: saves a look-up
  std::vector<std::uint64_t> untabled_sizes_;  ///< [row - first_untabled]
  std::vector<Lane> lanes_;
  std::array<Instant, most_lanes> lane_advances_{};
};

}  // namespace dcube
