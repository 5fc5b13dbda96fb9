#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/core/time.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// `fixed + per_byte * bytes`, rounded once per message size, half up, to whole picoseconds.
struct TransferCost {
  ExactTime fixed;
  ExactTime per_byte;
  bool never_queues = false;  ///< of a link: any number of messages cross it at a time

  Ticks of(std::uint64_t bytes) const { return round_cost(fixed, per_byte, bytes); }

  friend bool operator==(const TransferCost&, const TransferCost&) = default;
  /// Order for use as a key; not by size.
  friend auto operator<=>(const TransferCost&, const TransferCost&) = default;
};

enum class Duplex { full, half };
enum class Contention { off, on };

/// When a node passes a message on, and when a link takes the next. `store_and_forward`: when the
/// node has all of the message, and its link is taken until then. `pipelined`: likewise, but the
/// link takes the next message when the bytes of this one are on the wire, without the latency.
/// `cut_through`: when the node has the head. The bytes follow, and a blocked message waits in the
/// node, which has room for all of it (virtual cut-through); a link is taken for the bytes alone.
enum class Switching { store_and_forward, pipelined, cut_through };

/// Order in which a link serves what waits for it. `first_come_first_served`: by (arrival, source,
/// send number). `round_robin`: the messages take turns, a packet each. A message joins the end of
/// the round when its first packet waits, and again when one of several has been served. At an
/// instant, arrivals join before a free link serves.
enum class Service { first_come_first_served, round_robin };

/// Choice of routes. `fixed`: the topology's own route. `random_order`: through the dimensions of a
/// grid in an order that each message draws. `valiant`: over a node that each message draws, by the
/// topology's own routes, unless it is the source or destination (Valiant & Brebner 1981).
/// `minimal_adaptive`: over the link that is free first, of those that bring a message nearer; of
/// free links the one free the longest, then the lowest-numbered. Messages that reach a node at one
/// instant choose in order of (source, send number).
///
/// In networks whose terminals pass nothing on, `valiant` draws a switch. Where groups are linked,
/// `valiant_group` goes through a group that each message draws, to the first node there and on by
/// the topology's own routes, unless source or destination are in it or both in one group. `ugal`
/// (Singh 2005) compares that way with the topology's own where the message is at its first switch:
/// it takes the own one if its cost is at most that of the other plus `threshold`; see Sight.
/// `ecmp`: by the topology's routes of a flow, which are the message's own.
enum class Routing { fixed, random_order, valiant, minimal_adaptive, valiant_group, ugal, ecmp };

/// What `ugal` sees of a way, and so what that costs. `first_link`: (messages on its first link
/// + 1) * hops left, as a router knows it. `way`: the sum of (messages + 1) over its links, as
/// if routers knew all queues (UGAL-G in Besta & Hoefler 2014, section IV).
/// A link has the messages that wait for it or occupy it, and those whose heads are crossing it.
enum class Sight { first_link, way };

struct RoutingModel {
  Routing kind = Routing::fixed;
  /// Draw i of a message is the hash of (seed, source, send number, i), see hash_of(). Draw 0 is
  /// the node of `valiant`. An order of n dimensions is shuffled from its end, for i = n, .., 1:
  /// place i - 1 is exchanged with one of the first i, named by draw i. Messages begin at the end.
  std::uint64_t seed = 0;
  std::uint64_t threshold = 0;  ///< of ugal, in messages times hops, or messages
  Sight sight = Sight::first_link;
};

/// Failure of part of the machine from an instant on.
struct Fault {
  Ticks at{0};  ///< > 0
  /// The network without all parts that have failed by then; see with_failures().
  std::shared_ptr<const Topology> left;
};

/// Whether a message leaves a node or enters it.
enum class Passage { out, in };

/// Costs at the two servers between a node and its links: one for all messages that leave the node,
/// one for all that enter it. At least 1 ps each, first come first served like links.
struct Injection {
  std::optional<TransferCost> out;  ///< nothing: messages leave over all links at once
  std::optional<TransferCost> in;   ///< nothing: messages enter over all links at once

  Injection() = default;
  Injection(const TransferCost& alike) : out{alike}, in{alike} {}
  Injection(const std::optional<TransferCost>& leaving, const std::optional<TransferCost>& entering)
      : out{leaving}, in{entering} {}

  const std::optional<TransferCost>& of(Passage passage) const {
    return passage == Passage::out ? out : in;
  }
  explicit operator bool() const { return out || in; }
  friend bool operator==(const Injection&, const Injection&) = default;
};

