#include "hop_costs.hpp"

#include <algorithm>

namespace dcube {

HopCosts::HopCosts(const LinkModel& links, const Servers& servers)
    : servers_{servers}, columns_{links.per_dimension} {
  expects(columns_.size() == servers.topology().dimension_count(),
          "a link model has one cost for each dimension");
  lane_columns_ = columns_.size();
  if (!links.overrides.empty()) {
    tell_links_apart(links);
  }
  lanes_.reserve(most_lanes);
}

/// Links that cost the same share a column. When there are too many costs for lanes, only those of
/// whole dimensions have one: few hops would use the others.
void HopCosts::tell_links_apart(const LinkModel& links) {
  link_column_.assign(servers_.count(), 0);
  for (const LinkDirection& block : servers_.topology().link_directions()) {
    std::fill_n(link_column_.begin() + block.first.index(), block.count, block.dimension);
  }
  std::map<TransferCost, std::uint32_t> known;
  for (std::uint32_t dimension = 0; dimension < columns_.size(); ++dimension) {
    known.emplace(columns_[dimension], dimension);
  }
  for (const auto& [link, cost] : links.overrides) {
    const auto column = static_cast<std::uint32_t>(columns_.size());
    const auto [place, is_new] = known.emplace(cost, column);
    if (is_new) {
      columns_.push_back(cost);
    }
    link_column_[link.index()] = place->second;
  }
  if (known.size() <= most_lanes) {
    lane_columns_ = columns_.size();
  }
}

std::uint32_t HopCosts::find_row(std::uint64_t bytes) {
  const auto [place, is_new] = rows_.emplace(bytes, static_cast<std::uint32_t>(costs_.size()));
  if (is_new) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const auto cost = static_cast<Instant>(hop_time(columns_[column], bytes).count());
      costs_.push_back(cost);
      if (column < lane_columns_ && lanes_.size() < most_lanes && lane_of(cost) == per_hop) {
        lane_costs_[lanes_.size()] = cost;
        lanes_.emplace_back(cost);
      }
    }
  }
  if (is_new && rows_.size() == 1 && !are_by_dimension()) {
    for (const std::uint32_t column : link_column_) {
      first_row_.push_back(costs_[column]);
    }
  }
  last_bytes_ = bytes;
  last_row_ = place->second;
  return last_row_;
}

}  // namespace dcube
