#include "dcube/topology/routing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/network/host_machine.hpp"
#include "dcube/network/network.hpp"
#include "dcube/topology/adjacency.hpp"
#include "network_runs.hpp"
#include "support/complaint.hpp"

// Which links messages take where they draw or choose their routes.

namespace dcube {
namespace {

TEST(Routing, DrawnWaysDependOnTheSeedTheSourceAndTheSendNumberAlone) {
  for (const Routing kind : {Routing::random_order, Routing::valiant}) {
    Machine machine = machine_of("kind=torus,shape=8x8", cost(1), Switching::store_and_forward);
    machine.links.routing = {kind, 5};
    const auto crossings = [&](bool backwards) {
      Network network{*machine.topology, machine.links};
      for (std::uint32_t i = 0; i < 64; ++i) {
        const std::uint32_t node = backwards ? 63 - i : i;
        network.send({ProcessId{node}, 3, NodeId{node}, NodeId{(node + 27) % 64}, 0, Ticks{0}});
      }
      run_to_end(network);
      return network.link_counters().crossings;
    };
    const auto one = crossings(false);
    EXPECT_EQ(one, crossings(true));
    machine.links.routing.seed = 6;
    EXPECT_NE(one, crossings(false));
  }
}

/// Adaptive messages spread over the shortest ways: of four from corner to corner of a 2x2 mesh at
/// most two share a link.
TEST(Routing, AdaptiveMessagesTakeTheLinkThatIsFreeFirst) {
  Machine machine = machine_of("kind=mesh,shape=2x2", cost(10), Switching::store_and_forward);
  const auto last_arrival = [&] {
    Network network{*machine.topology, machine.links};
    for (std::uint32_t source = 0; source < 4; ++source) {
      network.send({ProcessId{source}, 0, NodeId{0}, NodeId{3}, 0, Ticks{0}});
    }
    std::int64_t last = 0;
    for (const auto& [id, time] : run_to_end(network)) {
      last = std::max(last, time);
    }
    return last;
  };
  EXPECT_EQ(last_arrival(), 50);
  machine.links.routing.kind = Routing::minimal_adaptive;
  EXPECT_EQ(last_arrival(), 30);
}

/// Two neighbours four hops apart half way round: the second message goes the other way although
/// both links are free again when it sets out.
TEST(Routing, AdaptiveMessagesTakeTheLinkThatHasBeenFreeTheLongest) {
  Machine machine = machine_of("kind=ring,nodes=8", cost(10), Switching::store_and_forward);
  machine.links.routing.kind = Routing::minimal_adaptive;
  Network network{*machine.topology, machine.links};
  for (std::uint32_t number = 0; number < 4; ++number) {
    network.send({ProcessId{0}, number, NodeId{0}, NodeId{4}, 0, Ticks{100 * number}});
  }
  run_to_end(network);
  const LinkCounters& counters = network.link_counters();
  EXPECT_EQ(counters.crossings[0], 2U);  // 0->1
  EXPECT_EQ(counters.crossings[8], 2U);  // 0->7
}

/// On a ring of four, both ways to the opposite node are as long. One is taken by a message whose
/// tail is still to come.
TEST(Routing, AdaptiveMessagesReckonWithTailsToCome) {
  Machine machine = machine_of("kind=graph,edges=[[0,1],[1,2],[2,3],[3,0],[4,0]]", cost(1000, 1),
                               Switching::cut_through);
  const Topology& graph = *machine.topology;
  const LinkId to_0 = adjacency_of(graph).link_between(NodeId{4}, NodeId{0}).value();
  machine.links.overrides[to_0] = cost(1000, 10);
  machine.links.routing.kind = Routing::minimal_adaptive;
  Network network{graph, machine.links};
  // It goes to 1 first, whose link it holds from 1000 to 11000.
  network.send({ProcessId{4}, 0, NodeId{4}, NodeId{2}, 1000, Ticks{0}});
  network.send({ProcessId{0}, 0, NodeId{0}, NodeId{2}, 3000, Ticks{1500}});
  const MessageId last = network.send({ProcessId{0}, 1, NodeId{0}, NodeId{2}, 1000, Ticks{3000}});
  // By 3, whose link is free from 4500 on.
  EXPECT_EQ(run_to_end(network).at(last), 4500 + 2000 + 1000);
}

/// Three groups of a router with two terminals each. The first message holds the link to its group
/// from 1000 to 11000, its head until 2000. At 3000 the way over the third group is cheaper, three
/// hops against two behind a message; at 12000 it is not.
TEST(Routing, UgalCountsAMessageUntilItsTailHasLeft) {
  for (const auto& [sent, detours] : {std::pair{2000, 1U}, std::pair{11000, 0U}}) {
    Machine machine =
        machine_of("kind=dragonfly,p=2,a=1,h=2", cost(1000, 1), Switching::cut_through);
    machine.links.routing.kind = Routing::ugal;
    const Topology& dragonfly = *machine.topology;
    Network network{dragonfly, machine.links};
    network.send({ProcessId{0}, 0, NodeId{0}, NodeId{2}, 10000, Ticks{0}});
    network.send({ProcessId{1}, 0, NodeId{1}, NodeId{3}, 0, Ticks{sent}});
    run_to_end(network);
    const LinkId detour = adjacency_of(dragonfly).link_between(NodeId{6}, NodeId{8}).value();
    EXPECT_EQ(network.link_counters().crossings[detour.index()], detours);
  }
}

/// Two terminals below two switches, one of which leads back to the sender alone.
TEST(Routing, AdaptiveMessagesLeaveOutSwitchesThatFailuresMadeDeadEnds) {
  Machine machine =
      machine_of("kind=fat_tree,down=[2],up=[2]", cost(10), Switching::store_and_forward);
  machine.topology = with_failures(machine.topology, {{}, {LinkId{6}}, {}});  // 1-3
  machine.links.routing.kind = Routing::minimal_adaptive;
  Network network{*machine.topology, machine.links};
  const MessageId sent = network.send({ProcessId{0}, 0, NodeId{0}, NodeId{1}, 0, Ticks{0}});
  EXPECT_EQ(run_to_end(network).at(sent), 20);
}

TEST(Routing, WaysToAndFromAHostComputerAreDrawnInTheGrid) {
  Machine plain = machine_of("kind=mesh,shape=4x4", cost(1), Switching::store_and_forward);
  plain.links.routing = {Routing::random_order, 3};
  for (const std::optional<NodeId> gate : {std::optional{NodeId{5}}, std::optional<NodeId>{}}) {
    plain.host = HostComputer{gate, cost(1)};
    const Machine machine = machine_with_host(plain);
    const NodeId host = host_node(plain);
    std::set<std::uint32_t> last_links;
    for (std::uint32_t number = 0; number < 40; ++number) {
      Network network{*machine.topology, machine.links};
      const bool is_from_host = number % 2 == 0;
      const MessageId id = network.send({ProcessId{1}, number, is_from_host ? host : NodeId{15},
                                         is_from_host ? NodeId{15} : host, 0, Ticks{0}});
      EXPECT_EQ(run_to_end(network).at(id), machine.topology->distance(NodeId{15}, host));
      // From the last node either dimension may come first.
      for (std::uint32_t slot = 0; slot < plain.topology->link_slots(); ++slot) {
        const std::optional<Link> link = plain.topology->link(LinkId{slot});
        if (link && link->from == NodeId{15} && network.link_counters().crossings[slot] > 0) {
          last_links.insert(slot);
        }
      }
    }
    EXPECT_EQ(last_links.size(), gate ? 2U : 0U);
  }
}

/// Between nodes the host computer changes nothing.
TEST(Routing, ADrawnWayDoesNotDependOnAHostComputer) {
  Machine machine = machine_of("kind=torus,shape=4x8x2", cost(1), Switching::store_and_forward);
  machine.links.routing = {Routing::random_order, 4};
  machine.host = HostComputer{NodeId{3}, cost(1)};
  const Machine extended = machine_with_host(machine);
  const auto crossings = [](const Machine& used) {
    Network network{*used.topology, used.links};
    for (std::uint32_t node = 0; node < 64; ++node) {
      network.send({ProcessId{node}, 3, NodeId{node}, NodeId{(node + 27) % 64}, 0, Ticks{0}});
    }
    run_to_end(network);
    return network.link_counters().crossings;
  };
  const auto without = crossings(machine);
  auto with = crossings(extended);
  with.resize(without.size());
  EXPECT_EQ(with, without);
}

TEST(Routing, ValiantVisitsTheNodeThatIsDrawn) {
  Machine machine = machine_of("kind=torus,shape=8x8", cost(1), Switching::store_and_forward);
  machine.links.routing = {Routing::valiant, 1};
  for (std::uint32_t number = 0; number < 50; ++number) {
    const auto over =
        static_cast<std::uint32_t>(bounded(hash_of(std::uint64_t{1}, 9, number, 0), 64));
    Network network{*machine.topology, machine.links};
    const MessageId id = network.send({ProcessId{9}, number, NodeId{0}, NodeId{20}, 0, Ticks{0}});
    const Topology& torus = *machine.topology;
    EXPECT_EQ(run_to_end(network).at(id),
              torus.distance(NodeId{0}, NodeId{over}) + torus.distance(NodeId{over}, NodeId{20}));
  }
}

TEST(Routing, AnOrderCanBeDrawnInGridsAlone) {
  Machine machine = machine_of("kind=twisted_torus,shape=2x4", cost(1), Switching::pipelined);
  machine.links.routing.kind = Routing::random_order;
  EXPECT_NE(complaint([&] { Network network(*machine.topology, machine.links); }).find("valiant"),
            std::string::npos);
}

}  // namespace
}  // namespace dcube