/// Costs of a hop on each link, and the rules by which messages share links. A hop takes >= 1 ps.
struct LinkModel {
  std::vector<TransferCost> per_dimension;   ///< one entry for every class of the topology's links
  std::map<LinkId, TransferCost> overrides;  ///< for single directed links that differ
  Injection injection{};
  /// So many of its servers each way; a message takes that of its tag, modulo this number.
  std::uint32_t interfaces = 1;
  Duplex duplex = Duplex::full;
  Contention contention = Contention::on;
  Switching switching = Switching::store_and_forward;
  RoutingModel routing{};
  /// Larger messages are cut into packets of this size (>= 1), the last one smaller. Packets leave
  /// together, travel on their own and are served in order.
  std::optional<std::uint64_t> packet_bytes = std::nullopt;
  Service service = Service::first_come_first_served;
  /// Ascending in time. A message or head on a failing link begins that hop again, and messages
  /// that wait for the link look for another way. Messages in a failing node start again from their
  /// source. A hop that ends at this instant has been made. Needs contention.
  std::vector<Fault> faults{};
};

/// Costs of larger messages, for which a library changes its protocol: by rendezvous, without a
/// copy.
struct EndpointStep {
  std::uint64_t above = 0;  ///< bytes; of larger messages
  TransferCost send;
  TransferCost receive;

  friend bool operator==(const EndpointStep&, const EndpointStep&) = default;
};

/// What differs where a collective uses several ports. A library may then have a thread for each
/// port, which leaves one core for what all cores do together at one port.
struct SeveralPorts {
  /// Computing to combine a message and each of its bytes, to copy a byte and to work out a
  /// message; nothing: as at one port.
  std::optional<ExactTime> combine = std::nullopt;
  std::optional<ExactTime> combine_per_byte = std::nullopt;
  std::optional<ExactTime> copy_per_byte = std::nullopt;
  std::optional<ExactTime> plan = std::nullopt;
  /// Whether a process combines when the messages of all its ports have come, and then goes on at
  /// all of them. If not, each port goes on when its own has.
  bool in_step = false;
  /// Whether each port has a core of its own, which sends, receives and combines while the others
  /// do. If not, the process does one thing after the other.
  bool threads = false;
};

/// Costs of a message for its sending and receiving processes, and of a collective.
struct EndpointModel {
  TransferCost send;
  TransferCost receive;
  /// How long a network interface is busy with a message, at either end (g and G of LogGP). Only
  /// programs that are graphs have interfaces.
  TransferCost gap{};
  /// Larger messages leave only when their receiver is ready; nothing: all leave at once.
  std::optional<std::uint64_t> eager_limit_bytes = std::nullopt;
  /// Ascending in `above`; `send` and `receive` are those of messages above none of them.
  std::vector<EndpointStep> larger{};
  /// Computing of each process before the first step of a collective that it waits for, for the
  /// call and for each port that the call uses.
  ExactTime call{};
  ExactTime call_per_port{};
  /// Computing to combine a message, and each of its bytes, where a collective does not say.
  ExactTime combine{};
  ExactTime combine_per_byte{};
  /// Computing to copy a byte in memory, to work out a message and to send one more piece of it, in
  /// collectives that do so: CollectiveOptions::copies, plans, sends_pieces.
  ExactTime copy_per_byte{};
  ExactTime plan{};
  ExactTime piece{};
  /// Computing in each of lg p rounds in which the processes tell each other something small before
  /// a collective, as where their buffers are: CollectiveOptions::exchanges.
  ExactTime exchange{};
  SeveralPorts several_ports{};

  /// Time that sending or receiving a message of that size takes.
  Ticks send_time(std::uint64_t bytes) const {
    const EndpointStep* const step = step_of(bytes);
    return (step != nullptr ? step->send : send).of(bytes);
  }
  Ticks receive_time(std::uint64_t bytes) const {
    const EndpointStep* const step = step_of(bytes);
    return (step != nullptr ? step->receive : receive).of(bytes);
  }
  /// Computing to combine a message, to copy a byte, and to work out a message, in a collective
  /// with that many ports.
  TransferCost combining(std::size_t ports) const {
    return ports > 1 ? TransferCost{several_ports.combine.value_or(combine),
                                    several_ports.combine_per_byte.value_or(combine_per_byte)}
                     : TransferCost{combine, combine_per_byte};
  }
  const ExactTime& copying(std::size_t ports) const {
    return ports > 1 && several_ports.copy_per_byte ? *several_ports.copy_per_byte : copy_per_byte;
  }
  const ExactTime& planning(std::size_t ports) const {
    return ports > 1 && several_ports.plan ? *several_ports.plan : plan;
  }
  /// The step of messages of that size; null: they are above none.
  const EndpointStep* step_of(std::uint64_t bytes) const {
    const EndpointStep* found = nullptr;
    for (const EndpointStep& step : larger) {
      found = bytes > step.above ? &step : found;
    }
    return found;
  }
};

