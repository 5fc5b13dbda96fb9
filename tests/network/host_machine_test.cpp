#include "dcube/network/host_machine.hpp"

#include <gtest/gtest.h>

#include <map>

#include "dcube/core/errors.hpp"
#include "dcube/network/network.hpp"

namespace dcube {
namespace {

/// A line of 4 with hops of 1 s; 3 s more to or from the host.
Machine line_with_host(std::optional<NodeId> attached_to) {
  Machine machine;
  machine.topology = make_topology(Params::parse("kind=line,nodes=4"));
  machine.links.per_dimension = {{ExactTime{std::chrono::seconds{1}}, {}}};
  machine.host = HostComputer{attached_to, {ExactTime{std::chrono::seconds{3}}, {}}};
  return machine;
}

/// When the host's messages to the nodes 0, 1, 2, 3, sent at once, arrive: seconds by node.
std::map<std::uint32_t, double> arrivals(const Machine& machine, Duplex duplex) {
  Machine extended = machine_with_host(machine);
  extended.links.duplex = duplex;
  Network network{*extended.topology, extended.links};
  std::map<MessageId, std::uint32_t> destinations;
  for (std::uint32_t node = 0; node < 4; ++node) {
    const MessageId id =
        network.send({ProcessId{4}, node, host_node(machine), NodeId{node}, 1, Ticks{0}});
    destinations.emplace(id, node);
  }
  std::map<std::uint32_t, double> found;
  while (network.messages_under_way() > 0) {
    for (const MessageId id : network.advance(Ticks::max())) {
      found[destinations.at(id)] = to_seconds(network.now());
    }
  }
  return found;
}

using Seconds = std::map<std::uint32_t, double>;

TEST(HostMachine, MessagesQueueForTheLinkToTheOneNode) {
  for (const Duplex duplex : {Duplex::full, Duplex::half}) {
    EXPECT_EQ(arrivals(line_with_host(NodeId{1}), duplex),
              (Seconds{{0, 4}, {1, 6}, {2, 10}, {3, 14}}));
  }
}

TEST(HostMachine, LinksToAllNodesWorkAtOnce) {
  for (const Duplex duplex : {Duplex::full, Duplex::half}) {
    EXPECT_EQ(arrivals(line_with_host(std::nullopt), duplex),
              (Seconds{{0, 3}, {1, 3}, {2, 3}, {3, 3}}));
  }
}

TEST(HostMachine, LinkCountersKnowTheHostsLinks) {
  const Machine machine = line_with_host(NodeId{2});
  for (const Duplex duplex : {Duplex::full, Duplex::half}) {
    Machine extended = machine_with_host(machine);
    extended.links.duplex = duplex;
    Network network{*extended.topology, extended.links};
    network.send({ProcessId{4}, 0, host_node(machine), NodeId{0}, 1, Ticks{0}});
    network.send({ProcessId{0}, 0, NodeId{0}, host_node(machine), 1, Ticks{0}});
    while (!network.advance(Ticks::max()).empty()) {
    }
    const LinkCounters counters = network.link_counters();
    const std::uint32_t to_host = machine.topology->link_slots();
    const bool is_shared = duplex == Duplex::half;
    EXPECT_EQ(counters.crossings[to_host], is_shared ? 2U : 1U);
    EXPECT_EQ(counters.crossings[to_host + 1], is_shared ? 0U : 1U);
    EXPECT_EQ(counters.busy[to_host], (is_shared ? 6 : 3) * std::int64_t{1'000'000'000'000});
  }
}

TEST(HostMachine, TransfersPayTheHostsLinkAndTheWay) {
  const Machine extended = machine_with_host(line_with_host(NodeId{0}));
  const TransferTime transfer{extended, 1};
  EXPECT_EQ(transfer(NodeId{4}, NodeId{3}), std::chrono::seconds{6});
  EXPECT_EQ(transfer(NodeId{3}, NodeId{4}), std::chrono::seconds{6});
  EXPECT_EQ(transfer(NodeId{1}, NodeId{3}), std::chrono::seconds{2});
}

TEST(HostMachine, SingleLinksThatDifferKeepTheirCosts) {
  Machine machine = line_with_host(NodeId{0});
  machine.links.overrides.emplace(LinkId{0}, TransferCost{ExactTime{std::chrono::seconds{9}}, {}});
  const Machine extended = machine_with_host(machine);
  const TransferTime transfer{extended, 1};
  EXPECT_EQ(transfer(NodeId{4}, NodeId{2}), std::chrono::seconds{13});
}

TEST(HostMachine, NeedsAHost) {
  Machine machine = line_with_host(NodeId{0});
  machine.host.reset();
  EXPECT_THROW(machine_with_host(machine), ContractViolation);
}

}  // namespace
}  // namespace dcube
