#include "dcube/metrics/embedding_metrics.hpp"

#include <algorithm>
#include <limits>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/metrics/guest_edges.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "link_loads.hpp"

namespace dcube {
namespace {

/// Edges by dilation, and whether it is constant in each guest dimension.
class DilationTally {
 public:
  void add(std::uint32_t dilation) {
    if (dilation >= edges_at_.size()) {
      edges_at_.resize(std::size_t{dilation} + 1);
    }
    ++edges_at_.data()[dilation];
    shortest_ = std::min(shortest_, dilation);
    longest_ = std::max(longest_, dilation);
  }

  /// Ends a guest dimension; one without edges has distance 0.
  void end_dimension() {
    is_constant_ = is_constant_ && shortest_ >= longest_;
    distances_.push_back(longest_);
    shortest_ = std::numeric_limits<std::uint32_t>::max();
    longest_ = 0;
  }

  EmbeddingMetrics metrics() const {
    EmbeddingMetrics metrics;
    metrics.dimensions = static_cast<std::uint32_t>(distances_.size());
    std::uint64_t edges = 0;
    for (std::uint32_t dilation = 0; dilation < edges_at_.size(); ++dilation) {
      if (const std::uint64_t count = edges_at_[dilation]; count > 0) {
        metrics.spectrum[dilation] = count;
        metrics.longest_dilation = dilation;
        metrics.total_dilation += dilation * count;
        edges += count;
      }
    }
    metrics.average_dilation = mean_of(metrics.total_dilation, edges);
    if (is_constant_) {
      metrics.constant_distances = distances_;
    }
    return metrics;
  }

 private:
  std::vector<std::uint64_t> edges_at_;
  std::vector<std::uint32_t> distances_;
  bool is_constant_ = true;
  std::uint32_t shortest_ = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t longest_ = 0;
};

/// Subtracts `messages` at both ends' nodes of each guest edge that leaves its node.
template <class Count>
void remove_route_ends(const Guest& guest, std::span<const NodeId> map, bool all_edges_leave,
                       Count messages, std::vector<Count>& nodes) {
  if (guest.kind() == Guest::Kind::cube && all_edges_leave) {
    for (const NodeId node : map) {
      nodes[node.index()] -= messages * guest.dimension_count();
    }
    return;
  }
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for_each_edge(guest, dimension, [&](ProcessId lower, ProcessId higher) {
      const NodeId from = map[lower.index()];
      const NodeId to = map[higher.index()];
      if (from != to) {
        nodes[from.index()] -= messages;
        nodes[to.index()] -= messages;
      }
    });
  }
}

/// A route through a node uses two of its links, one that ends there uses one: node load = (loads
/// of its links - route ends) / 2. `for_each_link(visit)` calls visit(link, load).
template <class Count, class ForEachLink>
OneWayLoads loads_of(const Guest& guest, std::span<const NodeId> map, std::uint32_t node_count,
                     bool all_edges_leave, Count messages, ForEachLink for_each_link) {
  std::vector<Count> passages(node_count);
  LoadTally links;
  for_each_link([&, nodes = passages.data()](const Link& link, Count load) {
    links.add(load);
    nodes[link.from.index()] += load;
    nodes[link.to.index()] += load;
  });
  remove_route_ends(guest, map, all_edges_leave, messages, passages);
  LoadTally nodes;
  for (const Count twice : passages) {
    nodes.add(twice / 2);
  }
  return {.node = nodes.summary(), .link = links.summary()};
}

LoadSummary twice(const LoadSummary& load) { return {2 * load.min, 2 * load.max, 2 * load.mean}; }

/// Measures one way of every edge; nothing unless the way back is always its mirror image.
template <class Count>
std::optional<EmbeddingMetrics> measure_mirrored(const Topology& topology, const Guest& guest,
                                                 std::span<const NodeId> map, LinkSharing sharing) {
  // A route back in one dimension uses the same links on a grid without a "tie".
  if (!is_grid(topology) || topology.details().has("tie")) {
    return std::nullopt;
  }
  LinkLoads<Count> loads{topology, LinkSharing::undirected};
  DilationTally dilations;
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for_each_edge(guest, dimension, [&, node = map.data()](ProcessId lower, ProcessId higher) {
      dilations.add(loads.add_route(node[lower.index()], node[higher.index()]));
    });
    dilations.end_dimension();
    if (loads.has_bends()) {
      return std::nullopt;
    }
  }
  loads.sum_up();
  EmbeddingMetrics metrics = dilations.metrics();
  metrics.one_way =
      loads_of<Count>(guest, map, topology.node_count(), !metrics.spectrum.contains(0), 1,
                      [&](const auto& visit) { loads.for_each_link(visit); });
  metrics.node_load = twice(metrics.one_way.node);
  // The routes back load each direction as those there load the other one.
  metrics.link_load =
      sharing == LinkSharing::directed ? metrics.one_way.link : twice(metrics.one_way.link);
  return metrics;
}

