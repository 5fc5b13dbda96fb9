#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// Hops of the edges of a ring, of which each node may host one process, in order.
Numbers hops_of(const std::string& machine, std::uint32_t processes) {
  const auto topology = placing::machine(machine);
  const std::string ring = "ring:" + std::to_string(processes);
  const std::vector<NodeId> map = placing::embedding_on(*topology, ring, "kind=loop")->map();
  std::vector<NodeId> nodes = map;
  std::ranges::sort(nodes);
  EXPECT_TRUE(std::ranges::adjacent_find(nodes) == nodes.end()) << machine << " " << ring;
  Numbers hops;
  for (std::size_t process = 0; process < map.size(); ++process) {
    hops.push_back(topology->distance(map[process], map[(process + 1) % map.size()]));
  }
  std::ranges::sort(hops);
  return hops;
}

TEST(Loop, ComesBackBesideItsBegin) {
  EXPECT_EQ(placing::map_of("kind=mesh,shape=4x4", "ring:16", "kind=loop"),
            (Numbers{0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4}));
}

TEST(Loop, HasHopsOfOneAndForOddNumbersOneOfTwo) {
  std::uint32_t rings = 0;
  for (const char* machine :
       {"kind=mesh,shape=2x2", "kind=mesh,shape=2x7", "kind=mesh,shape=5x2", "kind=mesh,shape=3x3",
        "kind=mesh,shape=5x6", "kind=mesh,shape=6x5", "kind=mesh,shape=7x5",
        "kind=mesh,shape=4x3x5", "kind=mesh,shape=3x3x5", "kind=mesh,shape=1x4x6",
        "kind=mesh,shape=2x3x2x3", "kind=torus,shape=4x6x2",
        "kind=torus,shape=4x6,wrap=[true,false]"}) {
    const std::uint32_t nodes = placing::machine(machine)->node_count();
    for (std::uint32_t processes = 3; processes <= nodes; ++processes) {
      Numbers expected(processes, 1);
      if (processes % 2 == 1) {
        expected.back() = 2;
      }
      EXPECT_EQ(hops_of(machine, processes), expected) << machine << ", ring of " << processes;
      ++rings;
    }
  }
  EXPECT_GT(rings, 300U);
}

TEST(Loop, TakesAllNodesOfOddSidesAlongACycleOfTheMachine) {
  for (const char* machine :
       {"kind=torus,shape=3x3", "kind=torus,shape=9x5", "kind=torus,shape=3x5x7",
        "kind=torus,shape=3x7,wrap=[true,false]", "kind=torus,shape=3x7,wrap=[false,true]"}) {
    const std::uint32_t nodes = placing::machine(machine)->node_count();
    EXPECT_EQ(hops_of(machine, nodes), Numbers(nodes, 1)) << machine;
  }
}

TEST(Loop, IsTheSnakeWhereThatComesBack) {
  for (const auto& [torus, ring] : {std::pair{"kind=torus,shape=4x4x8", "ring:128"},
                                    {"kind=twisted_torus,shape=4x8", "ring:32"}}) {
    EXPECT_EQ(placing::map_of(torus, ring, "kind=loop"),
              placing::map_of(torus, ring, "kind=snake"));
  }
}

TEST(Loop, FillsTheSlotsOfANode) {
  EXPECT_EQ(placing::map_of("kind=mesh,shape=2x3", "ring:11", "kind=loop", 2),
            (Numbers{0, 0, 2, 2, 4, 4, 5, 5, 3, 3, 1}));
}

TEST(Loop, OtherShapesDoNotFit) {
  EXPECT_EQ(placing::problem_of("kind=mesh,shape=4x4", "line:16", "kind=loop"),
            "/kind: loop does not fit the 4x4 mesh (it places rings, not line:16); "
            "gray, identity, snake, standard, explicit or random would fit");
}

}  // namespace
}  // namespace dcube
