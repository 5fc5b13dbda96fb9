#include "dcube/network/network.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "network_runs.hpp"
#include "support/complaint.hpp"
#include "support/graph_topology.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> topology(const char* settings) {
  return make_topology(Params::parse(settings));
}

LinkModel uniform_links(const Topology& topology, const TransferCost& hop) {
  LinkModel links;
  links.per_dimension.assign(topology.dimension_count(), hop);
  return links;
}

Departure message(std::uint32_t source, std::uint32_t from, std::uint32_t to,
                  std::int64_t start = 0, std::uint64_t bytes = 0) {
  return {ProcessId{source}, 0, NodeId{from}, NodeId{to}, bytes, Ticks{start}};
}

TEST(Network, MessageOverHHopsTakesHTimesLatencyAndBytes) {
  const auto line = topology("kind=line,nodes=9");
  Network network{*line, uniform_links(*line, cost(5, 3))};
  const MessageId id = network.send(message(0, 1, 8, 100, 4));
  EXPECT_EQ(run_to_end(network).at(id), 100 + 7 * (5 + 3 * 4));
  EXPECT_EQ(network.messages()[id].hops, 7U);
  EXPECT_EQ(network.messages()[id].start, Ticks{100});
}

LinkModel with_injection(LinkModel links, const TransferCost& injection) {
  links.injection = injection;
  return links;
}

TEST(Network, InjectionIsPaidWhereAMessageLeavesAndWhereItEnters) {
  const auto line = topology("kind=line,nodes=9");
  for (const Contention contention : {Contention::on, Contention::off}) {
    LinkModel links = with_injection(uniform_links(*line, cost(5, 3)), cost(50, 1));
    links.contention = contention;
    Network network{*line, links};
    const MessageId id = network.send(message(0, 1, 8, 100, 4));
    EXPECT_EQ(run_to_end(network).at(id), 100 + 7 * (5 + 3 * 4) + 2 * (50 + 4));
    EXPECT_EQ(network.messages()[id].hops, 7U);
    EXPECT_EQ(network.hop_count(), 7U);
    EXPECT_EQ(network.link_counters().crossings.size(), line->link_slots());
  }
}

TEST(Network, InjectionOutAndInAreApart) {
  const auto square = topology("kind=hypercube,dimensions=2");
  const auto arrivals = [&](const Injection& injection) {
    LinkModel links = uniform_links(*square, cost(1));
    links.injection = injection;
    Network network{*square, links};
    const MessageId first = network.send(message(0, 0, 1));
    const MessageId second = network.send(message(1, 0, 2));  // leaves after the first
    const MessageId beside = network.send(message(3, 3, 1));  // enters node 1 beside the first
    const auto at = run_to_end(network);
    return std::array{at.at(first), at.at(second), at.at(beside)};
  };
  EXPECT_EQ(arrivals({cost(10), cost(4)}), (std::array<std::int64_t, 3>{15, 25, 19}));
  EXPECT_EQ(arrivals({cost(10), std::nullopt}), (std::array<std::int64_t, 3>{11, 21, 11}));
  EXPECT_EQ(arrivals({std::nullopt, cost(4)}), (std::array<std::int64_t, 3>{5, 5, 9}));
  EXPECT_EQ(arrivals({}), (std::array<std::int64_t, 3>{1, 1, 1}));
}

TEST(Network, InterfacesServeMessagesOfTheirTagsAlone) {
  const auto square = topology("kind=hypercube,dimensions=2");
  LinkModel links = with_injection(uniform_links(*square, cost(1)), cost(10));
  links.interfaces = 2;
  Network network{*square, links};
  std::vector<MessageId> sent;
  for (const std::uint32_t tag : {0U, 1U, 2U, 5U}) {
    sent.push_back(network.send(message(tag, 0, tag % 2 == 0 ? 1 : 2, 1)));
    network.messages()[sent.back()].tag = tag;
  }
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(sent[0]), 22);
  EXPECT_EQ(arrivals.at(sent[1]), 22);
  EXPECT_EQ(arrivals.at(sent[2]), 32);
  EXPECT_EQ(arrivals.at(sent[3]), 32);
}

