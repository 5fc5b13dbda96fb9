#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/network/network.hpp"
#include "dcube/topology/adjacency.hpp"
#include "dcube/topology/routing.hpp"
#include "network_runs.hpp"
#include "support/complaint.hpp"

// How long messages take where nobody is in their way, by formulas.

namespace dcube {
namespace {

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

}  // namespace
}  // namespace dcube
