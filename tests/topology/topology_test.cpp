#include "dcube/topology/topology.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dcube {
namespace {

std::string described(const std::string& settings) {
  return describe(*make_topology(Params::parse(settings)));
}

TEST(Topology, IsDescribedByShapeAndKind) {
  EXPECT_EQ(described("kind=line,nodes=8"), "line of 8");
  EXPECT_EQ(described("kind=ring,nodes=16"), "ring of 16");
  EXPECT_EQ(described("kind=mesh,shape=3x5"), "3x5 mesh");
  EXPECT_EQ(described("kind=torus,shape=8"), "torus of 8");
  EXPECT_EQ(described("kind=torus,shape=4x4x2"), "4x4x2 torus");
  EXPECT_EQ(described("kind=hypercube,dimensions=1"), "1-dimensional hypercube");
  EXPECT_EQ(described("kind=hypercube,dimensions=6"), "6-dimensional hypercube");
}

TEST(Topology, RouteToTheSameNodeIsThatNode) {
  const auto ring = make_topology(Params::parse("kind=ring,nodes=8"));
  EXPECT_EQ(ring->route(NodeId{3}, NodeId{3}), (std::vector{NodeId{3}}));
}

TEST(Topology, RouteOverTheWrapAroundLinkHasEveryNode) {
  const auto ring = make_topology(Params::parse("kind=ring,nodes=9"));
  EXPECT_EQ(ring->route(NodeId{7}, NodeId{2}),
            (std::vector{NodeId{7}, NodeId{8}, NodeId{0}, NodeId{1}, NodeId{2}}));
}

TEST(Topology, ContainsItsNodesOnly) {
  const auto ring = make_topology(Params::parse("kind=ring,nodes=9"));
  EXPECT_TRUE(ring->contains(NodeId{8}));
  EXPECT_FALSE(ring->contains(NodeId{9}));
}

}  // namespace
}  // namespace dcube
