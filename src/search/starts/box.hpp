#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// A part of a machine whose nodes have coordinates from .. to in every dimension, as a machine of
/// its own: an allocation often is one.
struct Box {
  std::shared_ptr<const Topology> topology;
  std::vector<NodeId> nodes;  ///< of the machine, by node of the box
  /// Whether routes between its nodes are as long as in the machine and stay in the box: nothing
  /// has failed, and no way round a cycle is as short.
  bool keeps_routes = false;
};

/// The least box that holds all usable nodes of a line, ring, mesh, torus or hypercube, where it is
/// smaller than the machine and has more than a node. Where the ends of a dimension are joined, it
/// may go over them. Nodes of the box that are not usable are spares of it; links that have failed
/// are there.
std::optional<Box> box_of_usable_nodes(const Topology& topology);

}  // namespace dcube
