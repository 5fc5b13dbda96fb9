#pragma once

#include <cstdint>
#include <map>

#include "dcube/network/network.hpp"

namespace dcube {

inline TransferCost cost(std::int64_t fixed, std::int64_t per_byte = 0) {
  return {ExactTime{Ticks{fixed}}, ExactTime{Ticks{per_byte}}};
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
