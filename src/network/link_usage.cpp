#include "link_usage.hpp"

#include <span>

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
  hop_count_ += stretch.hops;
  // Half duplex: servers are numbered by the upward links, whichever way the message goes.
  const std::uint8_t block = servers_.direction_of(stretch.first);
  const std::uint32_t way =
      block == stretch.direction ? 0 : (stretch.hops - 1) * servers_.stride(stretch.direction);
  const LinkId lowest{stretch.first + way};
  crossings_.add(block, lowest, stretch.hops, 1);
  if (busy_) {
    add_busy(stretch, block, lowest, row);
  }
}

void LinkUsage::count_busy_from_here() {
  const LinkCounters so_far = counters();
  const std::span<const LinkDirection> blocks = servers_.topology().link_directions();
  busy_.emplace(servers_.topology());
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    for (std::uint32_t i = 0; i < blocks[block].count; ++i) {
      const LinkId link{blocks[block].first.index() + i};
      if (so_far.busy[link.index()] != 0) {
        busy_->add(block, link, 1, so_far.busy[link.index()]);
      }
    }
  }
}

void LinkUsage::add_busy(const Stretch& stretch, std::size_t block, LinkId lowest,
                         std::uint32_t row) {
  const auto cost_on = [&](std::uint32_t server) {
    return static_cast<std::int64_t>(costs_.cost(row, server, stretch.direction));
  };
  if (costs_.are_by_dimension()) {
    busy_->add(block, lowest, stretch.hops, cost_on(stretch.first));
    return;
  }
  for (std::uint32_t hop = 0; hop < stretch.hops; ++hop) {
    const std::uint32_t server = stretch.first + hop * servers_.stride(stretch.direction);
    busy_->add(block, LinkId{server}, 1, cost_on(server));
  }
}

LinkCounters LinkUsage::counters() const {
  LinkCounters counters;
  counters.crossings = crossings_.totals(servers_.count());
  if (busy_) {
    counters.busy = busy_->totals(servers_.count());
    return counters;
  }
  counters.busy.assign(servers_.count(), 0);
  for (std::uint32_t link = 0; link < servers_.count(); ++link) {
    if (counters.crossings[link] != 0) {
      const Instant cost = costs_.cost(only_row_, link, servers_.direction_of(link));
      counters.busy[link] = counters.crossings[link] * static_cast<std::int64_t>(cost);
    }
  }
  return counters;
}

}  // namespace dcube
