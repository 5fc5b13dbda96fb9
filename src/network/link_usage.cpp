#include "link_usage.hpp"

#include <limits>
#include <span>
#include <utility>

namespace dcube {

LinkUsage::LinkUsage(const Servers& servers, const HopCosts& costs)
    : servers_{servers}, costs_{costs}, crossings_{servers.topology()} {
  if (servers.are_shared() && !costs.are_by_dimension()) {
    busy_.emplace(servers.topology());
  }
}

void LinkUsage::add(const Stretch& stretch, std::uint32_t row) {
  if (!busy_ && row != only_row_) {
    count_busy_from_here();
  }
  if (hop_count_ + stretch.hops - hops_before_ > std::numeric_limits<std::uint32_t>::max())
      [[unlikely]] {
    widen_crossings();
  }
  hop_count_ += stretch.hops;
  const LinkId lowest = servers_.lowest(stretch);
  crossings_.add(stretch.block, lowest, stretch.hops, 1);
  if (busy_) {
    add_busy(stretch, lowest, row);
  }
}

void LinkUsage::widen_crossings() {
  crossings_before_ = crossings();
  crossings_ = RunTally<std::uint32_t>{servers_.topology()};
  hops_before_ = hop_count_;
}

std::vector<std::uint64_t> LinkUsage::crossings() const {
  const std::vector<std::uint32_t> since = crossings_.totals(servers_.count());
  std::vector<std::uint64_t> sums{since.begin(), since.end()};
  for (std::size_t link = 0; link < crossings_before_.size(); ++link) {
    sums[link] += crossings_before_[link];
  }
  return sums;
}

/// While a link costs the same for every message.
std::vector<Int128> LinkUsage::busy_by_crossings(
    const std::vector<std::uint64_t>& crossings) const {
  std::vector<Int128> busy(servers_.count());
  for (const LinkDirection& block : servers_.topology().link_directions()) {
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const LinkId link{block.first.index() + i};
      if (crossings[link.index()] != 0) {
        busy[link.index()] =
            Int128{crossings[link.index()]} * costs_.cost_on(only_row_, link, block.dimension);
      }
    }
  }
  return busy;
}

void LinkUsage::count_busy_from_here() {
  const std::vector<Int128> so_far = counters().busy;
  const std::span<const LinkDirection> blocks = servers_.topology().link_directions();
  busy_.emplace(servers_.topology());
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    for (std::uint32_t i = 0; i < blocks[block].count; ++i) {
      const LinkId link{blocks[block].first.index() + i};
      if (so_far[link.index()] != 0) {
        busy_->add(block, link, 1, so_far[link.index()]);
      }
    }
  }
}

void LinkUsage::add_busy(const Stretch& stretch, LinkId lowest, std::uint32_t row) {
  const auto cost_on = [&](std::uint32_t server) {
    return Int128{costs_.cost(row, server, stretch.direction)};
  };
  if (costs_.are_by_dimension()) {
    busy_->add(stretch.block, lowest, stretch.hops, cost_on(stretch.first));
    return;
  }
  for (std::uint32_t hop = 0; hop < stretch.hops; ++hop) {
    const std::uint32_t server = stretch.first + hop * servers_.stride(stretch.direction);
    busy_->add(stretch.block, LinkId{server}, 1, cost_on(server));
  }
}

LinkCounters LinkUsage::counters() const {
  LinkCounters counters;
  counters.crossings = crossings();
  counters.busy = busy_ ? busy_->totals(servers_.count()) : busy_by_crossings(counters.crossings);
  return counters;
}

}  // namespace dcube