TEST(Network, InjectionServesOneMessageAtATimeInEachDirection) {
  const auto square = topology("kind=hypercube,dimensions=2");
  Network network{*square, with_injection(uniform_links(*square, cost(1)), cost(10))};
  const MessageId first = network.send(message(0, 0, 1));
  const MessageId second = network.send(message(1, 0, 2));  // leaves after the first
  const MessageId back = network.send(message(2, 1, 0));    // nothing else enters node 0
  const MessageId beside = network.send(message(3, 3, 1));  // enters node 1 after the first
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(first), 21);
  EXPECT_EQ(arrivals.at(second), 31);
  EXPECT_EQ(arrivals.at(back), 21);
  EXPECT_EQ(arrivals.at(beside), 31);
  EXPECT_EQ(network.queued_hops(), 2U);
}

TEST(Network, HopTakesAtLeastOnePicosecond) {
  const auto line = topology("kind=line,nodes=4");
  Network network{*line, uniform_links(*line, cost(0))};
  const MessageId id = network.send(message(0, 0, 3));
  EXPECT_EQ(run_to_end(network).at(id), 3);
}

TEST(Network, EventsOnePicosecondApartStayApartAtAHundredThousandSeconds) {
  constexpr std::int64_t late_start =
      100'000'000'000'000'000;  // 10^5 s, past what a double resolves
  const auto ring = topology("kind=ring,nodes=8");
  Network network{*ring, uniform_links(*ring, cost(1))};
  const MessageId first = network.send(message(0, 0, 1, late_start));
  const MessageId second = network.send(message(2, 2, 3, late_start + 1));
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(first), late_start + 1);
  EXPECT_EQ(arrivals.at(second), late_start + 2);
}

TEST(Network, SimultaneousArrivalsAreServedBySourceWhateverTheOrderOfSends) {
  const auto line = topology("kind=line,nodes=4");
  for (const bool is_reversed : {false, true}) {
    Network network{*line, uniform_links(*line, cost(10))};
    // Two processes' messages at the same instant on the link 1->2: that of process 3 first.
    const Departure low = message(3, 1, 3);
    const Departure high = message(7, 1, 2);
    const MessageId a = network.send(is_reversed ? high : low);
    const MessageId b = network.send(is_reversed ? low : high);
    const auto arrivals = run_to_end(network);
    EXPECT_EQ(arrivals.at(is_reversed ? b : a), 20);
    EXPECT_EQ(arrivals.at(is_reversed ? a : b), 20);
    EXPECT_EQ(network.queued_hops(), 1U);
    EXPECT_DOUBLE_EQ(network.queued_seconds(), 10e-12);
  }
}

TEST(Network, QueuedSecondsGrowWhileMessagesWait) {
  const auto line = topology("kind=line,nodes=2");
  Network network{*line, uniform_links(*line, cost(10))};
  for (std::uint32_t source = 0; source < 3; ++source) {
    network.send(message(source, 0, 1, 1000));
  }
  network.advance(Ticks{1010});
  EXPECT_DOUBLE_EQ(network.queued_seconds(), 20e-12) << "two have waited from 1000 to 1010";
  network.advance(Ticks{1020});
  EXPECT_DOUBLE_EQ(network.queued_seconds(), 30e-12);
  run_to_end(network);
  EXPECT_DOUBLE_EQ(network.queued_seconds(), 30e-12);
}

TEST(Network, EarlierArrivalIsServedBeforeALowerSource) {
  const auto line = topology("kind=line,nodes=3");
  Network network{*line, uniform_links(*line, cost(10))};
  const MessageId holder = network.send(message(5, 0, 1, 0));
  const MessageId early = network.send(message(9, 0, 1, 3));
  const MessageId late = network.send(message(1, 0, 1, 4));
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(holder), 10);
  EXPECT_EQ(arrivals.at(early), 20);
  EXPECT_EQ(arrivals.at(late), 30);
}

