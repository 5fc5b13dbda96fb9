#include "servers.hpp"

#include <algorithm>

namespace dcube {

Servers::Servers(const Topology& topology, Duplex duplex)
    : topology_{topology}, duplex_{duplex}, directions_{topology.link_directions()} {
  for (const LinkDirection& direction : directions_) {
    strides_.push_back(static_cast<std::uint32_t>(direction.stride));
  }
}

std::uint8_t Servers::direction_of(std::uint32_t link) const {
  const auto after = std::ranges::upper_bound(directions_, LinkId{link}, {}, &LinkDirection::first);
  return static_cast<std::uint8_t>(after - directions_.begin() - 1);
}

LinkId Servers::link_of_shared(std::uint32_t server, std::uint8_t direction) const {
  const LinkDirection& block = directions_[direction];
  const bool is_own = server - block.first.index() < block.count;
  return is_own ? LinkId{server} : topology_.reverse(LinkId{server});
}

LinkId Servers::server_of(LinkId link) const {
  return duplex_ == Duplex::full ? link : std::min(link, topology_.reverse(link));
}

Stretch Servers::next_stretch(NodeId at, NodeId to) const {
  const Run run = topology_.next_run(at, to);
  const std::uint8_t direction = direction_of(run.first.index());
  Stretch stretch{server_of(run.first).index(), hops_in_line(run, direction), direction, run.end};
  if (stretch.hops != run.hops) {
    const LinkId last{run.first.index() + (stretch.hops - 1) * strides_[direction]};
    stretch.end = topology_.link(last)->to;
  }
  return stretch;
}

/// As many hops of the run as an event can count and as have their servers in line: in half duplex,
/// those of a downward run are numbered by the upward links, and the one that closes a ring is out
/// of line.
std::uint32_t Servers::hops_in_line(const Run& run, std::uint8_t direction) const {
  constexpr std::uint32_t most_hops = std::uint32_t{1} << 16;
  const std::uint32_t hops = std::min(run.hops, most_hops);
  if (duplex_ == Duplex::full || hops == 1) {
    return hops;
  }
  const std::uint32_t way = (hops - 1) * strides_[direction];
  const bool is_last_in_line =
      server_of(LinkId{run.first.index() + way}).index() == server_of(run.first).index() + way;
  return is_last_in_line ? hops : hops - 1;
}

}  // namespace dcube
