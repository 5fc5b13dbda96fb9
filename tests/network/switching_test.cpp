#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/network/host_machine.hpp"
#include "dcube/network/network.hpp"
#include "dcube/topology/adjacency.hpp"
#include "dcube/topology/routing.hpp"
#include "network_runs.hpp"
#include "support/complaint.hpp"

// How long messages take where nobody is in their way, by formulas.

namespace dcube {
namespace {

/// A machine whose links all cost the same.
Machine machine_of(const char* topology, const TransferCost& hop, Switching switching,
                   std::optional<std::uint64_t> packet = std::nullopt) {
  Machine machine;
  machine.topology = make_topology(Params::parse(topology));
  machine.links.per_dimension.assign(machine.topology->class_count(), hop);
  machine.links.switching = switching;
  machine.links.packet_bytes = packet;
  return machine;
}

std::int64_t time_alone(const Machine& machine, NodeId from, NodeId to, std::uint64_t bytes) {
  Network network{*machine.topology, machine.links};
  const MessageId id = network.send({ProcessId{0}, 0, from, to, bytes, Ticks{0}});
  return run_to_end(network).at(id);
}

/// On a line of 9 nodes.
std::int64_t time_over(const Machine& machine, std::uint32_t hops, std::uint64_t bytes) {
  return time_alone(machine, NodeId{0}, NodeId{hops}, bytes);
}

TEST(Switching, CutThroughTakesTheHeadsHopsAndTheBytesOnce) {
  for (const Contention contention : {Contention::on, Contention::off}) {
    Machine machine = machine_of("kind=line,nodes=9", cost(50, 3), Switching::cut_through);
    machine.links.contention = contention;
    for (std::uint32_t hops = 1; hops < 9; ++hops) {
      for (const std::uint64_t bytes : {0U, 1U, 100U, 5000U}) {
        EXPECT_EQ(time_over(machine, hops, bytes),
                  hops * 50 + static_cast<std::int64_t>(bytes) * 3);
      }
    }
  }
}

TEST(Switching, PacketsFollowEachOther) {
  const std::int64_t packet_time = 50 + 10 * 3;
  for (const Contention contention : {Contention::on, Contention::off}) {
    Machine machine =
        machine_of("kind=line,nodes=9", cost(50, 3), Switching::store_and_forward, 10);
    machine.links.contention = contention;
    for (std::uint32_t hops = 1; hops < 9; ++hops) {
      for (const std::int64_t packets : {1, 2, 7, 100}) {
        EXPECT_EQ(time_over(machine, hops, static_cast<std::uint64_t>(packets) * 10),
                  (hops + packets - 1) * packet_time);
      }
    }
  }
}

TEST(Switching, OnePacketIsAMessageWithoutPackets) {
  for (const Switching switching :
       {Switching::store_and_forward, Switching::pipelined, Switching::cut_through}) {
    const Machine whole = machine_of("kind=line,nodes=9", cost(50, 3), switching);
    const Machine packet = machine_of("kind=line,nodes=9", cost(50, 3), switching, 100);
    for (const std::uint64_t bytes : {0U, 1U, 100U}) {
      EXPECT_EQ(time_over(packet, 5, bytes), time_over(whole, 5, bytes));
    }
  }
}

/// A link that is pipelined carries p messages of one node in latency + p times their bytes.
TEST(Switching, PipelinedLinksTakeTheNextMessageAfterTheBytes) {
  for (const Switching switching : {Switching::store_and_forward, Switching::pipelined}) {
    const Machine machine = machine_of("kind=line,nodes=2", cost(50, 3), switching);
    Network network{*machine.topology, machine.links};
    for (std::uint32_t source = 0; source < 4; ++source) {
      network.send({ProcessId{source}, 0, NodeId{0}, NodeId{1}, 10, Ticks{0}});
    }
    std::vector<std::int64_t> times;
    for (const auto& [id, time] : run_to_end(network)) {
      times.push_back(time);
    }
    std::ranges::sort(times);
    const bool is_pipelined = switching == Switching::pipelined;
    EXPECT_EQ(times, (is_pipelined ? std::vector<std::int64_t>{80, 110, 140, 170}
                                   : std::vector<std::int64_t>{80, 160, 240, 320}));
  }
}

TEST(Switching, ASlowLinkHoldsUpTheTailOnTheFastLinksBehindIt) {
  Machine machine = machine_of("kind=line,nodes=4", cost(10, 1), Switching::cut_through);
  machine.links.overrides[machine.topology->next_run(NodeId{0}, NodeId{1}).first] = cost(10, 7);
  EXPECT_EQ(time_over(machine, 3, 100), 3 * 10 + 100 * 7);
  machine.links.overrides.clear();
  machine.links.overrides[machine.topology->next_run(NodeId{2}, NodeId{3}).first] = cost(10, 7);
  EXPECT_EQ(time_over(machine, 3, 100), 3 * 10 + 100 * 7);
}

TEST(Switching, AFastLinkBehindASlowOneIsInUseUntilTheTailIsThere) {
  for (const Contention contention : {Contention::on, Contention::off}) {
    Machine machine = machine_of("kind=line,nodes=3", cost(10, 1), Switching::cut_through);
    machine.links.overrides[machine.topology->next_run(NodeId{0}, NodeId{1}).first] = cost(10, 7);
    machine.links.contention = contention;
    std::vector<Hop> hops;
    Network network{*machine.topology, machine.links, [&](const Hop& hop) { hops.push_back(hop); }};
    network.send({ProcessId{0}, 0, NodeId{0}, NodeId{2}, 100, Ticks{0}});
    run_to_end(network);
    ASSERT_EQ(hops.size(), 2U);
    EXPECT_EQ(hops[1].start, Ticks{10});
    EXPECT_EQ(hops[1].release, Ticks{10 + 100 * 7});
  }
}

/// Sources of the packets that a link of 10 ticks a packet serves, in order.
std::vector<std::uint32_t> served(const std::vector<Departure>& departures, Service service,
                                  Switching switching) {
  Machine machine = machine_of("kind=line,nodes=2", cost(10), switching, 1);
  if (switching != Switching::store_and_forward) {
    machine = machine_of("kind=line,nodes=2", cost(3, 10), switching, 1);
  }
  machine.links.service = service;
  std::vector<Hop> hops;
  Network network{*machine.topology, machine.links, [&](const Hop& hop) { hops.push_back(hop); }};
  for (const Departure& departure : departures) {
    network.send(departure);
  }
  run_to_end(network);
  std::ranges::sort(hops, {}, &Hop::start);
  std::vector<std::uint32_t> sources;
  std::map<ProcessId, std::uint32_t> packets;
  for (const Hop& hop : hops) {
    EXPECT_EQ(hop.start, Ticks{static_cast<std::int64_t>(sources.size()) * 10});
    EXPECT_EQ(hop.packet, packets[hop.source]++);
    sources.push_back(hop.source.index());
  }
  return sources;
}

TEST(Service, MessagesInTurnHaveAPacketEachAndNewOnesJoinAtTheEnd) {
  const auto from = [](std::uint32_t source, std::uint64_t bytes, std::int64_t start) {
    return Departure{ProcessId{source}, 0, NodeId{0}, NodeId{1}, bytes, Ticks{start}};
  };
  // Source 3 comes when the link becomes free, before source 0 has its second packet served.
  const std::vector<Departure> departures{from(1, 2, 0), from(0, 4, 0), from(2, 1, 15),
                                          from(3, 2, 20)};
  for (const Switching switching :
       {Switching::store_and_forward, Switching::pipelined, Switching::cut_through}) {
    EXPECT_EQ(served(departures, Service::round_robin, switching),
              (std::vector<std::uint32_t>{0, 1, 0, 1, 2, 3, 0, 3, 0}));
    EXPECT_EQ(served(departures, Service::first_come_first_served, switching),
              (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 2, 3, 3}));
  }
}

TEST(Switching, AMessageOfTooManyPacketsIsRefused) {
  const Machine machine = machine_of("kind=line,nodes=2", cost(1), Switching::cut_through, 1);
  Network network{*machine.topology, machine.links};
  EXPECT_EQ(complaint([&] {
              network.send({ProcessId{0}, 0, NodeId{0}, NodeId{1}, 1'048'577, Ticks{0}});
            }),
            "a message of 1048577 bytes would travel in 1048577 packets, which are more than "
            "1048576 (use larger packets)");
}

/// TransferTime knows what a network does: random costs, with and without injection and packets.
TEST(Switching, TransferTimeIsThatOfAMessageAlone) {
  SplitMix64 draw{7};
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(bounded(draw.next(), bound));
  };
  const auto drawn_cost = [&](std::uint64_t fixed, std::uint64_t per_byte) {
    const std::int64_t drawn_per_byte = below(per_byte);
    return cost(below(fixed), drawn_per_byte);
  };
  const auto drawn_passage = [&] {
    return below(3) == 0 ? std::nullopt : std::optional{drawn_cost(9, 4)};
  };
  for (int round = 0; round < 3000; ++round) {
    const auto switching = static_cast<Switching>(below(3));
    Machine machine = machine_of("kind=torus,shape=5x4", drawn_cost(9, 4), switching);
    if (below(2) == 0) {
      machine.links.packet_bytes = static_cast<std::uint64_t>(1 + below(9));
    }
    if (below(2) == 0) {
      machine.links.per_dimension[1] = drawn_cost(9, 4);
    }
    const std::int64_t differs = below(2);
    for (std::int64_t count = differs * below(40); count > 0; --count) {
      machine.links.overrides[LinkId{static_cast<std::uint32_t>(below(80))}] = drawn_cost(30, 6);
    }
    if (below(3) == 0) {
      machine.links.injection = {drawn_passage(), drawn_passage()};
    }
    machine.links.contention = below(3) == 0 ? Contention::off : Contention::on;
    const NodeId from{static_cast<std::uint32_t>(below(20))};
    const NodeId to{static_cast<std::uint32_t>(below(20))};
    const auto bytes = static_cast<std::uint64_t>(below(40));
    if (from != to) {
      const std::int64_t alone = time_alone(machine, from, to, bytes);
      ASSERT_EQ((TransferTime{machine, bytes}(from, to).count()), alone) << "round " << round;
      const std::uint32_t hops = machine.topology->distance(from, to);
      const LeastTransfer least{machine, bytes};
      ASSERT_LE((least.time() + (hops - 1) * least.further_hop()).count(), alone)
          << "round " << round;
      if (machine.links.overrides.empty() && hops == 1 &&
          machine.links.per_dimension[0] == machine.links.per_dimension[1]) {
        ASSERT_EQ(least.time().count(), alone) << "round " << round;
      }
    }
  }
}