TEST(Network, HalfDuplexDirectionsShareALinkAndFullDuplexOnesDoNot) {
  const auto ring = topology("kind=ring,nodes=4");
  for (const Duplex duplex : {Duplex::full, Duplex::half}) {
    LinkModel links = uniform_links(*ring, cost(10));
    links.duplex = duplex;
    Network network{*ring, links};
    const MessageId over_wrap = network.send(message(0, 3, 0));
    const MessageId back = network.send(message(1, 0, 3));
    const auto arrivals = run_to_end(network);
    EXPECT_EQ(arrivals.at(over_wrap), 10);
    EXPECT_EQ(arrivals.at(back), duplex == Duplex::half ? 20 : 10);
  }
}

TEST(Network, WithoutContentionNothingQueues) {
  const auto line = topology("kind=line,nodes=3");
  LinkModel links = uniform_links(*line, cost(10));
  links.contention = Contention::off;
  Network network{*line, links};
  const MessageId a = network.send(message(0, 0, 2));
  const MessageId b = network.send(message(1, 0, 2));
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(a), 20);
  EXPECT_EQ(arrivals.at(b), 20);
  EXPECT_EQ(network.queued_hops(), 0U);
}

TEST(Network, StopsAtTheHorizonAndGoesOnFromThere) {
  const auto line = topology("kind=line,nodes=3");
  Network network{*line, uniform_links(*line, cost(10))};
  network.send(message(0, 0, 2));
  EXPECT_TRUE(network.advance(Ticks{19}).empty());
  EXPECT_EQ(network.now(), Ticks{10});
  EXPECT_EQ(network.messages_under_way(), 1U);
  EXPECT_EQ(network.advance(Ticks{20}).size(), 1U);
  EXPECT_EQ(network.messages_under_way(), 0U);
}

TEST(Network, MessagesSentWhileAnInstantIsOpenTakePartInIt) {
  const auto line = topology("kind=line,nodes=3");
  Network network{*line, uniform_links(*line, cost(10))};
  network.send(message(0, 0, 1));
  network.send(message(8, 1, 2, 10));  // reaches 1->2 just when the first is delivered
  ASSERT_EQ(network.advance(Ticks::max()).size(), 1U);
  const MessageId rival = network.send(message(4, 1, 2, 10));
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(rival), 20) << "the lower source goes first, though it was sent last";
}

TEST(Network, RefusesToSendIntoAClosedInstant) {
  const auto line = topology("kind=line,nodes=3");
  Network network{*line, uniform_links(*line, cost(10))};
  network.send(message(0, 0, 2));
  network.advance(Ticks{15});
  EXPECT_THROW(network.send(message(1, 0, 1, 10)), ContractViolation);
}

TEST(Network, TimePastSixtyThreeBitsIsAnInputError) {
  const auto line = topology("kind=line,nodes=4");
  Network network{*line, uniform_links(*line, cost(std::int64_t{1} << 62))};
  network.send(message(0, 0, 3));
  EXPECT_THROW(run_to_end(network), InputError);
}

TEST(Network, BusyTimeOfALinkThatNobodyQueuesForExceedsSixtyThreeBits) {
  constexpr std::int64_t long_hop = std::int64_t{1} << 61;
  const auto line = topology("kind=line,nodes=2");
  LinkModel links = uniform_links(*line, cost(long_hop, 1));
  links.contention = Contention::off;
  for (const std::uint64_t sizes : {1U, 2U}) {
    Network network{*line, links};
    for (std::uint32_t source = 0; source < 8; ++source) {
      network.send(message(source, 0, 1, 0, source % sizes));
    }
    run_to_end(network);
    EXPECT_DOUBLE_EQ(network.link_counters().busy[0], 8.0 * static_cast<double>(long_hop));
  }
}

TEST(Network, CountsMoreHopsThanThirtyTwoBitsHold) {
  constexpr std::uint32_t nodes = 65'537;
  constexpr std::uint32_t messages = 70'000;
  const auto line = topology("kind=line,nodes=65537");
  LinkModel links = uniform_links(*line, cost(1));
  links.contention = Contention::off;
  Network network{*line, links};
  for (std::uint32_t source = 0; source < messages; ++source) {
    network.send(message(source, 0, nodes - 1));
  }
  EXPECT_EQ(network.hop_count(), std::uint64_t{messages} * (nodes - 1));
  const LinkCounters counters = network.link_counters();
  EXPECT_EQ(counters.crossings[0], messages);
  EXPECT_EQ(counters.crossings[nodes - 2], messages);
  EXPECT_EQ(counters.busy[nodes - 2], messages);
}