/// Calls `visit(link, load)` for every link, or direction of one. `load` gives that of a direction.
template <class Load, class Visit>
void for_each_load(const Topology& topology, LinkSharing sharing, Load load, Visit visit) {
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const LinkId id{slot};
    if (const std::optional<Link> link = topology.link(id); !link) {
      continue;
    } else if (sharing == LinkSharing::directed) {
      visit(*link, load(id));
    } else if (const LinkId back = topology.reverse(id); id < back) {
      visit(*link, load(id) + load(back));
    }
  }
}

template <class Count>
EmbeddingMetrics measure_both_ways(const Topology& topology, const Guest& guest,
                                   std::span<const NodeId> map, LinkSharing sharing) {
  expect_fits_in_memory("measuring the embedding",
                        2 * LinkLoads<Count>::bytes(topology, LinkSharing::directed) +
                            topology.node_count() * sizeof(Count));
  LinkLoads<Count> there{topology, LinkSharing::directed};
  LinkLoads<Count> back{topology, LinkSharing::directed};
  DilationTally longer_ways;
  std::uint64_t hops = 0;
  std::uint64_t messages = 0;
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for_each_edge(guest, dimension, [&, node = map.data()](ProcessId lower, ProcessId higher) {
      const NodeId from = node[lower.index()];
      const NodeId to = node[higher.index()];
      const std::uint32_t one_way = there.add_route(from, to);
      const std::uint32_t other_way = back.add_route(to, from);
      longer_ways.add(std::max(one_way, other_way));
      hops += std::uint64_t{one_way} + other_way;
      messages += 2;
    });
    longer_ways.end_dimension();
  }
  there.sum_up();
  back.sum_up();
  EmbeddingMetrics metrics = longer_ways.metrics();
  metrics.average_dilation = mean_of(hops, messages);
  const auto measured = [&](Count per_edge, LinkSharing directions, auto load) {
    return loads_of<Count>(
        guest, map, topology.node_count(), !metrics.spectrum.contains(0), per_edge,
        [&](const auto& visit) { for_each_load(topology, directions, load, visit); });
  };
  metrics.one_way =
      measured(1, LinkSharing::undirected, [&](LinkId link) { return there.load(link); });
  const OneWayLoads both =
      measured(2, sharing, [&](LinkId link) { return there.load(link) + back.load(link); });
  metrics.node_load = both.node;
  metrics.link_load = both.link;
  return metrics;
}

template <class Count>
EmbeddingMetrics measure(const Topology& topology, const Guest& guest, std::span<const NodeId> map,
                         LinkSharing sharing) {
  const auto mirrored = measure_mirrored<Count>(topology, guest, map, sharing);
  return mirrored ? *mirrored : measure_both_ways<Count>(topology, guest, map, sharing);
}

template <class Count>
std::uint64_t bytes_to_measure(const Topology& topology) {
  return LinkLoads<Count>::bytes(topology, LinkSharing::undirected) +
         topology.node_count() * sizeof(Count);
}

/// Whether 2 * `routes`, the most that the links of one node carry together, fits 32 bits.
bool fits_32_bits(std::uint64_t routes) {
  return 2 * routes <= std::numeric_limits<std::uint32_t>::max();
}

template <class Count>
std::uint64_t greatest_load(const Topology& topology,
                            std::span<const std::pair<NodeId, NodeId>> messages,
                            LinkSharing sharing) {
  LinkLoads<Count> loads{topology, sharing};
  for (const auto& [from, to] : messages) {
    loads.add_route(from, to);
  }
  loads.sum_up();
  std::uint64_t most = 0;
  loads.for_each_link([&](const Link&, Count load) { most = std::max(most, std::uint64_t{load}); });
  return most;
}

/// Upper bound on messages: two for each edge.
std::uint64_t most_messages(const Guest& guest) {
  return std::uint64_t{guest.process_count()} * guest.dimension_count() *
         (guest.kind() == Guest::Kind::cube ? 1 : 2);
}

}  // namespace

std::uint64_t measuring_bytes(const Topology& topology, const Guest& guest) {
  return fits_32_bits(most_messages(guest)) ? bytes_to_measure<std::uint32_t>(topology)
                                            : bytes_to_measure<std::uint64_t>(topology);
}

EmbeddingMetrics measure_embedding(const Topology& topology, const Guest& guest,
                                   std::span<const NodeId> map, LinkSharing sharing) {
  expects(map.size() == guest.process_count(), "the map has a node for every process");
  expect_fits_in_memory("measuring the embedding", measuring_bytes(topology, guest));
  return fits_32_bits(most_messages(guest)) ? measure<std::uint32_t>(topology, guest, map, sharing)
                                            : measure<std::uint64_t>(topology, guest, map, sharing);
}

std::uint64_t max_link_load(const Topology& topology,
                            std::span<const std::pair<NodeId, NodeId>> messages,
                            LinkSharing sharing) {
  return fits_32_bits(messages.size()) ? greatest_load<std::uint32_t>(topology, messages, sharing)
                                       : greatest_load<std::uint64_t>(topology, messages, sharing);
}

}  // namespace dcube
