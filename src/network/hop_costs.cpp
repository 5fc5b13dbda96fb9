#include "hop_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dcube/core/errors.hpp"

namespace dcube {

HopCosts::HopCosts(const LinkModel& links, const Servers& servers)
    : servers_{servers}, switching_{links.switching}, columns_{links.per_dimension} {
  expects(columns_.size() == servers.topology().class_count(),
          "a link model has one cost for each class of links");
  if (const auto& [out, in] = links.injection; out || in) {
    // No message asks for the cost of a direction that has no limit.
    columns_.push_back(out ? *out : *in);
    columns_.push_back(in ? *in : *out);
  }
  lane_columns_ = columns_.size();
  if (!links.overrides.empty()) {
    tell_links_apart(links);
  }
  occupy_as_they_advance_ = switching_ == Switching::store_and_forward &&
                            std::ranges::count(columns_, true, &TransferCost::never_queues) == 0;
  if (std::ranges::all_of(columns_,
                          [](const TransferCost& of) { return of.per_byte == ExactTime{}; })) {
    size_mask_ = 0;
  }
  const bool has_slower_links =
      std::ranges::adjacent_find(columns_, std::ranges::not_equal_to{}, &TransferCost::per_byte) !=
      columns_.end();
  may_stretch_bodies_ = have_bodies() && (has_slower_links || !links.faults.empty());
  lanes_.reserve(most_lanes);
}

std::uint64_t HopCosts::estimated_bytes(const LinkModel& links, const Topology& topology) {
  constexpr std::uint64_t link_bytes = sizeof(std::uint32_t) + sizeof(Instant);
  constexpr std::uint64_t map_node_bytes = sizeof(TransferCost) + 48;
  constexpr std::uint64_t column_bytes =
      2 * sizeof(TransferCost) + map_node_bytes + sizeof(Instant);
  return links.overrides.empty()
             ? 0
             : topology.link_slots() * link_bytes + links.overrides.size() * column_bytes +
                   most_tabled * sizeof(Instant);
}

/// Links that cost the same share a column. With too many costs for lanes, only those of whole
/// dimensions get one: few hops would use the others.
void HopCosts::tell_links_apart(const LinkModel& links) {
  link_column_.assign(servers_.count(), 0);
  for (const LinkDirection& block : servers_.topology().link_directions()) {
    std::fill_n(link_column_.begin() + block.first.index(), block.count, block.dimension);
  }
  const std::uint32_t dimensions = servers_.topology().class_count();
  const std::uint32_t slots = servers_.topology().link_slots();
  for (std::uint32_t server = slots; server < servers_.count(); ++server) {
    const Passage passage = injection_server_of(servers_.topology(), LinkId{server})->passage;
    link_column_[server] = dimensions + (passage == Passage::out ? 0 : 1);
  }
  std::map<TransferCost, std::uint32_t> known;
  for (std::uint32_t column = 0; column < columns_.size(); ++column) {
    known.emplace(columns_[column], column);
  }
  for (const auto& [link, cost] : links.overrides) {
    if (link.index() >= slots || !servers_.topology().link(link)) {
      throw ContractViolation(
          fmt::format("link {} has a cost of its own, but no link of the topology has this number",
                      link.index()));
    }
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

std::uint32_t HopCosts::find_row(std::uint64_t size) {
  const std::uint64_t bytes = size & size_mask_;
  KnownRow& recent = recent_rows_[bytes % recent_rows_.size()];
  if (recent.row == none || recent.bytes != bytes) {
    const auto [place, is_new] = rows_.try_emplace(bytes);
    if (is_new) {
      place->second = add_row(bytes);
    }
    recent = {bytes, place->second};
  }
  last_bytes_ = bytes;
  last_row_ = recent.row;
  return last_row_;
}

std::uint32_t HopCosts::add_row(std::uint64_t bytes) {
  const auto row = static_cast<std::uint32_t>(advances_.size());
  if (row != 0 && !are_by_dimension() && row + columns_.size() > most_tabled) {
    untabled_sizes_.push_back(bytes);
    return first_untabled + static_cast<std::uint32_t>(untabled_sizes_.size() - 1);
  }
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const HopTime time = time_of(static_cast<std::uint32_t>(column), bytes);
    const auto advance = static_cast<Instant>(time.advance.count());
    const auto occupancy = static_cast<Instant>(time.occupancy.count());
    advances_.push_back(advance);
    if (!occupy_as_they_advance()) {
      occupancies_.push_back(occupancy);
    }
    if (have_bodies()) {
      bodies_.push_back(static_cast<Instant>(time.body.count()));
    }
    if (column < lane_columns_ && lanes_.size() < most_lanes &&
        lane_for(advance, occupancy) == per_hop) {
      lane_advances_[lanes_.size()] = advance;
      lanes_.emplace_back(advance, occupancy);
    }
    if (have_own_lanes()) {
      lane_of_entry_.push_back(lane_for(advance, occupancy));
    }
  }
  if (row == 0) {
    for (const std::uint32_t column : link_column_) {
      first_row_.push_back(advances_[column]);
    }
  }
  return row;
}

/// Lane of hops of this cost. If hops change lanes, only their advance must agree.
std::uint8_t HopCosts::lane_for(Instant advance, Instant occupancy) const {
  if (!have_own_lanes()) {
    return lane_of(advance);
  }
  const auto lane = std::ranges::find_if(lanes_, [=](const Lane& known) {
    return known.advance() == advance && known.occupancy() == occupancy;
  });
  return lane == lanes_.end() ? per_hop : static_cast<std::uint8_t>(lane - lanes_.begin());
}

HopTime HopCosts::computed(std::uint32_t row, std::uint32_t column) const {
  return time_of(column, untabled_sizes_[row - first_untabled]);
}

HopTime HopCosts::time_of(std::uint32_t column, std::uint64_t bytes) const {
  return hop_time(switching_, columns_[column], bytes);
}

}  // namespace dcube
