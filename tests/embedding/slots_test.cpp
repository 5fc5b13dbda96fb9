// Machines whose nodes host several processes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "embedding/catalog.hpp"
#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

const std::string ring_of_four = "kind=ring,nodes=4";

TEST(Slots, BlockFillsANodeBeforeTheNext) {
  EXPECT_EQ(placing::map_of(ring_of_four, "line:7", "kind=block", 3),
            (Numbers{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(placing::map_of(ring_of_four, "line:3", "kind=block"), (Numbers{0, 1, 2}));
}

TEST(Slots, CyclicGoesRoundTheNodes) {
  EXPECT_EQ(placing::map_of(ring_of_four, "line:7", "kind=cyclic", 2),
            (Numbers{0, 1, 2, 3, 0, 1, 2}));
}

TEST(Slots, CyclicGoesRoundTheSwitchesOrGroups) {
  const std::string tree = "kind=fat_tree,down=[3,2],up=[1,2]";  // 0 1 2 | 3 4 5
  EXPECT_EQ(placing::map_of(tree, "line:6", "kind=cyclic,over=switch"),
            (Numbers{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(placing::map_of(tree, "line:8", "kind=cyclic,over=switch", 2),
            (Numbers{0, 3, 1, 4, 2, 5, 0, 3}));
  EXPECT_EQ(placing::map_of(tree, "line:4", "kind=cyclic,over=node"), (Numbers{0, 1, 2, 3}));
  // Three groups of two routers, each with two terminals.
  const std::string dragonfly = "kind=dragonfly,p=2,a=2,h=1";
  EXPECT_EQ(placing::map_of(dragonfly, "line:12", "kind=cyclic,over=group"),
            (Numbers{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(placing::map_of(dragonfly, "line:7", "kind=cyclic,over=switch"),
            (Numbers{0, 2, 4, 6, 8, 10, 1}));
  EXPECT_EQ(placing::problem_of(tree, "line:6", "kind=cyclic,over=group"),
            "/over: the fat_tree of 6 terminals, 4 switches and 10 links has no groups "
            "(dragonflies have; \"node\" or \"switch\")");
  EXPECT_EQ(placing::problem_of(ring_of_four, "line:4", "kind=cyclic,over=switch"),
            "/over: the ring of 4 has no switches (\"node\")");
  EXPECT_NE(placing::problem_of(tree, "line:6", "kind=cyclic,over=rack").find("/over: "),
            std::string::npos);
}

TEST(Slots, IdentityCountsSlotsNodeByNode) {
  EXPECT_EQ(placing::map_of(ring_of_four, "line:5", "kind=identity", 2), (Numbers{0, 0, 1, 1, 2}));
}

TEST(Slots, StandardPutsAsManyOnEveryNode) {
  EXPECT_EQ(placing::map_of(ring_of_four, "line:7", "kind=standard", 3),
            (Numbers{0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(placing::problem_of(ring_of_four, "line:7", "kind=standard,fold=low", 3),
            "/fold: is about the dimensions of a cube, not of line:7");
}

TEST(Slots, AMapMayNameANodeAsOftenAsItHasSlots) {
  EXPECT_EQ(placing::map_of(ring_of_four, "cube:2", "kind=explicit,map=[3,1,3,3]", 3),
            (Numbers{3, 1, 3, 3}));
  EXPECT_EQ(placing::problem_of(ring_of_four, "cube:2", "kind=explicit,map=[3,3,1,3]", 2),
            "/map/3: node 3 already hosts 2 processes (it has as many slots)");
}

TEST(Slots, RandomDrawsSlots) {
  Numbers map = placing::map_of("kind=torus,shape=3x5", "line:45", "kind=random,seed=7", 3);
  EXPECT_NE(map, placing::map_of("kind=torus,shape=3x5", "line:45", "kind=random,seed=8", 3));
  std::ranges::sort(map);
  EXPECT_EQ(map, placing::map_of("kind=torus,shape=3x5", "line:45", "kind=block", 3));
}

TEST(Fold, KeepsTheLowestDimensionsInsideNodes) {
  EXPECT_EQ(placing::map_of(ring_of_four, "cube:3", "kind=standard", 2),
            (Numbers{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(placing::map_of(ring_of_four, "cube:3", "kind=standard,fold=low", 2),
            (Numbers{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(Fold, KeepsTheHighestOrThoseOfAList) {
  EXPECT_EQ(placing::map_of(ring_of_four, "cube:3", "kind=standard,fold=high", 2),
            (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(placing::map_of(ring_of_four, "cube:3", "kind=standard,fold=[1]", 2),
            (Numbers{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(placing::map_of(ring_of_four, "cube:4", "kind=xor,fold=[3,0]", 4),
            (Numbers{0, 0, 1, 1, 3, 3, 2, 2, 0, 0, 1, 1, 3, 3, 2, 2}));
}

/// The bits of a label without those of `inside`.
std::uint32_t without(const Numbers& inside, std::uint32_t label, std::uint32_t dimensions) {
  std::uint32_t result = 0;
  std::uint32_t place = 0;
  for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension) {
    if (std::ranges::find(inside, dimension) == inside.end()) {
      result |= ((label >> dimension) & 1U) << place++;
    }
  }
  return result;
}

TEST(Fold, PlacesTheOtherDimensionsAsOnNodesOfOneSlot) {
  struct Case {
    const char* fold;
    Numbers inside;
  };
  for (const std::string machine :
       {"kind=torus,shape=4x8", "kind=line,nodes=32", "kind=hypercube,dimensions=5"}) {
    for (const std::string kind : {"by_weight", "gray", "standard", "xor"}) {
      const Numbers smaller = placing::map_of(machine, "cube:5", "kind=" + kind);
      for (const auto& [fold, inside] : {Case{"low", {0, 1}}, Case{"high", {5, 6}},
                                         Case{"[0,6]", {0, 6}}, Case{"[4,2]", {2, 4}}}) {
        SCOPED_TRACE(kind + " on " + machine + ", fold " + fold);
        const Numbers map = placing::map_of(machine, "cube:7", "kind=" + kind + ",fold=" + fold, 4);
        for (std::uint32_t label = 0; label < map.size(); ++label) {
          ASSERT_EQ(map[label], smaller[without(inside, label, 7)]);
        }
      }
    }
  }
}

TEST(Fold, HeavyDimensionsInsideLeaveTheOthersTheirWeights) {
  EXPECT_EQ(placing::map_of("kind=ring,nodes=8", "cube:4",
                            "kind=weighted_xor,weights=[3,9,1,2],fold=[1]", 2),
            [] {
              Numbers map;
              const Numbers smaller = placing::map_of("kind=ring,nodes=8", "cube:3",
                                                      "kind=weighted_xor,weights=[3,1,2]");
              for (std::uint32_t label = 0; label < 16; ++label) {
                map.push_back(smaller[without({1}, label, 4)]);
              }
              return map;
            }());
}

TEST(Fold, RingsFoldInBlocksUnderGray) {
  const Numbers smaller = placing::map_of("kind=hypercube,dimensions=3", "ring:8", "kind=gray");
  const Numbers map = placing::map_of("kind=hypercube,dimensions=3", "ring:32", "kind=gray", 4);
  for (std::uint32_t label = 0; label < 32; ++label) {
    EXPECT_EQ(map[label], smaller[label / 4]);
  }
}

TEST(Fold, KeepsNoMoreInsideThanItTakes) {
  for (const std::string kind : {"by_weight", "gray", "standard", "xor"}) {
    for (const std::string fold : {"low", "high"}) {
      const std::string settings = "kind=" + kind + ",fold=" + fold;
      EXPECT_EQ(placing::map_of("kind=ring,nodes=16", "cube:4", settings, 4),
                placing::map_of("kind=ring,nodes=16", "cube:4", "kind=" + kind));
      EXPECT_EQ(placing::map_of("kind=ring,nodes=16", "cube:5", settings, 4),
                placing::map_of("kind=ring,nodes=16", "cube:5", settings, 2));
    }
  }
  // Unless a list says more.
  EXPECT_EQ(placing::map_of("kind=ring,nodes=16", "cube:2", "kind=standard,fold=[0,1]", 4),
            (Numbers{0, 0, 0, 0}));
}

TEST(Fold, NeedsDimensionsOfTheCubeAndRoomForThem) {
  const auto problem = [](const std::string& fold) {
    return placing::problem_of(ring_of_four, "cube:4", "kind=xor,fold=" + fold, 4);
  };
  EXPECT_EQ(problem("[0,4]"), "/fold: 4 is not a cube dimension (0 to 3)");
  EXPECT_EQ(problem("[2,2]"), "/fold: names dimension 2 twice");
  EXPECT_EQ(problem("[2]"),
            "/fold: 1 cube dimensions; cube:4 on 4 nodes of 4 slots keeps 2 inside nodes");
  EXPECT_EQ(problem("[0,1,2]"),
            "/fold: 3 cube dimensions; cube:4 on 4 nodes of 4 slots keeps 2 inside nodes");
  EXPECT_EQ(problem("lou"), "/fold: \"lou\" is unknown; did you mean `low`?");
  EXPECT_EQ(placing::problem_of(ring_of_four, "cube:3", "kind=standard,fold=[0,1,2]", 4),
            "/fold: 3 cube dimensions; cube:3 on 4 nodes of 4 slots keeps 1 to 2 inside nodes");
  EXPECT_EQ(placing::problem_of(ring_of_four, "cube:2", "kind=identity,fold=low", 4),
            "/fold: unknown key; known: guest, kind");
}

TEST(Slots, TooManyProcessesNameTheSum) {
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=127", "cube:9", "kind=standard", 4),
            "/kind: standard does not fit the ring of 127 (cube:9 has 512 processes, the machine "
            "508 slots on 127 nodes); a machine of at least 128 nodes of 4 slots would fit");
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=6", "cube:4", "kind=standard", 3),
            "/kind: standard does not fit the ring of 6 (2 dimensions of cube:4 have to stay "
            "inside nodes: 4 slots a node, not 3); block, cyclic, identity, boxes, explicit or "
            "random would fit");
  EXPECT_EQ(
      placing::problem_of("kind=ring,nodes=16", "cube:3", "kind=xor", 4),
      "/kind: xor does not fit the ring of 16 (it needs 1, 2, 4, .. processes on every node: "
      "cube:3 has 8, the machine 16 nodes); block, cyclic, identity, standard, boxes, explicit "
      "or random would fit");
}

TEST(Slots, WithOneBlockAndCyclicAreNoAlternatives) {
  const auto ring = placing::machine("kind=ring,nodes=8");
  const auto fitting = [&](const char* guest, std::uint32_t slots) {
    return fitting_embeddings(*ring, Guest::parse(guest), slots);
  };
  EXPECT_EQ(fitting("cube:3", 1),
            (std::vector<std::string>{"by_weight", "gray", "identity", "standard", "xor"}));
  EXPECT_EQ(fitting("cube:4", 2), (std::vector<std::string>{"block", "by_weight", "cyclic", "gray",
                                                            "identity", "standard", "xor"}));
}

class SlotLaws : public ::testing::TestWithParam<const EmbeddingKind*> {};

TEST_P(SlotLaws, NodesHostNoMoreThanTheirSlots) {
  for (const char* machine :
       {"kind=line,nodes=1", "kind=ring,nodes=8", "kind=ring,nodes=7", "kind=mesh,shape=8x4",
        "kind=torus,shape=4x4x2", "kind=hypercube,dimensions=3", "kind=torus,shape=3x5"}) {
    const auto topology = placing::machine(machine);
    for (const char* name : {"cube:0", "cube:1", "cube:3", "cube:4", "cube:5", "cube:7", "ring:16",
                             "line:23", "mesh:8x4", "torus:4x32", "tree:7", "tree:31"}) {
      const Guest guest = Guest::parse(name);
      for (const std::uint32_t slots : {2U, 3U, 4U, 16U}) {
        if (GetParam()->name == "explicit" || GetParam()->obstacle({*topology, guest, slots})) {
          continue;
        }
        SCOPED_TRACE(std::string{name} + " on " + machine + " of " + std::to_string(slots));
        const std::string own = GetParam()->name == "axes"    ? ",order=[1,0]"
                                : GetParam()->name == "boxes" ? ",box=2"
                                                              : "";
        const auto embedding = make_embedding(
            *topology, guest, Params::parse("kind=" + GetParam()->name + own), slots);
        Numbers guests(topology->node_count());
        std::uint32_t process = 0;
        for (const NodeId node : embedding->map()) {
          ASSERT_LE(++guests.at(node.index()), slots);
          ASSERT_EQ(node, embedding->node_of(ProcessId{process++}));
        }
        EXPECT_EQ(process, guest.process_count());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, SlotLaws,
                         ::testing::ValuesIn(embedding_catalog().begin(),
                                             embedding_catalog().end()),
                         [](const auto& test) { return test.param->name; });

}  // namespace
}  // namespace dcube
