#pragma once

#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/topology/platform.hpp"

namespace dcube {

/// Time per byte for which a message keeps each link of the machine busy, by link number; 0 for
/// unused numbers, and for links that never queue.
inline std::vector<ExactTime> time_per_byte_of_links(const Machine& machine) {
  const Topology& topology = *machine.topology;
  const PlatformCosts* const platform = platform_costs(topology);
  std::vector<ExactTime> times(topology.link_slots());
  for (std::uint32_t number = 0; number < times.size(); ++number) {
    const auto link = topology.link(LinkId{number});
    if (link && (platform == nullptr || !platform->never_queues(LinkId{number}))) {
      const auto differs = machine.links.overrides.find(LinkId{number});
      times[number] = differs != machine.links.overrides.end()
                          ? differs->second.per_byte
                          : machine.links.per_dimension[link->dimension].per_byte;
    }
  }
  return times;
}

}  // namespace dcube
