#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/topology/adjacency.hpp"
#include "dcube/topology/topology.hpp"

// Readers of links in machine files: costs, switching, which way messages go, and failures.

namespace dcube {

/// A network and its links by their ends, which are looked up where a document names single links.
class LinksByEnds {
 public:
  explicit LinksByEnds(std::shared_ptr<const Topology> topology) : topology_{std::move(topology)} {}

  const Topology& topology() const { return *topology_; }
  const std::shared_ptr<const Topology>& shared() const { return topology_; }

  /// The link; nothing when the nodes are no neighbours.
  std::optional<LinkId> link(NodeId from, NodeId to) const {
    if (!links_) {
      links_ = adjacency_of(*topology_);
    }
    return links_->link_between(from, to);
  }

  /// The link and those parallel to it.
  std::vector<LinkId> links_beside(LinkId link) const;

 private:
  std::shared_ptr<const Topology> topology_;
  mutable std::optional<Adjacency> links_;
};

/// "latency" and "per_byte" or "bandwidth"; costs given replace those of `otherwise`.
TransferCost read_cost(const Params& settings, const TransferCost& otherwise);

/// A node of the machine.
NodeId read_node(const Params& settings, std::string_view key, const Topology& topology);

/// The directed link between the nodes that `from_key` and `to_key` name.
LinkId read_link(const Params& entry, const LinksByEnds& network,
                 std::string_view from_key = "from", std::string_view to_key = "to");

/// That link, or all if parallel links join the nodes; an entry "parallel", or a third, names one.
std::vector<LinkId> read_links_between(const Params& entry, const LinksByEnds& network,
                                       std::string_view from_key = "from",
                                       std::string_view to_key = "to",
                                       std::string_view parallel_key = "parallel");

/// Reads "link", "links", "switching", the costs of a graph's edges, and "routing" where messages
/// draw or choose their ways.
LinkModel read_links(const Params& document, const LinksByEnds& network);

/// The network with the "weight" of each class of links.
std::shared_ptr<const Topology> with_hop_weights_of(const Params& document,
                                                    std::shared_ptr<const Topology> network);

/// Reads "routing": the network with routes that depend on their ends alone. Messages that draw or
/// choose their ways take these routes where they have no choice.
std::shared_ptr<const Topology> with_routing_of(const Params& document,
                                                std::shared_ptr<const Topology> network,
                                                const RoutingModel& own);

/// Reads "failed": the network as it is at the start, and its later failures. A node that fails
/// later forwards messages until then, and hosts no process.
std::shared_ptr<const Topology> with_failures_of(const Params& document, const LinksByEnds& network,
                                                 std::shared_ptr<const Topology> routed,
                                                 std::vector<Fault>& faults);

}  // namespace dcube
