#include "dcube/metrics/spheres.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "dcube/topology/routing.hpp"
#include "placements.hpp"

namespace dcube {
namespace {

TEST(Spheres, OfACycleOfEvenLengthEndInOneNode) {
  EXPECT_EQ(widest_spheres(*topology_of("kind=ring,nodes=6"), 9), (Spheres{1, 2, 2, 1}));
  EXPECT_EQ(widest_spheres(*topology_of("kind=ring,nodes=5"), 9), (Spheres{1, 2, 2}));
}

TEST(Spheres, OfALineAreThoseAroundItsMiddle) {
  EXPECT_EQ(widest_spheres(*topology_of("kind=line,nodes=6"), 9), (Spheres{1, 2, 2, 1}));
  EXPECT_EQ(widest_spheres(*topology_of("kind=line,nodes=2"), 9), (Spheres{1, 1}));
}

TEST(Spheres, HoldEveryNodeOfAGridOnce) {
  for (const std::string machine : {"kind=mesh,shape=4x6x3", "kind=torus,shape=4x5x2",
                                    "kind=hypercube,dimensions=5", "kind=line,nodes=7"}) {
    const auto topology = topology_of(machine);
    const Spheres spheres = widest_spheres(*topology, 100);
    EXPECT_EQ(std::accumulate(spheres.begin(), spheres.end(), std::uint64_t{0}),
              topology->node_count())
        << machine;
  }
}

TEST(Spheres, CountNodesThatMayHostProcesses) {
  // A switch is one hop away, the terminals below it two, the others four.
  const auto tree = topology_of("kind=fat_tree,down=[3,4],up=[1,2]");
  EXPECT_EQ(widest_spheres(*tree, 2), (Spheres{1, 0, 2}));
  EXPECT_EQ(widest_spheres(*tree, 4), (Spheres{1, 0, 2, 0, 9}));
  // They go on until there are as many others.
  EXPECT_EQ(widest_spheres(*topology_of("kind=fat_tree,down=[1,4],up=[1,1]"), 1),
            (Spheres{1, 0, 0, 0, 3}));
  // Too many terminals to count.
  const Spheres large = widest_spheres(*topology_of("kind=fat_tree,down=[32,128],up=[1,2]"), 3);
  EXPECT_EQ(large[1], 0U);
  EXPECT_GE(large[2], 31U);
}

TEST(Spheres, EndWhereAllOtherNodesHaveFailed) {
  const SharedTopology whole = make_topology(Params::parse("kind=twisted_torus,shape=64x128"));
  Failures failures;
  for (const NodeId node : all_nodes(*whole)) {
    if (node.index() > 1) {
      failures.nodes.push_back(node);
    }
  }
  const auto pair = with_failures(whole, failures);
  EXPECT_EQ(widest_spheres(*pair, pair->node_count()), (Spheres{1, 1, 0}));
}

TEST(Spheres, EndAtTheRadius) {
  EXPECT_EQ(widest_spheres(*topology_of("kind=torus,shape=8x8"), 2), (Spheres{1, 4, 8}));
}

}  // namespace
}  // namespace dcube
