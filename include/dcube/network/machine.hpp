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

/// When a node passes a message on, and when a link takes the next.
/// `store_and_forward`: a node passes a message on when it has all of it, and its link is taken
/// until then. `pipelined`: likewise, but the link takes the next message once the bytes of this
/// one are on the wire; it does not wait for the latency. `cut_through`: a node passes a message on
/// as soon as it has the head. The bytes follow, and what cannot go on waits in the node, which has
/// room for all of it (virtual cut-through). A link is taken for the bytes alone.
enum class Switching { store_and_forward, pipelined, cut_through };

/// Which way messages go. `fixed`: the topology's own route. `random_order`: through the dimensions
/// of a grid in an order that each message draws. `valiant`: over a node that each message draws,
/// by the topology's own routes, unless that is its source or destination (Valiant & Brebner 1981).
/// `minimal_adaptive`: over the link, among those that bring a message nearer, that it can have
/// first. Of free links it takes the one that has been free the longest, and of equals the
/// lowest-numbered. Messages that reach a node at one instant choose one after the other, in order
/// of (source, send number).
enum class Routing { fixed, random_order, valiant, minimal_adaptive };

struct RoutingModel {
  Routing kind = Routing::fixed;
  /// Draw number i of a message is the hash of (seed, source, send number, i), see hash_of(). Draw
  /// 0 is the node of `valiant`. An order of n dimensions is shuffled from its end: place i - 1 is
  /// exchanged with one of the first i that draw i names, for i = n, .., 1. Messages take the
  /// dimensions from the end.
  std::uint64_t seed = 0;
};

/// From an instant on, some of the machine does not work.
struct Fault {
  Ticks at{0};  ///< > 0
  /// The network without all that has failed by then; see with_failures().
  std::shared_ptr<const Topology> left;
};

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
  Switching switching = Switching::store_and_forward;
  RoutingModel routing{};
  /// Larger messages are cut into packets of so many bytes (>= 1), the last one smaller, which
  /// leave together, travel on their own and are served in their order.
  std::optional<std::uint64_t> packet_bytes = std::nullopt;
  /// In order of time. A message that is on a link when it fails, or whose head is, begins that hop
  /// again, and those that wait for the link look for another way. What is in a node that fails
  /// starts again from its source. A hop that ends at this instant has been made. Needs contention.
  std::vector<Fault> faults{};
};

/// What sending and receiving a message costs the process itself.
struct EndpointModel {
  TransferCost send;
  TransferCost receive;
  /// How long a network interface is busy with a message, at either end (g and G of LogGP).
  /// Programs that are graphs have interfaces; others do not.
  TransferCost gap{};
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

/// What one hop of a message takes: the transfer cost, at least 1 ps.
Ticks hop_time(const TransferCost& cost, std::uint64_t bytes);

/// How long one hop takes a message, and how long it takes the link.
struct HopTime {
  Ticks advance{0};    ///< until the message (cut-through: its head) is at the next node; >= 1 ps
  Ticks occupancy{0};  ///< until the link can take the next message; >= 1 ps
  Ticks body{0};       ///< cut-through: what the tail is behind the head; else 0
};
HopTime hop_time(Switching switching, const TransferCost& cost, std::uint64_t bytes);

/// Time of a message of one size from node to node, by the topology's own route, when it queues
/// nowhere but behind its own packets, or inside a node. The machine must outlive it.
class TransferTime {
 public:
  TransferTime(const Machine& machine, std::uint64_t bytes);

  /// O(runs of the route), or O(its hops) where single links differ or the message is in packets.
  /// Throws InputError past 63 bits.
  Ticks operator()(NodeId from, NodeId to) const;

 private:
  friend class LeastTransfer;
  /// Of one packet, on every kind of link.
  struct Costs {
    HopTime injection;
    std::vector<HopTime> per_dimension;
    std::map<LinkId, HopTime> overrides;
  };
  struct Flight;

  Costs costs_of(std::uint64_t bytes) const;
  void cross(const Run& run, Flight& flight) const;

  const Machine* machine_;
  Ticks local_;
  std::uint64_t packets_before_ = 0;  ///< the last one
  Costs first_;                       ///< of each packet but the last
  Costs last_;
};

/// The least that a message of one size can take between two processes, wherever they are: over one
/// hop of the link that is fastest for it, or inside a node where several processes share one. It
/// queues nowhere but behind its own packets.
class LeastTransfer {
 public:
  /// The machine must outlive it.
  LeastTransfer(const Machine& machine, std::uint64_t bytes);

  /// At least 1 ps.
  Ticks time() const { return time_; }
  /// At least as much comes with every hop more.
  Ticks further_hop() const { return further_hop_; }

 private:
  Ticks time_{0};
  Ticks further_hop_{0};
};

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
