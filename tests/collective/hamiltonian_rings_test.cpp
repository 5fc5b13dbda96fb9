#include "collective/hamiltonian_rings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::testing {
namespace {

/// Whether the rings are closed walks through all nodes over links of the torus, each used once.
void expect_disjoint_rings(const std::vector<std::uint32_t>& sides, std::size_t expected,
                           const std::vector<std::uint32_t>& twist = {}) {
  const std::string name = fmt::format("{}", fmt::join(sides, "x"));
  const std::unique_ptr<Topology> torus = make_topology(Params::parse(
      fmt::format("kind={},shape={}", twist.empty() ? "torus" : "twisted_torus", name)));
  CollectiveOptions options;
  options.sides = TorusSides{std::span{sides}};
  options.twist = twist;
  EXPECT_EQ(ring_count(options), expected) << name;
  const auto rings = edge_disjoint_rings(options);
  ASSERT_EQ(rings->size(), expected) << name;
  std::set<std::pair<std::uint32_t, std::uint32_t>> links;
  for (const auto& [ranks, places] : *rings) {
    ASSERT_EQ(ranks.size(), torus->node_count()) << name;
    ASSERT_EQ(std::set(ranks.begin(), ranks.end()).size(), ranks.size()) << name;
    for (std::uint32_t place = 0; place < ranks.size(); ++place) {
      ASSERT_EQ(places[ranks[place]], place);
      const std::uint32_t next = ranks[(place + 1) % ranks.size()];
      const auto [from, to] = std::minmax(ranks[place], next);
      ASSERT_EQ(torus->distance(NodeId(from), NodeId(to)), 1U) << name;
      ASSERT_TRUE(links.emplace(from, to).second) << name << " " << from << " " << to;
    }
  }
}

TEST(HamiltonianRings, AreTwoOnEveryTorusOfTwoDimensions) {
  for (std::uint32_t r = 3; r <= 14; ++r) {
    for (std::uint32_t c = 3; c <= 14; ++c) {
      expect_disjoint_rings({r, c}, 2);
    }
  }
  expect_disjoint_rings({64, 64}, 2);
  expect_disjoint_rings({128, 8}, 2);
  expect_disjoint_rings({5, 1, 4}, 2);
}

TEST(HamiltonianRings, AreAsManyAsDimensions) {
  for (std::uint32_t r = 3; r <= 6; ++r) {
    for (std::uint32_t c = 3; c <= 6; ++c) {
      for (std::uint32_t l = 3; l <= 8; ++l) {
        expect_disjoint_rings({r, c, l}, 3);
      }
    }
  }
  expect_disjoint_rings({16, 16, 8}, 3);
  expect_disjoint_rings({3, 4, 5, 6}, 4);
  expect_disjoint_rings({3, 4, 3, 4, 3}, 5);
}

TEST(HamiltonianRings, TwoSidesOfTwoAreARingOfFour) {
  for (std::uint32_t dimensions = 2; dimensions <= 8; ++dimensions) {
    expect_disjoint_rings(std::vector<std::uint32_t>(dimensions, 2), dimensions / 2);
  }
  for (std::uint32_t side = 3; side <= 8; ++side) {
    expect_disjoint_rings({2, side}, 1);
    expect_disjoint_rings({side, 2, 2}, 2);
    expect_disjoint_rings({side, 2, 3}, 2);
    expect_disjoint_rings({2, 2, side, 2, 4}, 3);
  }
}

TEST(HamiltonianRings, AreOnTwistedToriToo) {
  expect_disjoint_rings({2, 4}, 2, {0, 2, 0, 0});
  expect_disjoint_rings({4, 8}, 2, {0, 4, 0, 0});
  expect_disjoint_rings({2, 2, 4}, 3, {0, 0, 2, 0, 0, 2, 0, 0, 0});
  expect_disjoint_rings({4, 4, 8}, 3, {0, 0, 4, 0, 0, 4, 0, 0, 0});
  expect_disjoint_rings({4, 8, 8}, 3, {0, 4, 4, 0, 0, 0, 0, 0, 0});
  expect_disjoint_rings({8, 8, 16}, 3, {0, 0, 8, 0, 0, 8, 0, 0, 0});
}

}  // namespace
}  // namespace dcube::testing
