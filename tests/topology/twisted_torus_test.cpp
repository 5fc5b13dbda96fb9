#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> machine_of(const std::string& settings) {
  return make_topology(Params::parse("kind=" + settings, "m.json: /topology"));
}

std::string twist_problem(const std::string& settings) {
  try {
    machine_of(settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The greatest load of a link when every node sends one message to every other.
std::uint32_t all_to_all_load(const Topology& topology) {
  std::vector<std::uint32_t> loads(topology.link_slots());
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      for_each_link(topology, NodeId{from}, NodeId{to},
                    [&](LinkId link) { ++loads[link.index()]; });
    }
  }
  return *std::ranges::max_element(loads);
}

/// The load if the hops from a node were spread evenly over its 2D links, rounded up.
std::uint32_t balanced_load(const Topology& topology) {
  std::uint32_t hops = 0;
  for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
    hops += topology.distance(NodeId{0}, NodeId{to});
  }
  const std::uint32_t links = 2 * topology.dimension_count();
  return (hops + links - 1) / links;
}

TEST(TwistedTorus, AWrapAddsItsSideToEveryCoordinate) {
  const auto topology = machine_of("twisted_torus,shape=4x4x8");
  // (3, 1, 2) up in dimension 0: (0, 1, 6). (1, 3, 6) up in dimension 1: (1, 0, 2).
  const auto node = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return NodeId{x + 4 * (y + 4 * z)};
  };
  EXPECT_EQ(topology->distance(node(3, 1, 2), node(0, 1, 6)), 1U);
  EXPECT_EQ(topology->distance(node(1, 3, 6), node(1, 0, 2)), 1U);
  EXPECT_EQ(topology->distance(node(1, 3, 7), node(1, 3, 0)), 1U);
  EXPECT_GT(topology->distance(node(3, 1, 2), node(0, 1, 2)), 1U);
}

TEST(TwistedTorus, AllToAllLoadsAreThoseOfDimensionOrder) {
  struct Case {
    const char* shape;
    std::uint32_t balanced;
    std::uint32_t dimension_order;
  };
  for (const Case& expected : {Case{"2x4", 3, 4},
                               {"2x2x4", 5, 7},
                               {"2x4x4", 11, 18},
                               {"4x8", 21, 26},
                               {"4x4x8", 74, 86}}) {
    SCOPED_TRACE(expected.shape);
    const auto topology = machine_of(fmt::format("twisted_torus,shape={}", expected.shape));
    EXPECT_EQ(balanced_load(*topology), expected.balanced);
    EXPECT_EQ(all_to_all_load(*topology), expected.dimension_order);
  }
  EXPECT_EQ(balanced_load(*machine_of("twisted_torus,shape=8x16")), 170U);
  EXPECT_EQ(balanced_load(*machine_of("twisted_torus,shape=4x8x8")), 184U);
}

/// Messages over a link of the dimension, on average.
double mean_load(const Topology& topology, std::uint32_t dimension) {
  std::uint64_t hops = 0;
  std::uint64_t links = 0;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const std::optional<Link> link = topology.link(LinkId{slot});
    links += link && link->dimension == dimension ? 1 : 0;
  }
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      for_each_link(topology, NodeId{from}, NodeId{to}, [&](LinkId link) {
        hops += topology.link(link)->dimension == dimension ? 1 : 0;
      });
    }
  }
  return static_cast<double>(hops) / static_cast<double>(links);
}

TEST(PlainTorus, AllToAllLoadsAreThoseOfTheLongestSide) {
  // N * k / 8 if the ways half way round were shared out evenly, N * (k + 2) / 8 as they are.
  for (const char* tie : {"no_wrap", "positive"}) {
    const auto slice = machine_of(fmt::format("torus,shape=4x4x8,tie={}", tie));
    EXPECT_EQ(mean_load(*slice, 2), 128);
    EXPECT_EQ(mean_load(*slice, 0), 64);
    EXPECT_EQ(all_to_all_load(*slice), 160U);
    const auto larger = machine_of(fmt::format("torus,shape=4x8x8,tie={}", tie));
    EXPECT_EQ(mean_load(*larger, 2), 256);
    EXPECT_EQ(all_to_all_load(*larger), 320U);
  }
}

TEST(TwistedTorus, WithoutATwistIsATorus) {
  const auto plain = machine_of("torus,shape=4x5x2");
  const auto untwisted = machine_of("twisted_torus,shape=4x5x2,twist=[[0,0,0],[0,0,0],[0,0,0]]");
  EXPECT_EQ(untwisted->link_count(), plain->link_count());
  for (std::uint32_t from = 0; from < plain->node_count(); ++from) {
    EXPECT_EQ(untwisted->neighbours(NodeId{from}), plain->neighbours(NodeId{from}));
    for (std::uint32_t to = 0; to < plain->node_count(); ++to) {
      EXPECT_EQ(untwisted->distance(NodeId{from}, NodeId{to}),
                plain->distance(NodeId{from}, NodeId{to}));
    }
  }
}

TEST(TwistedTorus, ATwistThatDoesNotFitIsAnInputError) {
  EXPECT_EQ(twist_problem("twisted_torus,shape=4x6"),
            "m.json: /topology/shape: \"4x6\" has no usual twist (every side is S or 2S, S at "
            "least 2); give `twist`, what a wrap of each dimension adds to each coordinate");
  EXPECT_EQ(twist_problem("twisted_torus,shape=4x6,twist=[[0,1]]"),
            "m.json: /topology/twist: 1 rows for 2 dimensions (row d says what a wrap of dimension "
            "d adds to each coordinate)");
  EXPECT_EQ(twist_problem("twisted_torus,shape=4x6,twist=[[0,1,2],[0,0]]"),
            "m.json: /topology/twist/0: 3 shifts for 2 coordinates (one for each)");
  EXPECT_EQ(twist_problem("twisted_torus,shape=4x6,twist=[[0,6],[0,0]]"),
            "m.json: /topology/twist/0/1: 6 is not a shift of a coordinate of side 6 (0 to 5)");
  EXPECT_EQ(twist_problem("twisted_torus,shape=4x6,twist=[[1,2],[0,0]]"),
            "m.json: /topology/twist/0/0: a wrap of dimension 0 does not shift its own coordinate "
            "(this entry is 0)");
  EXPECT_EQ(twist_problem("twisted_torus,shape=4x6,twist=[[0,2],[2,0]]"),
            "m.json: /topology/twist/0/1: wraps of dimension 0 shift coordinate 1, whose own wraps "
            "are twisted, too (a coordinate that is shifted needs a row of zeros)");
  EXPECT_EQ(twist_problem("twisted_torus,shape=1x6,twist=[[0,2],[0,0]]"),
            "m.json: /topology/twist/0: a side of 1 has no wrap to twist");
  EXPECT_NE(twist_problem("twisted_torus,shape=100000x100000"), "no error");
  EXPECT_NE(twist_problem("twisted_torus,shape=1024x1024x1024"), "no error");
}

}  // namespace
}  // namespace dcube
