#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Least, greatest and mean of a count over all nodes or all links.
struct LoadSummary {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  double average = 0;
};

/// A lower bound that no embedding of the guest on the machine can beat, and the theorem behind it.
struct DilationBound {
  double average_dilation = 0;
  std::string source;
};

/// What an embedding costs before anything runs. Loads count guest edges once each, along the
/// machine's route from the lower process label to the higher; a node's load leaves out the routes
/// that end there; a link's load sums both directions.
struct EmbeddingMetrics {
  std::uint32_t dimensions = 0;
  /// One machine distance per guest dimension, the same for every process [X II.C]; empty when they
  /// differ. A dimension without edges has distance 0.
  std::vector<std::uint32_t> constant_distances;
  std::map<std::uint32_t, std::uint64_t> spectrum;  ///< dilation -> edges
  std::uint32_t longest_dilation = 0;
  std::uint64_t total_dilation = 0;
  double average_dilation = 0;
  LoadSummary node_load;
  LoadSummary link_load;
};

/// Enumerates every guest edge. O(edges x dimensions) time; memory for the map and, 32 bits each, a
/// number per node and another per node and dimension. `map` is the node of each process, an
/// injection.
EmbeddingMetrics measure_embedding(const Topology& topology, const Guest& guest,
                                   std::span<const NodeId> map);

/// Closed forms of [X IV] for the standard or xor embedding of a cube on a line, ring, mesh, torus
/// or hypercube with power-of-two sides that it fills; nothing where the paper has none (other
/// embeddings or machines). Fields without a closed form stay empty.
struct ClosedForm {
  std::vector<std::uint32_t> distances;
  std::uint32_t longest_dilation = 0;
  std::uint64_t total_dilation = 0;
  double average_dilation = 0;
  std::map<std::uint32_t, std::uint64_t> spectrum;
  std::optional<std::uint64_t> node_load_min, node_load_max;
  std::optional<double> node_load_average;
  std::optional<std::uint64_t> link_load_min, link_load_max;  ///< rings only
};

/// `embedding` is a name of the catalogue. O(cube dimensions).
std::optional<ClosedForm> closed_form(const Topology& topology, std::string_view embedding);

/// For a cube that fills a machine of power-of-two sides the least average dilation there is; else
/// what the numbers of nodes within one, two, .. hops leave to the partners of a process. Needs a
/// guest that fits the machine. Enumerates nothing for a cube, else O(guest edges).
DilationBound dilation_bound(const Topology& topology, const Guest& guest);

/// Costs of the CC d-cube recurrence; durations may differ between processes, stages and pairs of
/// nodes.
struct CcCosts {
  std::vector<std::uint32_t> order;  ///< the cube dimension of each stage
  std::function<Ticks(ProcessId, std::uint32_t stage)> compute;
  std::function<Ticks(NodeId from, NodeId to)> transfer;  ///< all hops of one message
  Ticks send{0};                                          ///< endpoint costs of one message
  Ticks receive{0};
};

/// The CC d-cube algorithm by the recurrence of [X IV.A]: no contention, rendezvous exchanges.
struct CcPrediction {
  Ticks makespan{0};
  double waiting_total_s = 0;
  std::uint32_t waiting_processes = 0;
  std::vector<Ticks> finish;  ///< of each process
};
/// `map` has 2^d processes. O(processes x stages). Throws InputError past 63 bits, which the
/// waiting of all processes together may exceed.
CcPrediction predict_cc(std::span<const NodeId> map, const CcCosts& costs);
/// Uniform costs, ascending dimensions: the paper's case.
CcPrediction predict_cc(const Topology& topology, std::span<const NodeId> map, Ticks compute,
                        Ticks message_hop);

/// Messages between pairs of nodes in one direction each: the greatest number on one directed link
/// (`undirected`: on one link, both directions together).
enum class LinkSharing { directed, undirected };
std::uint64_t max_link_load(const Topology& topology,
                            std::span<const std::pair<NodeId, NodeId>> messages,
                            LinkSharing sharing);

}  // namespace dcube