/// Resources of a node for its processes.
struct NodeModel {
  std::uint32_t slots = 1;             ///< most processes on it, >= 1
  std::optional<std::uint32_t> cores;  ///< >= 1; nothing: one for every process on it
  /// Cost of a message between processes of the node, which crosses no link; at least 1 ps.
  TransferCost local;
};

/// SimGrid's own model for messages that share links at one time. LV08 multiplies latencies by
/// 13.01 and bandwidths by 0.97; CM02 multiplies neither.
enum class FluidModel { cm02, lv08 };

/// A host computer beside the network, joined to one node or to every node.
struct HostComputer {
  std::optional<NodeId> attached_to;  ///< nothing: every node
  TransferCost link;
};

/// A multicomputer: network, costs and speeds. The topology is shared and never changes.
struct Machine {
  std::string name;
  std::shared_ptr<const Topology> topology;
  LinkModel links;
  EndpointModel endpoint;
  NodeModel node;
  /// With a value, messages are flows that share the bandwidth of SimGrid's links; nothing: a link
  /// carries one message at a time, see Network.
  std::optional<FluidModel> fluid = std::nullopt;
  std::optional<HostComputer> host;
  /// Duration of one operation, by name: "add", "multiply".
  std::map<std::string, ExactTime> compute;
};

/// Time of one hop of a message: the transfer cost, at least 1 ps.
Ticks hop_time(const TransferCost& cost, std::uint64_t bytes);

/// Times of one hop of a message.
struct HopTime {
  Ticks advance{0};    ///< until the message (cut-through: its head) is at the next node; >= 1 ps
  Ticks occupancy{0};  ///< until the link can take the next message; >= 1 ps, or 0
  Ticks body{0};       ///< cut-through: lag of the tail behind the head; else 0
};
HopTime hop_time(Switching switching, const TransferCost& cost, std::uint64_t bytes);

/// Time of a message of one size from node to node by the topology's own route, when it queues only
/// behind its own packets, or inside a node. The machine must outlive it.
class TransferTime {
 public:
  TransferTime(const Machine& machine, std::uint64_t bytes);

  /// O(runs of the route), with packets or differing links O(hops). InputError past 63 bits.
  Ticks operator()(NodeId from, NodeId to) const;

 private:
  friend class LeastTransfer;
  /// Costs of one packet on every kind of link.
  struct Costs {
    HopTime out;
    HopTime in;
    std::vector<HopTime> per_dimension;
    std::map<LinkId, HopTime> overrides;
  };
  struct Flight;

  Costs costs_of(std::uint64_t bytes) const;
  void cross(const Run& run, Flight& flight) const;

  const Machine* machine_;
  Ticks local_;
  std::uint64_t packets_before_ = 0;  ///< number of packets before the last
  Costs first_;                       ///< of each packet before the last
  Costs last_;
};

/// Least time of a message of one size between any two processes: one hop of the fastest link for
/// it, or a transfer inside a shared node. It queues only behind its own packets.
class LeastTransfer {
 public:
  /// The machine must outlive it.
  LeastTransfer(const Machine& machine, std::uint64_t bytes);

  /// At least 1 ps.
  Ticks time() const { return time_; }
  /// Least time that every further hop adds.
  Ticks further_hop() const { return further_hop_; }

 private:
  Ticks time_{0};
  Ticks further_hop_{0};
};

/// Injection servers are numbered after the links: of each interface first those out of each node,
/// then into it.
LinkId injection_server(const Topology& topology, NodeId node, Passage passage,
                        std::uint32_t interface = 0);
/// The injection server of a number; nothing for the number of a link.
struct InjectionServer {
  NodeId node;
  Passage passage{};
};
std::optional<InjectionServer> injection_server_of(const Topology& topology, LinkId server);

}  // namespace dcube
