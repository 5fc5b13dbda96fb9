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

/// A lower bound that no embedding of the guest on the machine can beat, and the theorem behind it.
struct DilationBound {
  std::uint64_t total_dilation = 0;
  double average_dilation = 0;  ///< of all edges of the guest
  std::string source;
};

/// Whether loads are those of each direction of a link, or of both directions together.
enum class LinkSharing { directed, undirected };

/// Loads as [X] counts them for its Table I: every guest edge once, along the machine's route from
/// the lower process label to the higher, and both directions of a link together. They depend on
/// how processes are numbered.
struct OneWayLoads {
  LoadSummary node;
  LoadSummary link;
};

/// What an embedding costs before anything runs: two processes that share a guest edge send each
/// other a message. The load of a link is the number of messages that cross it, that of a node the
/// number of messages that pass through it and do not end there, as in a run.
struct EmbeddingMetrics {
  std::uint32_t dimensions = 0;
  /// The distance between partners in each guest dimension [X II.C]; empty when it is not the same
  /// for all processes. A dimension without edges has distance 0.
  std::vector<std::uint32_t> constant_distances;
  /// Dilation -> edges. Where a routing table has ways of different length there and back, an edge
  /// counts with the longer, here and in `total_dilation`.
  std::map<std::uint32_t, std::uint64_t> spectrum;
  std::uint32_t longest_dilation = 0;
  std::uint64_t total_dilation = 0;
  double average_dilation = 0;  ///< the hops of an average message
  LoadSummary node_load;
  LoadSummary link_load;  ///< over each directed link (`undirected`: both directions together)
  OneWayLoads one_way;
};

/// Enumerates every guest edge, its two ways apart where one may not be the other's mirror image.
/// O(edges x dimensions) time. `map` is the node of each process; an edge between two processes of
/// a node has dilation 0 and loads nothing. Throws MemoryError when measuring_bytes() are not
/// there.
EmbeddingMetrics measure_embedding(const Topology& topology, const Guest& guest,
                                   std::span<const NodeId> map,
                                   LinkSharing sharing = LinkSharing::directed);
/// The memory that measure_embedding() takes while routes lead back the way that they came: a
/// number per node and another per node and dimension, of 4 bytes each while twice the messages are
/// fewer than 2^32, else of 8. Other routes take up to four times as much.
std::uint64_t measuring_bytes(const Topology& topology, const Guest& guest);

/// Closed forms of [X IV] for the standard or xor embedding of a cube on a line, ring, mesh, torus
/// or hypercube with power-of-two sides that it fills; nothing for other embeddings and machines.
/// Fields for which the paper has no closed form stay empty. Loads are OneWayLoads.
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

/// For a cube that fills a machine of power-of-two sides with one slot a node, or a line, mesh or
/// hypercube with 2^k, this is the least average dilation there is. Otherwise it follows from how
/// many slots are within no, one, two, .. hops of a process, and for cubes from how few edges can
/// leave a set of processes. Needs a guest that fits the machine. O(cube dimensions) for a cube,
/// else O(guest edges).
DilationBound dilation_bound(const Topology& topology, const Guest& guest, std::uint32_t slots = 1);

/// The greatest of these bounds that an embedding has not refuted, and what take_refuted() says of
/// the others.
struct HeldDilationBound {
  DilationBound bound;
  std::string refuted;
};
HeldDilationBound held_dilation_bound(const Topology& topology, const Guest& guest,
                                      std::uint32_t slots, const EmbeddingMetrics& metrics);

/// Costs of the CC d-cube recurrence; durations may differ between processes, stages and pairs of
/// nodes.
struct CcCosts {
  std::vector<std::uint32_t> order;  ///< the cube dimension of each stage
  std::function<Ticks(ProcessId, std::uint32_t stage)> compute;
  std::function<Ticks(NodeId from, NodeId to)> transfer;  ///< of one message, all its hops
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
/// `map` has 2^d processes. O(processes x stages). Throws InputError when a time passes 63 bits;
/// the sum of all waiting may.
CcPrediction predict_cc(std::span<const NodeId> map, const CcCosts& costs);
/// Uniform costs, ascending dimensions: the paper's case. `local_message` is the time of a message
/// between two processes of a node.
CcPrediction predict_cc(const Topology& topology, std::span<const NodeId> map, Ticks compute,
                        Ticks message_hop, Ticks local_message = Ticks{1});

/// The greatest number of messages over one link. A pair of nodes is a message from the first to
/// the second.
std::uint64_t max_link_load(const Topology& topology,
                            std::span<const std::pair<NodeId, NodeId>> messages,
                            LinkSharing sharing);

}  // namespace dcube