/// Packets that find ways of their own may be there earlier than in line.
TEST(Switching, NoMessageIsFasterThanTheLeastTransferWhateverItsWay) {
  SplitMix64 draw{8};
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(bounded(draw.next(), bound));
  };
  const auto drawn_cost = [&](std::uint64_t fixed, std::uint64_t per_byte) {
    const std::int64_t drawn_per_byte = below(per_byte);
    return cost(below(fixed), drawn_per_byte);
  };
  const auto drawn_passage = [&] {
    return below(3) == 0 ? std::nullopt : std::optional{drawn_cost(9, 4)};
  };
  for (int round = 0; round < 2000; ++round) {
    const auto switching = static_cast<Switching>(below(3));
    Machine machine = machine_of("kind=torus,shape=4x4", drawn_cost(9, 4), switching);
    machine.links.packet_bytes = static_cast<std::uint64_t>(1 + below(9));
    machine.links.routing = {static_cast<Routing>(1 + below(3)), 5};
    if (below(3) == 0) {
      machine.links.injection = {drawn_passage(), drawn_passage()};
    }
    const NodeId from{static_cast<std::uint32_t>(below(16))};
    const NodeId to{static_cast<std::uint32_t>(below(16))};
    const auto bytes = static_cast<std::uint64_t>(below(40));
    if (from != to) {
      const std::uint32_t hops = machine.topology->distance(from, to);
      const LeastTransfer least{machine, bytes};
      ASSERT_LE((least.time() + (hops - 1) * least.further_hop()).count(),
                time_alone(machine, from, to, bytes))
          << "round " << round;
    }
  }
}

