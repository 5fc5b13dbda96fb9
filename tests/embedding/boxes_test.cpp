#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(Boxes, NeighboursShareANode) {
  EXPECT_EQ(placing::map_of("kind=mesh,shape=2x2", "mesh:4x4", "kind=boxes,box=2x2", 4),
            (Numbers{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}));
  EXPECT_EQ(placing::map_of("kind=line,nodes=4", "mesh:4x2", "kind=boxes,box=[1,2]", 2),
            (Numbers{0, 1, 2, 3, 0, 1, 2, 3}));
}

/// Hops between the nodes of neighbours.
Numbers hops_of(const std::string& machine, const std::string& guest_text,
                const std::string& settings, std::uint32_t slots) {
  const auto topology = placing::machine(machine);
  const Guest guest = Guest::parse(guest_text);
  const auto map = placing::embedding_on(*topology, guest_text, settings, slots)->map();
  Numbers hops;
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
      if (const auto partner = guest.partner(ProcessId{process}, dimension)) {
        hops.push_back(topology->distance(map[process], map[partner->index()]));
      }
    }
  }
  return hops;
}

std::uint32_t longest(const std::string& machine, const std::string& guest_text,
                      const std::string& settings, std::uint32_t slots) {
  return std::ranges::max(hops_of(machine, guest_text, settings, slots));
}

TEST(Boxes, TheirGridIsFoldedSoThatNeighboursAreOneHopApart) {
  EXPECT_EQ(longest("kind=torus,shape=8x4x4", "torus:8x8x8", "kind=boxes,box=4x1x1", 4), 1U);
  EXPECT_EQ(longest("kind=torus,shape=4x4", "mesh:4x8", "kind=boxes,box=2x1", 2), 1U);
  EXPECT_EQ(longest("kind=mesh,shape=4x4", "mesh:32x2", "kind=boxes,box=2x2", 4), 1U);
  EXPECT_EQ(longest("kind=hypercube,dimensions=5", "torus:8x8", "kind=boxes,box=2x1", 2), 1U);
}

/// Digits of the sides of 6 have to be inside those of 10.
TEST(Boxes, SidesNestInTheOrderOfTheFewestHops) {
  for (const char* const guest : {"torus:6x6x10", "torus:6x10x6", "torus:10x6x6"}) {
    const Numbers hops = hops_of("kind=torus,shape=18x20", guest, "kind=boxes,box=1x1x1", 1);
    EXPECT_EQ(std::accumulate(hops.begin(), hops.end(), 0U), 2 * hops.size()) << guest;
  }
}

TEST(Boxes, ANodeHasNoMoreThanItsSlotsAndNoLessWhereSidesFit) {
  for (const std::string box : {"4x1x1", "2x2x1", "1x2x2", "1x1x4"}) {
    const Numbers map =
        placing::map_of("kind=torus,shape=8x4x4", "torus:8x8x8", "kind=boxes,box=" + box, 4);
    for (std::uint32_t node = 0; node < 128; ++node) {
      EXPECT_EQ(std::ranges::count(map, node), 4) << box;
    }
  }
}

TEST(Boxes, OneNumberPutsAsManyInARowWhateverTheShape) {
  const Numbers map = placing::map_of("kind=line,nodes=3", "mesh:3x4", "kind=boxes,box=4", 5);
  EXPECT_EQ(map, (Numbers{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
}

TEST(Boxes, WhatHasNoNodeLeftGoesToFreeSlots) {
  EXPECT_EQ(placing::map_of("kind=line,nodes=3", "line:14", "kind=boxes,box=4", 5),
            (Numbers{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 1}));
}

TEST(Boxes, OfANodeThatHasFailedTheProcessesGoToTheNearestFreeSlots) {
  const std::shared_ptr<const Topology> torus = placing::machine("kind=torus,shape=4x4");
  const auto broken = with_failures(torus, {.nodes = {NodeId{5}}, .links = {}, .spares = {}});
  const auto whole = placing::embedding_on(*torus, "torus:8x8", "kind=boxes,box=2x2", 5)->map();
  const auto map = placing::embedding_on(*broken, "torus:8x8", "kind=boxes,box=2x2", 5)->map();
  for (std::uint32_t process = 0; process < 64; ++process) {
    if (whole[process] == NodeId{5}) {
      EXPECT_EQ(torus->distance(map[process], NodeId{5}), 1U);
    } else {
      EXPECT_EQ(map[process], whole[process]);
    }
  }
}

TEST(Boxes, SidesThatDoNotGoIntoEachOtherFollowASnake) {
  Numbers map = placing::map_of("kind=torus,shape=3x5", "mesh:7x7", "kind=boxes,box=2x2", 4);
  std::ranges::sort(map);
  EXPECT_EQ(map.size(), 49U);
  for (std::uint32_t node = 0; node < 15; ++node) {
    EXPECT_LE(std::ranges::count(map, node), 4);
  }
}

TEST(Boxes, UnusableSettingsAreComplainedOf) {
  EXPECT_EQ(placing::problem_of("kind=torus,shape=4x4", "mesh:8x8", "kind=boxes,box=4x2", 4),
            "/box: a box of 4x2 has more processes than a node has slots (4)");
  EXPECT_EQ(placing::problem_of("kind=torus,shape=4x4", "mesh:4x4x4", "kind=boxes,box=2x2", 4),
            "/box: 2 sides; mesh:4x4x4 has 3 (one side: as many processes in a row)");
  EXPECT_EQ(placing::problem_of("kind=torus,shape=4x4", "mesh:8x8",
                                "kind=boxes,box=4294967295x"
                                "4294967295",
                                4),
            "/box: a box of 4294967295x4294967295 has more processes than a node has slots (4)");
}

}  // namespace
}  // namespace dcube
