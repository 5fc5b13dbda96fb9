#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "placing.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

TEST(BinaryTree, SevenProcessesInACubeLeaveNodeFourEmpty) {
  EXPECT_EQ(placing::map_of("kind=hypercube,dimensions=3", "tree:7", "kind=binary_tree"),
            (Numbers{0b000, 0b110, 0b010, 0b101, 0b111, 0b001, 0b011}));
}

TEST(BinaryTree, LeftChildrenAreTwoLinksAwayAndRightChildrenOne) {
  for (std::uint32_t d = 2; d <= 9; ++d) {
    const auto dilations =
        placing::dilations(fmt::format("kind=hypercube,dimensions={}", d),
                           fmt::format("tree:{}", (1U << d) - 1), "kind=binary_tree");
    const std::size_t children = (std::size_t{1} << (d - 1)) - 1;
    EXPECT_EQ(dilations[0], Numbers(children, 2));
    EXPECT_EQ(dilations[1], Numbers(children, 1));
  }
}

TEST(BinaryTree, EmptyNodeIsTheHighestBit) {
  for (std::uint32_t d = 1; d <= 8; ++d) {
    const Numbers map = placing::map_of(fmt::format("kind=hypercube,dimensions={}", d),
                                        fmt::format("tree:{}", (1U << d) - 1), "kind=binary_tree");
    EXPECT_EQ(map.front(), 0U);
    EXPECT_EQ(std::count(map.begin(), map.end(), 1U << (d - 1)), 0);
  }
}

TEST(BinaryTree, OtherGuestsAndMachinesDoNotFit) {
  EXPECT_EQ(placing::problem_of("kind=hypercube,dimensions=3", "cube:3", "kind=binary_tree"),
            "/kind: binary_tree does not fit the 3-dimensional hypercube (it places a tree, not "
            "cube:3); by_weight, gray, identity, standard, xor, explicit, random or weighted_xor "
            "would fit");
  EXPECT_EQ(placing::problem_of("kind=ring,nodes=8", "tree:7", "kind=binary_tree"),
            "/kind: binary_tree does not fit the ring of 8 (it needs a hypercube); identity, "
            "standard, explicit or random would fit");
  EXPECT_EQ(placing::problem_of("kind=hypercube,dimensions=4", "tree:7", "kind=binary_tree"),
            "/kind: binary_tree does not fit the 4-dimensional hypercube (it needs one process "
            "less than nodes: tree:7 has 7, the machine 16); identity, standard, explicit or "
            "random would fit");
}

}  // namespace
}  // namespace dcube
