#include "servers.hpp"

#include <algorithm>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {

Servers::Servers(const Topology& topology, const LinkModel& links)
    : topology_{topology},
      duplex_{links.duplex},
      limits_out_{links.injection.out.has_value()},
      limits_in_{links.injection.in.has_value()},
      interfaces_{links.interfaces},
      count_{topology.link_slots()},
      blocks_{topology.link_directions()},
      known_(blocks_.size(), {unknown, unknown}),
      strides_(most_directions) {
  if (links.injection) {
    const std::uint64_t servers = 2 * std::uint64_t{topology.node_count()} * interfaces_;
    refuse_if(servers > ~std::uint32_t{0} - count_, "",
              "the machine has too many links for injection servers beside them");
    count_ += static_cast<std::uint32_t>(servers);
    // Injection servers have columns of costs after those of the dimensions, out and in.
    new_direction({0, topology.class_count(), true});
    new_direction({0, topology.class_count() + 1, true});
  }
}

std::uint32_t Servers::block_of(LinkId link) const {
  const auto after = std::ranges::upper_bound(blocks_, link, {}, &LinkDirection::first);
  return static_cast<std::uint32_t>(after - blocks_.begin() - 1);
}

LinkId Servers::server_of(LinkId link) const {
  return duplex_ == Duplex::full ? link : std::min(link, topology_.reverse(link));
}

LinkId Servers::lowest_shared(const Stretch& stretch) const {
  const bool runs_up = directions_[stretch.direction].has_servers_numbers;
  return LinkId{runs_up ? stretch.first
                        : stretch.first + (stretch.hops - 1) * strides_[stretch.direction]};
}

std::uint8_t Servers::direction_of(std::uint32_t block, bool has_servers_numbers) {
  std::uint8_t& known = known_[block][has_servers_numbers ? 1 : 0];
  if (known == unknown) [[unlikely]] {
    const LinkDirection& links = blocks_[block];
    known = new_direction(
        {static_cast<std::uint32_t>(links.stride), links.dimension, has_servers_numbers});
  }
  return known;
}

/// Number of a direction, which may be known from another block.
std::uint8_t Servers::new_direction(const Direction& direction) {
  const auto place = std::ranges::find(directions_, direction);
  const auto number = static_cast<std::size_t>(place - directions_.begin());
  if (place == directions_.end()) {
    expects(number < most_directions,
            "the links of a topology have at most 128 different strides and dimensions");
    directions_.push_back(direction);
    strides_[number] = direction.stride;
  }
  return static_cast<std::uint8_t>(number);
}

Stretch Servers::stretch_of(const Run& run) {
  const LinkId first = server_of(run.first);
  const std::uint32_t block = run.block == Run::unknown ? block_of(run.first) : run.block;
  const std::uint8_t direction = direction_of(block, first == run.first);
  Stretch stretch{first.index(), hops_in_line(run, strides_[direction]), direction,
                  first == run.first ? block : block_of(first), run.end};
  if (stretch.hops != run.hops) {
    const LinkId last{run.first.index() + (stretch.hops - 1) * strides_[direction]};
    stretch.end = topology_.link(last)->to;
  }
  return stretch;
}

/// Number of hops of the run, from its first, that an event can count and whose servers are in
/// line. In half duplex the servers of a downward run have the numbers of the upward links, and the
/// server of the link that closes a ring is out of line.
std::uint32_t Servers::hops_in_line(const Run& run, std::uint32_t stride) const {
  const std::uint32_t hops = std::min(run.hops, most_hops);
  if (duplex_ == Duplex::full || hops == 1) {
    return hops;
  }
  const std::uint32_t way = (hops - 1) * stride;
  const bool is_last_in_line =
      server_of(LinkId{run.first.index() + way}).index() == server_of(run.first).index() + way;
  return is_last_in_line ? hops : hops - 1;
}

}  // namespace dcube
