#include "dcube/embedding/subcube.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

Subcube cube(const char* text) { return Subcube::parse(text); }

std::vector<NodeId> nodes_of(const Subcube& subcube) {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < subcube.node_count(); ++i) {
    nodes.push_back(subcube.node(i));
  }
  return nodes;
}

std::uint32_t hops(NodeId a, NodeId b) {
  return static_cast<std::uint32_t>(std::popcount(a.index() ^ b.index()));
}

/// The least sum of distances over all ways to pair the nodes, by trying which nodes of `b` the
/// first nodes of `a` take.
std::uint64_t cheapest_pairing(const Subcube& a, const Subcube& b) {
  const std::vector<NodeId> from = nodes_of(a);
  const std::vector<NodeId> to = nodes_of(b);
  std::vector<std::uint64_t> least(std::size_t{1} << to.size(),
                                   std::numeric_limits<std::uint32_t>::max());
  least[0] = 0;
  for (std::size_t taken = 0; taken + 1 < least.size(); ++taken) {
    const NodeId next = from[static_cast<std::size_t>(std::popcount(taken))];
    for (std::size_t i = 0; i < to.size(); ++i) {
      if ((taken >> i & 1U) == 0) {
        auto& cost = least[taken | std::size_t{1} << i];
        cost = std::min(cost, least[taken] + hops(next, to[i]));
      }
    }
  }
  return least.back();
}

/// A random subcube of `dimensions` of the cube.
Subcube random_subcube(std::uint32_t cube_dimensions, std::uint32_t dimensions,
                       SplitMix64& random) {
  std::uint32_t stars = 0;
  while (static_cast<std::uint32_t>(std::popcount(stars)) < dimensions) {
    stars |= 1U << bounded(random.next(), cube_dimensions);
  }
  const auto bits = static_cast<std::uint32_t>(bounded(random.next(), 1U << cube_dimensions));
  return {cube_dimensions, stars, bits & ~stars};
}

TEST(Subcube, AnAddressReadsAsItIsWritten) {
  const Subcube subcube = cube("0*1*");
  EXPECT_EQ(subcube.text(), "0*1*");
  EXPECT_EQ(subcube.dimensions(), 2U);
  EXPECT_EQ(nodes_of(subcube),
            (std::vector{NodeId{0b0010}, NodeId{0b0011}, NodeId{0b0110}, NodeId{0b0111}}));
  EXPECT_TRUE(subcube.contains(NodeId{0b0111}));
  EXPECT_FALSE(subcube.contains(NodeId{0b1111}));
}

TEST(Subcube, WhatIsNoAddressIsAnInputError) {
  for (const char* text : {"", "0*2", "0 1", "****************************** *"}) {
    EXPECT_THROW(Subcube::parse(text), InputError) << text;
  }
  EXPECT_EQ(dcube::complaint([] { Subcube::parse("0x"); }),
            "\"0x\" is not the address of a subcube (1 to 30 symbols 0, 1, *)");
}

TEST(Subcube, TheExamplesOfThePaper) {
  EXPECT_EQ(hamming_distance(cube("00*"), cube("*11")), 1U);
  EXPECT_EQ(hamming_distance(cube("00*"), cube("11*")), 2U);
  EXPECT_EQ(frontier(cube("00**"), cube("1*1*")), cube("001*"));
  EXPECT_TRUE(are_parallel(cube("01**"), cube("00**")));
  // 00** and *1*1 share no free position but the third: a frontier of one dimension.
  EXPECT_EQ(frontier(cube("00**"), cube("*1*1")).dimensions(), 1U);
  EXPECT_EQ(
      pairing_distance(cube("00**"), cube("*1*1")),
      pairing_distance(cube("00*1"), cube("01*1")) + pairing_distance(cube("00*0"), cube("11*1")));
  EXPECT_EQ(
      pairing_distance(cube("00**"), cube("*1*1")),
      pairing_distance(cube("00*1"), cube("11*1")) + pairing_distance(cube("00*0"), cube("01*1")));
  EXPECT_EQ(frontier(cube("00**"), cube("**00")).dimensions(), 0U);
  const std::vector<Subcube> mapping{cube("0**0"), cube("*1*1"), cube("*0*1"), cube("1**0")};
  EXPECT_EQ(std::popcount(common_stars(mapping)), 1);
}

