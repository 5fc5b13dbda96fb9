#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// `fixed + per_byte * bytes`, rounded once per message size, half up, to whole picoseconds.
struct TransferCost {
  ExactTime fixed;
  ExactTime per_byte;

  Ticks of(std::uint64_t bytes) const { return round_cost(fixed, per_byte, bytes); }

  friend bool operator==(const TransferCost&, const TransferCost&) = default;
  /// An order for use as a key; not by size.
  friend auto operator<=>(const TransferCost&, const TransferCost&) = default;
};

enum class Duplex { full, half };
enum class Contention { off, on };

/// What a hop costs on each link, and how messages share it. A hop takes at least 1 ps.
struct LinkModel {
  std::vector<TransferCost> per_dimension;   ///< one entry for every dimension of the topology
  std::map<LinkId, TransferCost> overrides;  ///< single directed links that differ
  /// What a message pays at the two servers that stand between a node and its links: one that all
  /// messages pass which leave the node, one for those that enter it. At least 1 ps at each, first
  /// come first served like links. Nothing: a node can use all its links at once.
  std::optional<TransferCost> injection = std::nullopt;
  Duplex duplex = Duplex::full;
  Contention contention = Contention::on;
};

/// What sending and receiving a message costs the process itself.
struct EndpointModel {
  TransferCost send;
  TransferCost receive;
  /// Larger messages leave only when their receiver is ready; nothing: every message leaves at
  /// once.
  std::optional<std::uint64_t> eager_limit_bytes = std::nullopt;
};

/// What a node offers the processes on it.
struct NodeModel {
  std::uint32_t slots = 1;             ///< processes that it hosts at most, >= 1
  std::optional<std::uint32_t> cores;  ///< >= 1; nothing: one for every process on it
  /// Of a message between two processes of the node, which crosses no link; at least 1 ps.
  TransferCost local;
};

/// Which of SimGrid's own models carries messages that share links at one time. LV08 multiplies
/// latencies by 13.01 and bandwidths by 0.97; CM02 multiplies neither.
enum class FluidModel { cm02, lv08 };

/// A host computer beside the network, joined to one node or to every node.
struct HostComputer {
  std::optional<NodeId> attached_to;  ///< nothing: every node
  TransferCost link;
};

/// A multicomputer: network, costs and speeds. A plain value; the topology is shared and never
/// changes.
struct Machine {
  std::string name;
  std::shared_ptr<const Topology> topology;
  LinkModel links;
  EndpointModel endpoint;
  NodeModel node;
  /// Messages are flows over SimGrid's links, which share bandwidth; nothing: a link carries one
  /// message at a time, see Network.
  std::optional<FluidModel> fluid = std::nullopt;
  std::optional<HostComputer> host;
  /// Duration of one operation, by name: "add", "multiply".
  std::map<std::string, ExactTime> compute;
};

/// Time of a message of one size from node to node when it queues nowhere, or inside a node. The
/// machine must outlive it.
class TransferTime {
 public:
  TransferTime(const Machine& machine, std::uint64_t bytes);

  /// O(runs of the route), or O(its hops) on a machine with single links that differ. Throws
  /// InputError past 63 bits.
  Ticks operator()(NodeId from, NodeId to) const;

 private:
  Ticks run_time(const Run& run) const;

  const Machine* machine_;
  Ticks local_;
  Ticks injections_{0};  ///< both
  std::vector<Ticks> per_dimension_;
  std::map<LinkId, Ticks> overrides_;
};

/// What one hop of a message takes: the transfer cost, at least 1 ps.
Ticks hop_time(const TransferCost& cost, std::uint64_t bytes);

/// The injection servers have numbers that follow those of the links: first for what leaves each
/// node, then for what enters it.
enum class Passage { out, in };
LinkId injection_server(const Topology& topology, NodeId node, Passage passage);
/// Whose server a number stands for; nothing for the number of a link.
struct InjectionServer {
  NodeId node;
  Passage passage{};
};
std::optional<InjectionServer> injection_server_of(const Topology& topology, LinkId server);

}  // namespace dcube
