#pragma once

#include <vector>

#include "dcube/network/machine.hpp"

namespace dcube {

/// Time per byte for which a message keeps each link of the machine busy, by link number; 0 for
/// unused numbers, and for links that never queue.
inline std::vector<ExactTime> time_per_byte_of_links(const Machine& machine) {
  const Topology& topology = *machine.topology;
  std::vector<ExactTime> times(topology.link_slots());
  for (std::uint32_t number = 0; number < times.size(); ++number) {
    const auto link = topology.link(LinkId{number});
    if (link) {
      const auto differs = machine.links.overrides.find(LinkId{number});
      const TransferCost& cost = differs != machine.links.overrides.end()
                                     ? differs->second
                                     : machine.links.per_dimension[link->dimension];
      times[number] = cost.never_queues ? ExactTime{} : cost.per_byte;
    }
  }
  return times;
}

}  // namespace dcube
