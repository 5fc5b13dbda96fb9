#pragma once

#include <cstdint>
#include <optional>

#include "dcube/network/machine.hpp"

namespace dcube {

/// Calls `visit(number, link)` for each link with a server of its own: each directed link, but of a
/// half-duplex link only the lower of its two numbers.
template <class Visit>
void for_each_served_link(const Machine& machine, Visit visit) {
  const Topology& topology = *machine.topology;
  const bool is_half_duplex = machine.links.duplex == Duplex::half;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const LinkId number{slot};
    const std::optional<Link> link = topology.link(number);
    if (link && !(is_half_duplex && topology.reverse(number) < number)) {
      visit(number, *link);
    }
  }
}

}  // namespace dcube
