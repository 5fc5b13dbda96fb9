#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> torus(const std::string& settings) {
  return make_topology(Params::parse("kind=torus," + settings));
}

TEST(Torus, WrapAroundLinkIsOneHop) {
  EXPECT_EQ(torus("shape=4x5")->neighbours(NodeId{0}),
            (std::vector{NodeId{1}, NodeId{3}, NodeId{4}, NodeId{16}}));
}

TEST(Torus, SideOfTwoIsOneLink) {
  const auto machine = torus("shape=2x4");
  EXPECT_EQ(machine->link_count(), 4U + 8U);
  EXPECT_EQ(machine->neighbours(NodeId{0}), (std::vector{NodeId{1}, NodeId{2}, NodeId{6}}));
  EXPECT_FALSE(machine->link(LinkId{1}).has_value()) << "up from the last coordinate";
  EXPECT_FALSE(machine->link(LinkId{8}).has_value()) << "down from the first coordinate";
}

TEST(Torus, SideOfTwoTakesItsLinkWhateverTheTie) {
  const auto machine = torus("shape=2x2,tie=positive");
  EXPECT_EQ(machine->next_run(NodeId{1}, NodeId{0}), (dcube::Run{LinkId{4 + 1}, -1, 1, NodeId{0}}));
}

TEST(Torus, RunsOfASecondDimensionStrideByTheFirstSide) {
  const auto machine = torus("shape=4x8");
  EXPECT_EQ(machine->next_run(NodeId{1}, NodeId{13}),
            (dcube::Run{LinkId{64 + 1}, 4, 3, NodeId{13}}));
  EXPECT_EQ(machine->next_run(NodeId{13}, NodeId{1}),
            (dcube::Run{LinkId{96 + 13}, -4, 3, NodeId{1}}));
}

TEST(Torus, EveryDimensionBreaksTiesByItself) {
  const auto machine = torus("shape=4x4");
  EXPECT_EQ(machine->route(NodeId{2}, NodeId{8}),
            (std::vector{NodeId{2}, NodeId{1}, NodeId{0}, NodeId{4}, NodeId{8}}));
}

}  // namespace
}  // namespace dcube
