#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// "kind=ring,nodes=8"
inline std::unique_ptr<Topology> topology_of(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

inline std::vector<NodeId> map_of(const Topology& topology, const Guest& guest,
                                  const std::string& embedding) {
  return make_embedding(topology, guest, Params::parse("kind=" + embedding))->map();
}

inline std::vector<NodeId> all_nodes(const Topology& topology) {
  std::vector<NodeId> nodes;
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    nodes.emplace_back(node);
  }
  return nodes;
}

/// `processes` different nodes.
inline std::vector<NodeId> random_map(const Topology& topology, std::uint32_t processes,
                                      std::mt19937_64& random) {
  std::vector<NodeId> nodes = all_nodes(topology);
  std::shuffle(nodes.begin(), nodes.end(), random);
  nodes.resize(processes);
  return nodes;
}

/// The largest cube that fits; it fills the machine when that has 2^d nodes.
inline Guest cube_of(const Topology& topology) {
  return Guest::cube(static_cast<std::uint32_t>(std::bit_width(topology.node_count()) - 1));
}

}  // namespace dcube
