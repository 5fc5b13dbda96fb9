#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Other routes over the same network: these functions return topologies with the nodes, links and
// link numbers of `base`. docs/decisions/routing.md says why.

/// Routings that depend on network and ends of a route alone, without ecmp, which may do so.
const std::vector<std::string>& static_routing_names();

/// The network with the routes that `routing` describes:
///   {"kind": "dimension_order", "order": [1, 0]}   a line, ring, mesh, torus or hypercube goes
///                                                  through its dimensions in this order
///   {"kind": "shortest"}                           as few hops as possible, by the lowest-numbered
///                                                  next node
///   {"kind": "table", "file": "routes.csv"}        columns at, to, next; for every two nodes. Or
///                                                  "routes": [[at, to, next], ..]
///   {"kind": "ecmp", "seed": 1}                    at each node a link drawn from those that lead
///                                                  a hop nearer, in order of nodes and numbers:
///                                                  bounded(hash_of(seed, flow, at), links)
///   {"kind": "d_mod_k"}                            the usual one of the network; any that
///                                                  Structure::routings names first
/// The routes of a table may be longer than the shortest, and differ in length there and back.
/// A file's path is relative to the working folder. Throws InputError.
std::shared_ptr<const Topology> with_routing(std::shared_ptr<const Topology> base,
                                             const Params& routing);

/// Throws InputError at `place` if the routing, of whatever kind, makes no sense in the network.
void expect_suitable_routing(const Topology& network, const std::string& routing,
                             const std::string& place);

/// Parts of a machine that do not work or are kept free.
struct Failures {
  std::vector<NodeId> nodes;   ///< failed nodes; their links fail, too
  std::vector<LinkId> links;   ///< failed links; either direction stands for both
  std::vector<NodeId> spares;  ///< nodes that forward messages and host no processes

  bool empty() const { return nodes.empty() && links.empty() && spares.empty(); }
};

/// The network without its failed parts. A route of `base` that works stays. Any other goes to the
/// lowest-numbered neighbour that is one hop nearer by working links, until the route of `base`
/// from there works. So routes stay memoryless and without loops, and shortest if those of `base`
/// are. Failures may part nodes: see Topology::reaches(). A node may be named more than once; a
/// node or link outside the machine is a ContractViolation.
std::shared_ptr<const Topology> with_failures(std::shared_ptr<const Topology> base,
                                              const Failures& failures);

/// The failures that with_failures() was given; empty for any other topology. Nodes, spares and
/// links are ascending. A link appears by the lower of its two numbers, and not if one of its nodes
/// has failed. A spare that has failed is no spare.
Failures failures_of(const Topology& topology);

/// The network that with_failures() was given, with its failed links; any other topology itself. It
/// lives as long as `topology`.
const Topology& without_failures(const Topology& topology);

/// The network in which nodes with `may_host` false are spares, too. Needs an entry for every node.
std::shared_ptr<const Topology> with_hosts_among(const std::shared_ptr<const Topology>& topology,
                                                 const std::vector<bool>& may_host);

/// Living nodes outside the largest connected part of the machine, ascending; empty unless failures
/// part the machine. Of parts of one size the one with the lowest node counts as largest. O(nodes).
std::vector<NodeId> cut_off_nodes(const Topology& topology);

}  // namespace dcube