/// A message alone, in one packet or several: what links say of their time is what their hops say,
/// with contention and without.
TEST(Switching, LinksAreBusyUntilTailsHaveLeftThem) {
  SplitMix64 draw{9};
  const auto below = [&](std::uint64_t bound) {
    return static_cast<std::int64_t>(bounded(draw.next(), bound));
  };
  const auto drawn_cost = [&](std::uint64_t fixed, std::uint64_t per_byte) {
    return cost(below(fixed), below(per_byte));
  };
  const auto busy = [](const Machine& machine, NodeId to, std::uint64_t bytes, bool tells) {
    std::vector<double> told(machine.topology->link_slots());
    const auto on_hop = [&](const Hop& hop) {
      if (hop.link.index() < told.size()) {
        told[hop.link.index()] += static_cast<double>((hop.release - hop.start).count());
      }
    };
    Network network{*machine.topology, machine.links,
                    tells ? on_hop : std::function<void(const Hop&)>{}};
    network.send({ProcessId{0}, 0, NodeId{0}, to, bytes, Ticks{0}});
    run_to_end(network);
    const std::vector<double> counted = network.link_counters().busy;
    EXPECT_EQ(tells ? told : counted, counted);
    return counted;
  };
  for (int round = 0; round < 1000; ++round) {
    Machine machine = machine_of("kind=torus,shape=5x4", drawn_cost(9, 4), Switching::cut_through);
    machine.links.per_dimension[1] = drawn_cost(9, 4);
    if (below(2) == 0) {
      machine.links.overrides[LinkId{static_cast<std::uint32_t>(below(80))}] = drawn_cost(30, 6);
    }
    if (below(2) == 0) {
      machine.links.injection.out = drawn_cost(9, 9);
    }
    if (below(2) == 0) {
      machine.links.packet_bytes = static_cast<std::uint64_t>(1 + below(9));
    }
    const NodeId to{static_cast<std::uint32_t>(1 + below(19))};
    const auto bytes = static_cast<std::uint64_t>(below(40));
    const std::vector<double> contended = busy(machine, to, bytes, false);
    EXPECT_EQ(busy(machine, to, bytes, true), contended) << "round " << round;
    machine.links.contention = Contention::off;
    EXPECT_EQ(busy(machine, to, bytes, false), contended) << "round " << round;
    EXPECT_EQ(busy(machine, to, bytes, true), contended) << "round " << round;
  }
}