TEST(Network, ALinkModelMustFitTheTopology) {
  const auto line = topology("kind=line,nodes=4");
  LinkModel links = uniform_links(*line, cost(1));
  for (const std::uint32_t link : {line->link_slots(), 3U}) {  // node 3 has no link upwards
    links.overrides = {{LinkId{link}, cost(2)}};
    EXPECT_EQ(complaint<ContractViolation>([&] { Network(*line, links); }),
              "link " + std::to_string(link) +
                  " has a cost of its own, but no link of the topology has this number");
  }
}

TEST(Network, AnyNumberOfBlocksOfLinksWorks) {
  for (const std::uint32_t nodes : {129U, 130U, 300U}) {
    const auto graph = testing::make_complete_graph(nodes);
    for (const Duplex duplex : {Duplex::full, Duplex::half}) {
      LinkModel links = uniform_links(*graph, cost(10));
      links.duplex = duplex;
      Network network{*graph, links};
      for (std::uint32_t from = 0; from < nodes; ++from) {
        for (const std::uint32_t way : {1U, nodes / 2, nodes - 1}) {
          network.send(message(from, from, (from + way) % nodes));
        }
      }
      for (const auto& [id, arrival] : run_to_end(network)) {
        ASSERT_LE(arrival, duplex == Duplex::half ? 20 : 10);
        ASSERT_EQ(network.messages()[id].hops, 1U);
      }
    }
  }
}

TEST(Network, SidesOfOneNodeTakeNoDirections) {
  std::string shape = "kind=mesh,shape=1";
  for (std::uint32_t side = 1; side < 80; ++side) {
    shape += "x1";
  }
  const auto mesh = topology((shape + "x3x2").c_str());
  Network network{*mesh, uniform_links(*mesh, cost(10))};
  const MessageId there = network.send(message(0, 0, 5));
  const MessageId back = network.send(message(5, 5, 0));
  const auto arrivals = run_to_end(network);
  EXPECT_EQ(arrivals.at(there), 30);
  EXPECT_EQ(arrivals.at(back), 30);
}

TEST(Network, MoreDirectionsThanAnEventCanNameAreRefused) {
  constexpr std::uint32_t leaves = 129;
  std::vector<testing::LinkBlock> blocks(leaves);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    blocks[leaf] = {{{NodeId{0}, NodeId{leaf + 1}}, {NodeId{leaf + 1}, NodeId{0}}}, leaf};
  }
  const auto star = testing::make_graph(leaves + 1, std::move(blocks));
  Network network{*star, uniform_links(*star, cost(10))};
  for (std::uint32_t leaf = 1; leaf < leaves; ++leaf) {
    network.send(message(leaf, 0, leaf));
  }
  EXPECT_THROW(network.send(message(leaves, 0, leaves)), ContractViolation);
}

/// Ring links that all differ.
LinkModel different_links(const Topology& ring) {
  LinkModel links = uniform_links(ring, cost(1));
  for (std::uint32_t link = 0; link < ring.link_slots(); ++link) {
    links.overrides[LinkId{link}] = cost(100 + link, 1 + link % 7);
  }
  return links;
}

TEST(Network, ManySizesOnManyDifferentLinksTakeLittleMemory) {
  constexpr std::uint32_t sizes = 5000;
  const auto ring = topology("kind=ring,nodes=2048");
  LinkModel links = different_links(*ring);
  links.contention = Contention::off;
  const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = in_use();
  Network network{*ring, links};
  std::map<MessageId, std::int64_t> expected;
  for (std::uint32_t size = 0; size < sizes; ++size) {
    const std::uint32_t from = size % 2000;
    const MessageId id = network.send(message(size, from, from + 3, 0, size));
    for (const std::uint32_t link : {from, from + 1, from + 2}) {
      expected[id] += hop_time(links.overrides.at(LinkId{link}), size).count();
    }
  }
  EXPECT_LT(in_use() - before, 30'000'000U) << "a table of all would take 160 MB";
  EXPECT_EQ(run_to_end(network), expected);
}

