#pragma once

#include <vector>

#include "dcube/network/machine.hpp"

namespace dcube {

/// The cost of crossing a link.
inline const TransferCost& cost_of_link(const Machine& machine, LinkId number, const Link& link) {
  const auto differs = machine.links.overrides.find(number);
  return differs != machine.links.overrides.end() ? differs->second
                                                  : machine.links.per_dimension[link.dimension];
}

/// Time per byte for which a message keeps each link of the machine busy, by link number; 0 for
/// unused numbers, and for links that never queue.
inline std::vector<ExactTime> time_per_byte_of_links(const Machine& machine) {
  const Topology& topology = *machine.topology;
  std::vector<ExactTime> times(topology.link_slots());
  for (std::uint32_t number = 0; number < times.size(); ++number) {
    const auto link = topology.link(LinkId{number});
    if (link) {
      const TransferCost& cost = cost_of_link(machine, LinkId{number}, *link);
      times[number] = cost.never_queues ? ExactTime{} : cost.per_byte;
    }
  }
  return times;
}

}  // namespace dcube
