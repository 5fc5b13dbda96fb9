#include "search/proofs/symmetries.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "problems.hpp"
#include "search/walks/affine_map.hpp"

namespace dcube {
namespace {

TEST(Symmetries, AreThoseThatAreKnown) {
  for (const auto& [settings, count] :
       {std::pair<std::string, std::size_t>{"kind=ring,nodes=8", 16},
        {"kind=line,nodes=8", 2},
        {"kind=torus,shape=4x4", 128},
        {"kind=torus,shape=4x2", 16},
        {"kind=mesh,shape=3x3", 8},
        {"kind=mesh,shape=3x4", 4},
        {"kind=hypercube,dimensions=4", 384},
        {"kind=twisted_torus,shape=4x8", 32},
        {"kind=twisted_torus,shape=2x2x4", 16},
        {"kind=twisted_torus,shape=4x2,twist=[[0,0],[0,0]]", 1},
        {"kind=torus,shape=4x4,wrap=[true,false]", 16},
        {"kind=torus,shape=4x2,wrap=[false,true]", 4},
        {"kind=graph,edges=[[0,1],[1,2],[2,0]]", 1}}) {
    EXPECT_EQ(symmetries_of(*searching::machine(settings)).size(), count) << settings;
  }
}

TEST(Symmetries, KeepDistances) {
  for (const std::string settings :
       {"kind=ring,nodes=7", "kind=torus,shape=4x2x4", "kind=mesh,shape=3x3",
        "kind=hypercube,dimensions=3", "kind=twisted_torus,shape=4x8",
        "kind=twisted_torus,shape=2x4x4", "kind=torus,shape=3x4x3,wrap=[true,false,false]"}) {
    const auto topology = searching::machine(settings);
    for (const Symmetry& symmetry : symmetries_of(*topology)) {
      ASSERT_TRUE(searching::fits(symmetry, *topology));
      for (std::uint32_t a = 0; a < topology->node_count(); ++a) {
        for (std::uint32_t b = 0; b < a; ++b) {
          ASSERT_EQ(topology->distance(symmetry[a], symmetry[b]),
                    topology->distance(NodeId{a}, NodeId{b}));
        }
      }
    }
  }
}

/// Half way round a ring the route depends on the node it starts from, so few keep routes.
TEST(Symmetries, FewerKeepRoutes) {
  EXPECT_EQ(route_symmetries_of(*searching::machine("kind=ring,nodes=7")).size(), 14U);
  EXPECT_LT(route_symmetries_of(*searching::machine("kind=ring,nodes=8")).size(), 16U);
  EXPECT_EQ(route_symmetries_of(*searching::machine("kind=twisted_torus,shape=4x8")).size(), 32U);
}

TEST(AffineMap, IsXorAndStaysOneToOne) {
  const auto torus = searching::machine("kind=torus,shape=8x4");
  SplitMix64 random{3};
  for (const std::string kind : {"standard", "xor", "gray"}) {
    const auto map = make_embedding(*torus, Guest::cube(5), Params::parse("kind=" + kind))->map();
    auto affine = AffineMap::of(map, 32);
    ASSERT_TRUE(affine) << kind;
    EXPECT_EQ(affine->map(), map) << kind;
    for (int i = 0; i < 200; ++i) {
      affine->change(random);
      ASSERT_TRUE(searching::fits(affine->map(), *torus)) << kind;
    }
  }
}

TEST(AffineMap, OfFoldedCubesFillsSlots) {
  const auto torus = searching::machine("kind=torus,shape=4x2");
  SplitMix64 random{3};
  for (const std::string settings : {"kind=standard", "kind=xor,fold=high", "kind=gray,fold=[1,3]",
                                     "kind=cyclic", "kind=block"}) {
    for (const std::uint32_t slots : {4U, 7U}) {
      const auto map =
          make_embedding(*torus, Guest::cube(5), Params::parse(settings), slots)->map();
      auto affine = AffineMap::of(map, 8, slots);
      if (slots == 7 && settings == "kind=block") {
        EXPECT_FALSE(affine);
        continue;
      }
      ASSERT_TRUE(affine) << settings;
      EXPECT_EQ(affine->map(), map) << settings;
      for (int i = 0; i < 200; ++i) {
        affine->change(random);
        ASSERT_TRUE(searching::fits(affine->map(), *torus, 4)) << settings;
      }
    }
  }
}

TEST(AffineMap, ByWeightIsNone) {
  const auto line = searching::machine("kind=line,nodes=16");
  const auto map = make_embedding(*line, Guest::cube(4), Params::parse("kind=by_weight"))->map();
  EXPECT_FALSE(AffineMap::of(map, 16));
}

}  // namespace
}  // namespace dcube