// --- Ways ---

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

/// A line of five nodes whose first link is ten times as slow as the others.
Machine machine_behind_a_slow_link() {
  Machine machine = machine_of("kind=line,nodes=5", cost(1000, 1), Switching::cut_through);
  machine.links.overrides[LinkId{0}] = cost(1000, 10);
  return machine;
}

TEST(Switching, ALinkIsBusyUntilATailFromASlowerLinkHasPassed) {
  const Machine machine = machine_behind_a_slow_link();
  Network network{*machine.topology, machine.links};
  network.send({ProcessId{0}, 0, NodeId{0}, NodeId{2}, 500, Ticks{0}});
  const MessageId later = network.send({ProcessId{1}, 0, NodeId{1}, NodeId{2}, 500, Ticks{1500}});
  EXPECT_EQ(run_to_end(network).at(later), 6000 + 1000 + 500);
  // From when the head is there, at 1000, to when the tail is, at 6000; and the later one.
  EXPECT_EQ(network.link_counters().busy[1], 5000 + 500);
}

/// Two messages are on a link when it fails: the tail of the first, from a slower link, has left
/// it, its head is not over it yet.
TEST(Switching, HopsThatAFailureUndoesDoNotCountAsBusy) {
  Machine machine = machine_of("kind=ring,nodes=5", cost(1000, 1), Switching::cut_through);
  const Adjacency links = adjacency_of(*machine.topology);
  const LinkId failing = links.link_between(NodeId{1}, NodeId{2}).value();
  machine.links.overrides[links.link_between(NodeId{0}, NodeId{1}).value()] = cost(1000, 10);
  machine.links.faults = {{Ticks{1900}, with_failures(machine.topology, {{}, {failing}, {}})}};
  Network network{*machine.topology, machine.links};
  // It holds the link from 1000 to 1500.
  network.send({ProcessId{0}, 0, NodeId{0}, NodeId{2}, 50, Ticks{0}});
  network.send({ProcessId{1}, 0, NodeId{1}, NodeId{2}, 300, Ticks{1500}});
  EXPECT_EQ(run_to_end(network).size(), 2U);
  EXPECT_EQ(network.link_counters().crossings[failing.index()], 0U);
  EXPECT_EQ(network.link_counters().busy[failing.index()], 0);
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
