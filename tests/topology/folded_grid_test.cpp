#include "dcube/topology/folded_grid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::unique_ptr<Topology> folded(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

std::string folding_problem(const std::string& settings) {
  try {
    folded(settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Numbers sides_of(const FoldedGrid& grid) { return {grid.sides().begin(), grid.sides().end()}; }

Numbers nodes_of(const std::string& settings) {
  const auto topology = folded(settings);
  const FoldedGrid grid{*topology};
  Numbers nodes;
  for (std::uint32_t place = 0; place < topology->node_count(); ++place) {
    nodes.push_back(grid.node_at(place));
  }
  return nodes;
}

/// The walk through factors that change the less often, the later they come, by its recursion: that
/// through the others forth and back, once for each value of the last factor.
Numbers walk_through(const Numbers& factors) {
  Numbers walk{0};
  std::uint32_t stride = 1;
  for (const std::uint32_t factor : factors) {
    Numbers longer;
    for (std::uint32_t value = 0; value < factor; ++value) {
      for (const std::uint32_t node : walk) {
        longer.push_back(node + value * stride);
      }
      std::ranges::reverse(walk);
    }
    walk = longer;
    stride *= factor;
  }
  return walk;
}

TEST(FoldedGrid, PlacesAreNodesWithoutProducts) {
  for (const char* const settings :
       {"kind=torus,shape=4x3", "kind=torus,shape=[[4],3]", "kind=ring,nodes=12",
        "kind=hypercube,dimensions=3", "kind=fat_tree,k=4"}) {
    const auto topology = folded(settings);
    const FoldedGrid grid{*topology};
    EXPECT_FALSE(grid.is_folded()) << settings;
    EXPECT_EQ(sides_of(grid), Numbers(topology->shape().begin(), topology->shape().end()));
    EXPECT_EQ(grid.node_at(5), 5U);
    EXPECT_FALSE(topology->details().has("folded"));
  }
}

TEST(FoldedGrid, TextsAndListsSayTheSame) {
  const auto topology = folded("kind=torus,shape=[[2,2],4]");
  EXPECT_EQ(Numbers(topology->shape().begin(), topology->shape().end()), (Numbers{2, 2, 4}));
  EXPECT_EQ(sides_of(FoldedGrid{*topology}), (Numbers{4, 4}));
  EXPECT_EQ(topology->details().find("folded")->describe(), "[[2, 2], 4]");
  EXPECT_EQ(folded("kind=torus,shape=2*2x4")->structure().folds, topology->structure().folds);
  EXPECT_EQ(sides_of(FoldedGrid{*folded("kind=torus,shape=3*2x5x2*3*2")}), (Numbers{6, 5, 12}));
}

TEST(FoldedGrid, WalksFactorsInTheirReflectedGrayCode) {
  for (const Numbers& factors : {Numbers{2, 2},
                                 {3, 2},
                                 {4, 2},
                                 {2, 4},
                                 {3, 4},
                                 {2, 2, 2},
                                 {2, 3, 2},
                                 {5, 3, 4},
                                 {1, 3, 2}}) {
    EXPECT_EQ(nodes_of(fmt::format("kind=torus,shape={}", fmt::join(factors, "*"))),
              walk_through(factors));
  }
}

TEST(FoldedGrid, LastEvenFactorThatIsClosedChangesLeast) {
  EXPECT_EQ(nodes_of("kind=torus,shape=2*3"), (Numbers{0, 2, 4, 5, 3, 1}));
  EXPECT_EQ(nodes_of("kind=mesh,shape=2*4"), (Numbers{0, 2, 4, 6, 7, 5, 3, 1}));
  EXPECT_EQ(nodes_of("kind=torus,shape=2*4,wrap=[true,false]"), (Numbers{0, 2, 4, 6, 7, 5, 3, 1}));
  EXPECT_EQ(nodes_of("kind=torus,shape=2*4"), (Numbers{0, 1, 3, 2, 4, 5, 7, 6}));
}

TEST(FoldedGrid, NeighboursOnASideAreNeighboursOnTheMachine) {
  std::vector<std::string> machines;
  for (const char* const shape : {"2*2x4", "2*3", "2*3*2", "5*3*4x3", "2*2x2*2x2*2", "4*4x3*2",
                                  "1*2x3*1*4", "6*7", "3*3*2x5x2*5"}) {
    machines.push_back(fmt::format("kind=torus,shape={}", shape));
    machines.push_back(fmt::format("kind=mesh,shape={}", shape));
  }
  for (const std::string& settings : machines) {
    SCOPED_TRACE(settings);
    const auto topology = folded(settings);
    const FoldedGrid grid{*topology};
    const bool is_torus = topology->kind() == "torus";
    Numbers nodes = nodes_of(settings);
    std::uint32_t stride = 1;
    for (std::size_t side = 0; side < grid.sides().size(); ++side) {
      const std::uint32_t length = grid.sides()[side];
      for (std::uint32_t place = 0; place < nodes.size(); ++place) {
        const std::uint32_t at = place / stride % length;
        const bool is_last = at + 1 == length;
        if (!is_last || (is_torus && length > 1)) {
          const std::uint32_t next = is_last ? place - at * stride : place + stride;
          EXPECT_EQ(topology->distance(NodeId{nodes[place]}, NodeId{nodes[next]}), 1U);
        }
      }
      stride *= length;
    }
    std::ranges::sort(nodes);
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      EXPECT_EQ(nodes[node], node);
    }
  }
}

TEST(FoldedGrid, ComplaintsNameTheEntry) {
  EXPECT_EQ(folding_problem("kind=torus,shape=[4,[3,5]]"),
            "/shape/1: a folded ring of odd factors does not close (one of them is even; `wrap` "
            "makes it a path)");
  EXPECT_EQ(folding_problem("kind=torus,shape=3*5,wrap=[true,false]"), "no error");
  EXPECT_EQ(folding_problem("kind=mesh,shape=3*5"), "no error");
  EXPECT_EQ(folding_problem("kind=torus,shape=[[2,0],4]"),
            "/shape/0/1: 0 is not a side (a positive integer)");
  EXPECT_EQ(folding_problem("kind=torus,shape=4x2*a"),
            "/shape/1/1: a is not a side (a positive integer)");
  EXPECT_EQ(folding_problem("kind=torus,shape=4x2*"),
            "/shape/1/1: \"\" is not a side (a positive integer)");
  EXPECT_EQ(folding_problem("kind=torus,shape=[[2,2],2x2]"),
            "/shape/1: \"2x2\" is not a side (a positive integer)");
  EXPECT_EQ(folding_problem("kind=torus,shape=[[[2,2]],2]"),
            "/shape/0/0: [2, 2] is not a side (a positive integer)");
  EXPECT_EQ(folding_problem("kind=torus,shape=[[],2]"),
            "/shape/0: [] is not a list of at least one entry, each a side (a positive integer)");
  EXPECT_EQ(folding_problem("kind=twisted_torus,shape=[[2,2],4]"),
            "/shape/0: [2, 2] is not a side (a positive integer)");
}

}  // namespace
}  // namespace dcube
