#pragma once

#include <vector>

#include "dcube/network/machine.hpp"

namespace dcube {

/// Time per byte on every link of the machine, by link number; 0 for unused numbers.
inline std::vector<ExactTime> time_per_byte_of_links(const Machine& machine) {
  const Topology& topology = *machine.topology;
  std::vector<ExactTime> times(topology.link_slots());
  for (std::uint32_t number = 0; number < times.size(); ++number) {
    if (const auto link = topology.link(LinkId{number})) {
      const auto differs = machine.links.overrides.find(LinkId{number});
      times[number] = differs != machine.links.overrides.end()
                          ? differs->second.per_byte
                          : machine.links.per_dimension[link->dimension].per_byte;
    }
  }
  return times;
}

}  // namespace dcube
