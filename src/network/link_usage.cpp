#include "link_usage.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "core/mapped.hpp"

namespace dcube {

namespace {

constexpr std::uint64_t most_marked = std::numeric_limits<std::uint32_t>::max();

/// Whether some link is of another dimension, or class, than its reverse.
bool has_unlike_directions(const Topology& topology) {
  std::vector<std::uint32_t> dimensions(topology.link_slots());
  for (const LinkDirection& block : topology.link_directions()) {
    std::fill_n(dimensions.begin() + block.first.index(), block.count, block.dimension);
  }
  const auto is_unlike = [&](std::uint32_t slot) {
    const LinkId link{slot};
    return topology.link(link) && dimensions[topology.reverse(link).index()] != dimensions[slot];
  };
  return std::ranges::any_of(numbered(topology.link_slots()), is_unlike);
}

}  // namespace

LinkUsage::LinkUsage(const Servers& servers, const HopCosts& costs)
    : servers_{servers}, costs_{costs}, crossings_{servers.topology()}, most_counted_{most_marked} {
  if (servers.are_shared() &&
      (!costs.are_by_dimension() || has_unlike_directions(servers.topology()))) {
    busy_.emplace(servers.topology());
    counted_row_ = none;
  }
}

/// Slow path of add(): messages have several sizes, or the marks of crossings may be full.
void LinkUsage::add_with_care(const Stretch& stretch, std::uint32_t row) {
  if (!busy_ && row != counted_row_) {
    count_busy_from_here();
  }
  if (hop_count_ + stretch.hops > most_counted_) {
    widen_crossings();
  }
  hop_count_ += stretch.hops;
  const LinkId lowest = servers_.lowest(stretch);
  crossings_.add(stretch.block, lowest, stretch.hops, 1);
  if (busy_) {
    add_busy(stretch, lowest, row);
  }
}

void LinkUsage::take_back(const Stretch& hop, std::uint32_t row) {
  --hop_count_;
  const LinkId link = servers_.lowest(hop);
  crossings_.add(hop.block, link, 1, ~std::uint32_t{0});
  if (busy_) {
    busy_->add(hop.block, link, 1, -Int128{costs_.occupancy(row, hop.first, hop.direction)});
  }
}

void LinkUsage::widen_crossings() {
  crossings_before_ = crossings();
  crossings_ = RunTally<std::uint32_t>{servers_.topology()};
  most_counted_ = hop_count_ + most_marked;
}

std::vector<std::uint64_t> LinkUsage::crossings() const {
  const std::vector<std::uint32_t> since = crossings_.totals(servers_.topology().link_slots());
  std::vector<std::uint64_t> sums{since.begin(), since.end()};
  for (std::size_t link = 0; link < crossings_before_.size(); ++link) {
    sums[link] += crossings_before_[link];
  }
  return sums;
}

/// Calls `add` with the block, the number and the busy time of every link in use; valid while a
/// link costs the same for every message.
template <class Add>
void LinkUsage::add_up_busy(const std::vector<std::uint64_t>& crossings, Add&& add) const {
  const std::span<const LinkDirection> blocks = servers_.topology().link_directions();
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    for (std::uint32_t i = 0; i < blocks[block].count; ++i) {
      const LinkId link{blocks[block].first.index() + i};
      if (const std::uint64_t messages = crossings[link.index()]; messages != 0) {
        add(block, link,
            Int128{messages} * costs_.occupancy_on(counted_row_, link, blocks[block].dimension));
      }
    }
  }
}

void LinkUsage::count_busy_from_here() {
  busy_.emplace(servers_.topology());
  add_up_busy(crossings(), [this](std::size_t block, LinkId link, Int128 time) {
    busy_->add(block, link, 1, time);
  });
  counted_row_ = none;
}

void LinkUsage::add_busy(const Stretch& stretch, LinkId lowest, std::uint32_t row) {
  const auto time_on = [&](std::uint32_t server) {
    return Int128{costs_.occupancy(row, server, stretch.direction)};
  };
  if (costs_.are_by_dimension()) {
    busy_->add(stretch.block, lowest, stretch.hops, time_on(stretch.first));
    return;
  }
  for (std::uint32_t hop = 0; hop < stretch.hops; ++hop) {
    const std::uint32_t server = stretch.first + hop * servers_.stride(stretch.direction);
    busy_->add(stretch.block, LinkId{server}, 1, time_on(server));
  }
}

LinkCounters LinkUsage::counters() const {
  LinkCounters counters;
  counters.busy.assign(servers_.topology().link_slots(), 0);
  if (busy_) {
    std::ranges::transform(busy_->totals(servers_.topology().link_slots()), counters.busy.begin(),
                           [](Int128 time) { return static_cast<double>(time); });
    counters.crossings = crossings();
    return counters;
  }
  counters.crossings = crossings();
  add_up_busy(counters.crossings, [&counters](std::size_t, LinkId link, Int128 time) {
    counters.busy[link.index()] = static_cast<double>(time);
  });
  return counters;
}

}  // namespace dcube
