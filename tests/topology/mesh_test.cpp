#include <gtest/gtest.h>

#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

TEST(Mesh, HasNoWrapAroundLinks) {
  const auto mesh = make_topology(Params::parse("kind=mesh,shape=4x3"));
  EXPECT_EQ(mesh->link_count(), 3U * 3 + 4U * 2);
  EXPECT_EQ(mesh->neighbours(NodeId{3}), (std::vector{NodeId{2}, NodeId{7}}));
  EXPECT_EQ(mesh->distance(NodeId{0}, NodeId{11}), 5U);
}

TEST(Mesh, RoutesGoThroughTheFirstDimensionFirst) {
  const auto mesh = make_topology(Params::parse("kind=mesh,shape=4x3"));
  EXPECT_EQ(mesh->route(NodeId{1}, NodeId{11}),
            (std::vector{NodeId{1}, NodeId{2}, NodeId{3}, NodeId{7}, NodeId{11}}));
}

}  // namespace
}  // namespace dcube
