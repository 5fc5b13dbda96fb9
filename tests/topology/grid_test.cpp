#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"
#include "support/plain/paths.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> machine(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

std::string grid_problem(const std::string& settings) {
  try {
    machine(settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Grid, WhatIsNeitherTrueNorFalseIsNoWrap) {
  EXPECT_EQ(grid_problem("kind=torus,shape=4x4,wrap=[true,1]"),
            "/wrap/1: 1 is neither true nor false");
}

TEST(Grid, HasAtMost1024Dimensions) {
  std::string sides = "1";
  for (int i = 1; i < 1024; ++i) {
    sides += ",1";
  }
  EXPECT_EQ(grid_problem("kind=torus,shape=[" + sides + "]"), "no error");
  EXPECT_EQ(grid_problem("kind=torus,shape=[" + sides + ",1]"),
            "/shape: 1025 dimensions (a torus has at most 1024)");
}

TEST(Grid, LinksAreThoseOfTheDefinition) {
  for (const char* shape : {"1", "2", "3", "8", "4x4", "2x3", "5x1x2", "3x4x5", "2x2x2x2"}) {
    SCOPED_TRACE(shape);
    const auto mesh = machine(std::string{"kind=mesh,shape="} + shape);
    const auto torus = machine(std::string{"kind=torus,shape="} + shape);
    EXPECT_EQ(reference::graph_of(*mesh),
              reference::grid_graph(mesh->shape(), reference::Border::open));
    EXPECT_EQ(reference::graph_of(*torus),
              reference::grid_graph(torus->shape(), reference::Border::joined));
  }
}

TEST(Grid, FirstCoordinateVariesFastest) {
  const auto mesh = machine("kind=mesh,shape=3x4x5");
  EXPECT_EQ(mesh->neighbours(NodeId{0}), (std::vector{NodeId{1}, NodeId{3}, NodeId{12}}));
}

TEST(Grid, SidesOfOneAddNoLinks) {
  const auto torus = machine("kind=torus,shape=1x5x1");
  EXPECT_EQ(torus->link_count(), 5U);
  EXPECT_EQ(torus->dimension_count(), 3U);
  EXPECT_EQ(torus->route(NodeId{0}, NodeId{4}), (std::vector{NodeId{0}, NodeId{4}}));
}

TEST(Grid, ManyDimensionsOfOneLeaveTheOthersReachable) {
  std::string shape = "2x4";
  for (int i = 0; i < 300; ++i) {
    shape = "1x" + shape;
  }
  const auto torus = machine("kind=torus,shape=" + shape);
  EXPECT_EQ(torus->distance(NodeId{0}, NodeId{7}), 2U);
  EXPECT_EQ(torus->route(NodeId{0}, NodeId{7}), (std::vector{NodeId{0}, NodeId{1}, NodeId{7}}));
}

TEST(Grid, LargestMachinesCostNoMemoryPerNode) {
  const auto line = machine("kind=line,nodes=2147483647");
  EXPECT_EQ(line->distance(NodeId{0}, NodeId{2147483646}), 2147483646U);
  EXPECT_EQ(line->next_run(NodeId{2147483646}, NodeId{0}).hops, 2147483646U);

  const auto torus = machine("kind=torus,shape=16384x65535");
  EXPECT_EQ(torus->node_count(), 16384U * 65535U);
  EXPECT_EQ(torus->distance(NodeId{0}, NodeId{16384U * 65535U - 1}), 2U);
  EXPECT_EQ(torus->link_count(), 2U * 16384U * 65535U);
}

TEST(Grid, MoreLinksThanNumbersIsAnInputError) {
  EXPECT_EQ(grid_problem("kind=line,nodes=2147483648"),
            "/nodes: 2147483648 is too large (a machine has at most 4294967294 link numbers, two "
            "per node and dimension)");
  EXPECT_EQ(grid_problem("kind=torus,shape=65536x65536"),
            "/shape: \"65536x65536\" is too large (a machine has at most 4294967294 link numbers, "
            "two per node and dimension)");
}

TEST(Grid, UnusableSidesAreNamed) {
  EXPECT_EQ(grid_problem("kind=torus,shape=[4,0]"),
            "/shape/1: 0 is not a side (a positive integer)");
  EXPECT_EQ(grid_problem("kind=line,nodes=0"), "/nodes: 0 is not a positive integer");
  EXPECT_NE(grid_problem("kind=mesh,shape=[]"), "no error");
  EXPECT_NE(grid_problem("kind=mesh"), "no error");
}

TEST(Grid, ReverseOfAnUnusedLinkNumberIsAContractViolation) {
  const auto line = machine("kind=line,nodes=3");
  EXPECT_FALSE(line->link(LinkId{2}).has_value());  // upwards from the last node
  EXPECT_THROW(line->reverse(LinkId{2}), ContractViolation);
}

}  // namespace
}  // namespace dcube
