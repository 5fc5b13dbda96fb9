#include "dcube/metrics/embedding_metrics.hpp"

#include <algorithm>
#include <limits>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "guest_edges.hpp"
#include "link_loads.hpp"

namespace dcube {
namespace {

/// Edges by dilation, and whether those of one guest dimension all have the same.
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

  /// Closes the guest dimension of the edges added since the last call; one without edges has
  /// distance 0.
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

/// Takes one off the node at each end of each guest edge that leaves its node.
template <class Count>
void remove_route_ends(const Guest& guest, std::span<const NodeId> map, bool all_edges_leave,
                       std::vector<Count>& nodes) {
  if (guest.kind() == Guest::Kind::cube && all_edges_leave) {
    for (const NodeId node : map) {
      nodes[node.index()] -= guest.dimension_count();
    }
    return;
  }
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for_each_edge(guest, dimension, [&](ProcessId lower, ProcessId higher) {
      const NodeId from = map[lower.index()];
      const NodeId to = map[higher.index()];
      if (from != to) {
        --nodes[from.index()];
        --nodes[to.index()];
      }
    });
  }
}

/// A route through a node uses two of its links, one that ends there uses one:
/// node load = (loads of its links - route ends) / 2.
template <class Count>
void report_loads(const Guest& guest, std::span<const NodeId> map, std::uint32_t node_count,
                  const LinkLoads<Count>& loads, EmbeddingMetrics& metrics) {
  std::vector<Count> passages(node_count);
  LoadTally links;
  loads.for_each_link([&, nodes = passages.data()](const Link& link, Count load) {
    links.add(load);
    nodes[link.from.index()] += load;
    nodes[link.to.index()] += load;
  });
  remove_route_ends(guest, map, !metrics.spectrum.contains(0), passages);
  LoadTally nodes;
  for (const Count twice : passages) {
    nodes.add(twice / 2);
  }
  metrics.link_load = links.summary();
  metrics.node_load = nodes.summary();
}

template <class Count>
EmbeddingMetrics measure(const Topology& topology, const Guest& guest,
                         std::span<const NodeId> map) {
  LinkLoads<Count> loads{topology, LinkSharing::undirected};
  DilationTally dilations;
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for_each_edge(guest, dimension, [&, node = map.data()](ProcessId lower, ProcessId higher) {
      dilations.add(loads.add_route(node[lower.index()], node[higher.index()]));
    });
    dilations.end_dimension();
  }
  loads.sum_up();
  EmbeddingMetrics metrics = dilations.metrics();
  report_loads(guest, map, topology.node_count(), loads, metrics);
  return metrics;
}

template <class Count>
std::uint64_t bytes_to_measure(const Topology& topology) {
  return LinkLoads<Count>::bytes(topology, LinkSharing::undirected) +
         topology.node_count() * sizeof(Count);
}

/// Whether twice the number of routes, the most that the links of one node can carry together, fits
/// in 32 bits.
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

std::uint64_t most_edges(const Guest& guest) {
  return std::uint64_t{guest.process_count()} * guest.dimension_count();
}

}  // namespace

std::uint64_t measuring_bytes(const Topology& topology, const Guest& guest) {
  return fits_32_bits(most_edges(guest)) ? bytes_to_measure<std::uint32_t>(topology)
                                         : bytes_to_measure<std::uint64_t>(topology);
}

EmbeddingMetrics measure_embedding(const Topology& topology, const Guest& guest,
                                   std::span<const NodeId> map) {
  expects(map.size() == guest.process_count(), "the map has a node for every process");
  expect_fits_in_memory("measuring the embedding", measuring_bytes(topology, guest));
  return fits_32_bits(most_edges(guest)) ? measure<std::uint32_t>(topology, guest, map)
                                         : measure<std::uint64_t>(topology, guest, map);
}

std::uint64_t max_link_load(const Topology& topology,
                            std::span<const std::pair<NodeId, NodeId>> messages,
                            LinkSharing sharing) {
  return fits_32_bits(messages.size()) ? greatest_load<std::uint32_t>(topology, messages, sharing)
                                       : greatest_load<std::uint64_t>(topology, messages, sharing);
}

}  // namespace dcube
