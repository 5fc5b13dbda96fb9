#include <gtest/gtest.h>

#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

TEST(Line, HasOneLinkLessThanNodes) {
  const auto line = make_topology(Params::parse("kind=line,nodes=8"));
  EXPECT_EQ(line->link_count(), 7U);
  EXPECT_EQ(line->distance(NodeId{0}, NodeId{7}), 7U);
}

TEST(Line, RouteIsOneRunEitherWay) {
  const auto line = make_topology(Params::parse("kind=line,nodes=8"));
  EXPECT_EQ(line->next_run(NodeId{1}, NodeId{6}), (dcube::Run{LinkId{1}, 1, 5, NodeId{6}}));
  EXPECT_EQ(line->next_run(NodeId{6}, NodeId{1}), (dcube::Run{LinkId{8 + 6}, -1, 5, NodeId{1}}));
}

}  // namespace
}  // namespace dcube
