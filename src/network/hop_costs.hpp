#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "calendar.hpp"
#include "dcube/network/machine.hpp"
#include "servers.hpp"

namespace dcube {

/// What a hop costs, by message size and link: a table with a row for each size and a column for
/// each dimension, then for each cost of links that differ. The first few distinct costs have
/// lanes.
class HopCosts {
 public:
  HopCosts(const LinkModel& links, const Servers& servers);

  /// Whether the links of a dimension cost the same.
  bool are_by_dimension() const { return link_column_.empty(); }
  std::size_t size_count() const { return rows_.size(); }
  /// The row of messages of this size, which may be new.
  std::uint32_t row(std::uint64_t bytes) {
    return bytes == last_bytes_ && !rows_.empty() ? last_row_ : find_row(bytes);
  }
  /// The entry for a message of this row on a server, moving in `direction`.
  std::size_t entry(std::uint32_t row, std::uint32_t server, std::uint8_t direction) const {
    return row + (are_by_dimension() ? servers_.dimension(direction) : column(server, direction));
  }
  Instant cost(std::size_t entry) const { return costs_[entry]; }
  /// Its lane, or per_hop.
  std::uint8_t lane(std::size_t entry) const { return lane_[entry]; }
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

 private:
  /// Every lane is looked at in every instant: with many costs and sparse traffic a heap is faster.
  static constexpr std::size_t most_lanes = 4;

  std::uint32_t find_row(std::uint64_t bytes);
  std::size_t column(std::uint32_t server, std::uint8_t direction) const;
  std::uint8_t lane_for(Instant cost);

  const Servers& servers_;
  std::vector<TransferCost> columns_;
  std::vector<std::uint32_t> link_column_;  ///< 0, or the column of a link that differs; or empty
  std::map<std::uint64_t, std::uint32_t> rows_;
  std::uint64_t last_bytes_ = 0;
  std::uint32_t last_row_ = 0;
  std::vector<Instant> costs_;
  std::vector<std::uint8_t> lane_;
  std::vector<Lane> lanes_;
};

}  // namespace dcube
