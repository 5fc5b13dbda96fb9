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
#include "dcube/core/load_summary.hpp"
#include "dcube/core/time.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Lower bound on the dilation of every embedding of a guest on a machine.
struct DilationBound {
  std::uint64_t total_dilation = 0;
  double average_dilation = 0;  ///< over all edges of the guest
  std::string source;
};

/// Whether the directions of a link have loads of their own or one together.
enum class LinkSharing { directed, undirected };

/// Loads as in Table I of [X]: every guest edge counts once, along the route from the lower process
/// label to the higher, so numbering matters, and both directions of a link together.
struct OneWayLoads {
  LoadSummary node;
  LoadSummary link;
};

/// Costs of an embedding without a run: processes that share a guest edge send each other a
/// message. The load of a link is the number of messages that cross it, that of a node the number
/// of those that pass through it without ending there, as in a run.
struct EmbeddingMetrics {
  std::uint32_t dimensions = 0;
  /// Distance between partners in each guest dimension [X II.C]; empty unless it is the same for
  /// all processes in each. 0 in a dimension without edges.
  std::vector<std::uint32_t> constant_distances;
  /// Dilation -> number of edges. If the routes there and back differ in length (routing tables),
  /// the longer one counts, here and in `total_dilation`.
  std::map<std::uint32_t, std::uint64_t> spectrum;
  std::uint32_t longest_dilation = 0;
  std::uint64_t total_dilation = 0;
  double average_dilation = 0;  ///< hops of an average message
  LoadSummary node_load;
  LoadSummary link_load;  ///< over each directed link (`undirected`: both directions together)
  OneWayLoads one_way;
};

/// Walks every guest edge, and back where the routes may differ: O(edges x dimensions) time. `map`
/// is the node of each process; an edge inside a node has dilation 0 and loads nothing. Throws
/// MemoryError when measuring_bytes() are not available.
EmbeddingMetrics measure_embedding(const Topology& topology, const Guest& guest,
                                   std::span<const NodeId> map,
                                   LinkSharing sharing = LinkSharing::directed);
/// Memory of measure_embedding() if routes back are the mirror images of those there: a number per
/// node and another per node and dimension, of 4 bytes each while twice the messages are fewer than
/// 2^32, else of 8. Other routes take up to four times as much.
std::uint64_t measuring_bytes(const Topology& topology, const Guest& guest);

/// Closed forms of [X IV] for the standard or xor embedding of a cube on a line, ring, mesh, torus
/// or hypercube with power-of-two sides that it fills; nothing for other embeddings and machines.
/// Fields without a closed form in the paper stay empty. Loads are OneWayLoads.
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

/// `embedding` is a name of the catalogue. `inside` are the cube dimensions that stay inside nodes,
/// ascending: there are as many dimensions more than the machine has. O(cube dimensions).
std::optional<ClosedForm> closed_form(const Topology& topology, std::string_view embedding,
                                      std::span<const std::uint32_t> inside = {});

/// The greatest bound known. For a cube that fills a machine of power-of-two sides with one slot a
/// node, or a line, mesh or hypercube with 2^k, it is the optimum. Otherwise it follows from the
/// number of slots within 0, 1, 2, .. hops of a process, and for cubes from the least number of
/// edges that leave a set of processes. Needs a guest that fits the machine. O(cube dimensions) for
/// a cube, else O(guest edges).
DilationBound dilation_bound(const Topology& topology, const Guest& guest, std::uint32_t slots = 1);

/// The greatest bound that the embedding does not refute, and take_refuted()'s line on others.
struct HeldDilationBound {
  DilationBound bound;
  std::string refuted;
};
HeldDilationBound held_dilation_bound(const Topology& topology, const Guest& guest,
                                      std::uint32_t slots, const EmbeddingMetrics& metrics);

/// Costs of the CC d-cube recurrence, by process and stage, and by pair of nodes.
struct CcCosts {
  std::vector<std::uint32_t> order;  ///< the cube dimension of each stage
  std::function<Ticks(ProcessId, std::uint32_t stage)> compute;
  std::function<Ticks(NodeId from, NodeId to)> transfer;  ///< of one message over all its hops
  Ticks send{0};                                          ///< endpoint costs of one message
  Ticks receive{0};
};

/// Result of the CC d-cube recurrence of [X IV.A]: no contention, rendezvous exchanges.
struct CcPrediction {
  Ticks makespan{0};
  double waiting_total_s = 0;
  std::uint32_t waiting_processes = 0;
  std::vector<Ticks> finish;  ///< of each process
};
/// `map`: nodes of 2^d processes. O(processes x stages). Throws InputError when a time passes 63
/// bits; the sum of all waiting may.
CcPrediction predict_cc(std::span<const NodeId> map, const CcCosts& costs);
/// The paper's case: uniform costs, ascending dimensions. `local_message`: time of a message
/// between two processes of a node.
CcPrediction predict_cc(const Topology& topology, std::span<const NodeId> map, Ticks compute,
                        Ticks message_hop, Ticks local_message = Ticks{1});

/// Greatest number of messages (from the first node of a pair to the second) over one link.
std::uint64_t max_link_load(const Topology& topology,
                            std::span<const std::pair<NodeId, NodeId>> messages,
                            LinkSharing sharing);

}  // namespace dcube