TEST(Subcube, ThePairingDistanceIsThatOfTheCheapestMatching) {
  int compared = 0;
  for (std::uint32_t d = 0; d <= 2; ++d) {
    for (std::uint32_t stars_a = 0; stars_a < 32; ++stars_a) {
      for (std::uint32_t stars_b = 0; stars_b < 32; ++stars_b) {
        const bool are_of_size = static_cast<std::uint32_t>(std::popcount(stars_a)) == d &&
                                 static_cast<std::uint32_t>(std::popcount(stars_b)) == d;
        // By symmetry one of the two may stand where all bits are 0.
        for (std::uint32_t bits = 0; are_of_size && bits < 32; ++bits) {
          const Subcube a{5, stars_a, 0};
          const Subcube b{5, stars_b, bits & ~stars_b};
          ASSERT_EQ(pairing_distance(a, b), cheapest_pairing(a, b)) << a.text() << " " << b.text();
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 3000);
}

TEST(Subcube, ThePairingDistanceIsThatOfTheCheapestMatchingOfEightNodesToo) {
  SplitMix64 random{1};
  for (int i = 0; i < 300; ++i) {
    const Subcube a = random_subcube(7, 3, random);
    const Subcube b = random_subcube(7, 3, random);
    ASSERT_EQ(pairing_distance(a, b), cheapest_pairing(a, b)) << a.text() << " " << b.text();
  }
}

class SubcubeLaws : public ::testing::TestWithParam<int> {
 protected:
  /// Of one size, in one cube.
  Subcube draw() { return random_subcube(n_, d_, random_); }

  SplitMix64 random_{static_cast<std::uint64_t>(GetParam())};
  std::uint32_t n_ = 3 + static_cast<std::uint32_t>(GetParam()) % 6;
  std::uint32_t d_ = static_cast<std::uint32_t>(GetParam()) % 4;
};

TEST_P(SubcubeLaws, DistancesAreSymmetricAndObeyTheTriangleInequality) {
  for (int i = 0; i < 200; ++i) {
    const Subcube a = draw();
    const Subcube b = draw();
    const Subcube c = draw();
    SCOPED_TRACE(fmt::format("{} {} {}", a.text(), b.text(), c.text()));
    EXPECT_EQ(hamming_distance(a, b), hamming_distance(b, a));
    EXPECT_EQ(pairing_distance(a, b), pairing_distance(b, a));
    EXPECT_EQ(largest_distance(a, b), largest_distance(b, a));
    EXPECT_EQ(pairing_distance(a, a), 0U);
    EXPECT_EQ(pairing_distance(a, b) == 0, a == b);
    // Of T; H alone has no such law: H(00*, *11) + H(*11, 11*) < H(00*, 11*).
    EXPECT_LE(pairing_distance(a, c), pairing_distance(a, b) + pairing_distance(b, c));
    EXPECT_GE(pairing_distance(a, b), std::uint64_t{hamming_distance(a, b)} << d_);
    EXPECT_EQ(are_parallel(a, b),
              pairing_distance(a, b) == std::uint64_t{hamming_distance(a, b)} << d_);
  }
}

TEST_P(SubcubeLaws, TheFrontierHoldsTheNodesThatAreClosest) {
  for (int i = 0; i < 50; ++i) {
    const Subcube a = draw();
    const Subcube b = draw();
    SCOPED_TRACE(fmt::format("{} {}", a.text(), b.text()));
    const Subcube closest = frontier(a, b);
    EXPECT_EQ(are_parallel(a, b), closest == a && closest.dimensions() == b.dimensions());
    EXPECT_EQ(closest.dimensions(), frontier(b, a).dimensions());
    std::uint32_t largest = 0;
    for (const NodeId x : nodes_of(a)) {
      std::uint32_t nearest = n_;
      for (const NodeId y : nodes_of(b)) {
        nearest = std::min(nearest, hops(x, y));
        largest = std::max(largest, hops(x, y));
      }
      EXPECT_EQ(nearest == hamming_distance(a, b), closest.contains(x));
      EXPECT_GE(nearest, hamming_distance(a, b));
    }
    EXPECT_EQ(largest, largest_distance(a, b));
  }
}

TEST_P(SubcubeLaws, PartnersAreABijectionAsFarApartAsThePairingDistance) {
  for (const Pairing pairing : {Pairing::even, Pairing::nearest}) {
    for (int i = 0; i < 50; ++i) {
      const Subcube a = draw();
      const Subcube b = draw();
      SCOPED_TRACE(fmt::format("{} {}", a.text(), b.text()));
      std::set<NodeId> partners;
      std::set<std::uint32_t> distances;
      std::uint64_t sum = 0;
      for (const NodeId node : nodes_of(a)) {
        const NodeId other = partner(a, b, node, pairing);
        EXPECT_TRUE(b.contains(other));
        EXPECT_EQ(partner(b, a, other, pairing), node);
        partners.insert(other);
        distances.insert(hops(node, other));
        sum += hops(node, other);
        EXPECT_EQ(node.index() & a.stars() & b.stars(), other.index() & a.stars() & b.stars());
        if (pairing == Pairing::nearest) {
          EXPECT_EQ(frontier(a, b).contains(node), frontier(b, a).contains(other));
        }
      }
      EXPECT_EQ(partners.size(), b.node_count());
      EXPECT_EQ(sum, pairing_distance(a, b));
      EXPECT_TRUE(pairing == Pairing::nearest || distances.size() == 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SubcubeLaws, ::testing::Range(0, 24));

}  // namespace
}  // namespace dcube::testing
