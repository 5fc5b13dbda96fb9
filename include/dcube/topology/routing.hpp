#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Other routes over the same network: what these functions return has the nodes, the links and
// their numbers of `base`. docs/decisions/routing.md says why.

/// The names of the routings that need nothing but the network and the ends of a route:
/// dimension_order, shortest, table.
const std::vector<std::string>& static_routing_names();

/// The network with the routes that `routing` describes:
///   {"kind": "dimension_order", "order": [1, 0]}   a line, ring, mesh, torus or hypercube goes
///                                                  through its dimensions in this order
///   {"kind": "shortest"}                           as few hops as possible, by the lowest-numbered
///                                                  next node
///   {"kind": "table", "file": "routes.csv"}        columns at, to, next; for every two nodes. Or
///                                                  "routes": [[at, to, next], ..]
/// The routes of a table may be longer than the shortest, and differ in length there and back.
/// A file's path is relative to the working folder. Throws InputError.
std::shared_ptr<const Topology> with_routing(std::shared_ptr<const Topology> base,
                                             const Params& routing);

/// The parts of a machine that do not work or are kept free.
struct Failures {
  std::vector<NodeId> nodes;   ///< that have failed, with all their links
  std::vector<LinkId> links;   ///< that have failed; either direction stands for both
  std::vector<NodeId> spares;  ///< nodes that forward messages and host no processes

  bool empty() const { return nodes.empty() && links.empty() && spares.empty(); }
};

/// The network without what has failed. A route of `base` stays as it is where all of it works.
/// Elsewhere it goes on to the lowest-numbered neighbour that is one hop nearer by the shortest way
/// that works, until the route of `base` from there works. So routes stay memoryless and without
/// loops, and where those of `base` are shortest, these are too. Nodes may be cut off from each
/// other: see Topology::reaches(). A node may be named more than once; a node or link outside the
/// machine is a ContractViolation.
std::shared_ptr<const Topology> with_failures(std::shared_ptr<const Topology> base,
                                              const Failures& failures);

/// The failures that with_failures() was told of. Nodes and spares are ascending. A link stands
/// there by the lower of its two numbers, ascending, unless one of its nodes has failed. A spare
/// that has failed is no spare. Empty for a topology that with_failures() has not returned.
Failures failures_of(const Topology& topology);

/// The network that with_failures() was given, in which the links that have failed still join
/// nodes; any other topology itself. It lives as long as `topology`.
const Topology& without_failures(const Topology& topology);

/// The same network, of which only the nodes that `may_host` names by a true entry host processes;
/// the others forward messages. What has failed or was spare before stays so. Needs an entry for
/// every node.
std::shared_ptr<const Topology> with_hosts_among(const std::shared_ptr<const Topology>& topology,
                                                 const std::vector<bool>& may_host);

/// The living nodes of what with_failures() returned that failures part from the largest part of
/// the machine, ascending; empty where every living node reaches every other, and for any other
/// topology. Of parts of one size the one with the lowest node counts as largest. O(nodes).
std::vector<NodeId> cut_off_nodes(const Topology& topology);

}  // namespace dcube