TEST(Network, SizesWithoutARowInTheTableQueueLikeOthers) {
  const auto ring = topology("kind=ring,nodes=2048");
  const LinkModel links = different_links(*ring);
  Network network{*ring, links};
  for (std::uint32_t size = 0; size < 300; ++size) {
    network.send(message(size, 2 * size, 2 * size + 1, 0, size));
  }
  const MessageId first = network.send(message(1, 1000, 1001, 1'000'000, 5000));
  const MessageId second = network.send(message(2, 1000, 1001, 1'000'000, 5001));
  const auto arrivals = run_to_end(network);
  const auto hop = [&](std::uint64_t bytes) {
    return hop_time(links.overrides.at(LinkId{1000}), bytes).count();
  };
  EXPECT_EQ(arrivals.at(first), 1'000'000 + hop(5000));
  EXPECT_EQ(arrivals.at(second), 1'000'000 + hop(5000) + hop(5001));
}

/// What `link_counters` should say, from the records of single hops.
LinkCounters count_hops(const Topology& topology, const std::vector<Hop>& hops) {
  LinkCounters counters{std::vector<std::uint64_t>(topology.link_slots()),
                        std::vector<double>(topology.link_slots())};
  for (const Hop& hop : hops) {
    ++counters.crossings[hop.link.index()];
    counters.busy[hop.link.index()] += static_cast<double>((hop.finish - hop.start).count());
  }
  return counters;
}

struct CounterCase {
  const char* topology;
  std::uint32_t sizes;
  std::uint32_t overrides;
  Duplex duplex;
  Contention contention;
};

class Counters : public ::testing::TestWithParam<CounterCase> {};

TEST_P(Counters, AgreeWithTheHopsOneByOne) {
  const CounterCase& which = GetParam();
  const auto machine = topology(which.topology);
  const std::uint32_t nodes = machine->node_count();
  LinkModel links = uniform_links(*machine, cost(7, 2));
  links.duplex = which.duplex;
  links.contention = which.contention;
  SplitMix64 random{42};
  for (std::uint32_t i = 0; i < which.overrides; ++i) {
    const LinkId link{static_cast<std::uint32_t>(bounded(random.next(), machine->link_slots()))};
    if (machine->link(link)) {
      links.overrides[link] = cost(20 + i);
    }
  }
  std::vector<Hop> hops;
  Network network{*machine, links, [&hops](const Hop& hop) { hops.push_back(hop); }};
  for (std::uint32_t i = 0; i < 400; ++i) {
    const auto from = static_cast<std::uint32_t>(bounded(random.next(), nodes));
    const auto to = static_cast<std::uint32_t>(bounded(random.next(), nodes));
    if (from != to) {
      network.send(message(i, from, to, i / 8, bounded(random.next(), which.sizes)));
    }
  }
  run_to_end(network);
  const LinkCounters expected = count_hops(*machine, hops);
  EXPECT_EQ(network.hop_count(), hops.size());
  EXPECT_EQ(network.link_counters().crossings, expected.crossings);
  EXPECT_EQ(network.link_counters().busy, expected.busy);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Counters,
    ::testing::Values(
        CounterCase{"kind=torus,shape=6x5", 1, 0, Duplex::full, Contention::on},
        CounterCase{"kind=torus,shape=6x5", 4, 0, Duplex::full, Contention::on},
        CounterCase{"kind=torus,shape=6x5", 4, 9, Duplex::full, Contention::on},
        CounterCase{"kind=torus,shape=6x5", 4, 9, Duplex::half, Contention::on},
        CounterCase{"kind=ring,nodes=9,tie=positive", 1, 5, Duplex::half, Contention::on},
        CounterCase{"kind=mesh,shape=2x3x4", 40, 0, Duplex::half, Contention::on},
        CounterCase{"kind=hypercube,dimensions=5", 9, 6, Duplex::full, Contention::off},
        CounterCase{"kind=torus,shape=2x4x3", 3, 4, Duplex::half, Contention::off}));

}  // namespace
}  // namespace dcube
