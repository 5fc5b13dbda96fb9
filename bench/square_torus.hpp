#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::bench {

/// A square torus as make_topology reads it.
inline std::string square_torus(std::int64_t side) {
  const std::string text = std::to_string(side);
  return "kind=torus,shape=" + text + "x" + text;
}

/// A square torus whose hops all take `hop`.
inline Machine square_torus_machine(std::int64_t side, Ticks hop = std::chrono::seconds{1}) {
  Machine machine;
  machine.topology = make_topology(Params::parse(square_torus(side)));
  machine.links.per_dimension.assign(2, TransferCost{ExactTime{hop}, ExactTime{}});
  return machine;
}

}  // namespace dcube::bench
