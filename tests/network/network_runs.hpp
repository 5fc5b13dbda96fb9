#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "dcube/network/machine.hpp"
#include "dcube/network/network.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

inline TransferCost cost(std::int64_t fixed, std::int64_t per_byte = 0) {
  return {ExactTime{Ticks{fixed}}, ExactTime{Ticks{per_byte}}};
}

/// A machine whose links all cost the same.
inline Machine machine_of(const char* topology, const TransferCost& hop, Switching switching,
                          std::optional<std::uint64_t> packet = std::nullopt) {
  Machine machine;
  machine.topology = make_topology(Params::parse(topology));
  machine.links.per_dimension.assign(machine.topology->class_count(), hop);
  machine.links.switching = switching;
  machine.links.packet_bytes = packet;
  return machine;
}

/// Arrival of every message, in ticks.
inline std::map<MessageId, std::int64_t> run_to_end(Network& network) {
  std::map<MessageId, std::int64_t> arrivals;
  for (auto arrived = network.advance(Ticks::max()); !arrived.empty();
       arrived = network.advance(Ticks::max())) {
    for (const MessageId id : arrived) {
      arrivals[id] = network.now().count();
    }
  }
  return arrivals;
}

}  // namespace dcube
