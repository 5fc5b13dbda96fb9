#include "hop_costs.hpp"

#include <algorithm>

namespace dcube {

HopCosts::HopCosts(const LinkModel& links, const Servers& servers)
    : servers_{servers}, columns_{links.per_dimension} {
  expects(columns_.size() == servers.topology().dimension_count(),
          "a link model has one cost for each dimension");
  if (!links.overrides.empty()) {
    link_column_.assign(servers.count(), 0);
  }
  std::map<TransferCost, std::uint32_t> known;
  for (const auto& [link, cost] : links.overrides) {
    const auto column = static_cast<std::uint32_t>(columns_.size());
    const auto [place, is_new] = known.emplace(cost, column);
    if (is_new) {
      columns_.push_back(cost);
    }
    link_column_[link.index()] = place->second;
  }
  lanes_.reserve(most_lanes);
}

std::uint32_t HopCosts::find_row(std::uint64_t bytes) {
  const auto [place, is_new] = rows_.emplace(bytes, static_cast<std::uint32_t>(costs_.size()));
  if (is_new) {
    for (const TransferCost& column : columns_) {
      costs_.push_back(static_cast<Instant>(hop_time(column, bytes).count()));
      lane_.push_back(lane_for(costs_.back()));
    }
  }
  last_bytes_ = bytes;
  last_row_ = place->second;
  return last_row_;
}

std::size_t HopCosts::column(std::uint32_t server, std::uint8_t direction) const {
  const std::uint32_t column = link_column_[servers_.link(server, direction).index()];
  return column != 0 ? column : servers_.dimension(direction);
}

std::uint8_t HopCosts::lane_for(Instant cost) {
  const auto known = std::ranges::find(lanes_, cost, &Lane::cost);
  if (known == lanes_.end() && lanes_.size() == most_lanes) {
    return per_hop;
  }
  const auto number = static_cast<std::uint8_t>(known - lanes_.begin());
  if (known == lanes_.end()) {
    lanes_.emplace_back(cost);
  }
  return number;
}

}  // namespace dcube
