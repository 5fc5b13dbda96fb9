#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

std::unique_ptr<Topology> ring(const std::string& settings) {
  return make_topology(Params::parse("kind=ring," + settings));
}

TEST(Ring, WrapAroundLinkIsOneHop) {
  EXPECT_EQ(ring("nodes=8")->distance(NodeId{7}, NodeId{0}), 1U);
  EXPECT_EQ(ring("nodes=7")->distance(NodeId{0}, NodeId{6}), 1U);
}

TEST(Ring, RunUpwardsEndsBehindTheWrapAroundLink) {
  const auto machine = ring("nodes=8");
  EXPECT_EQ(machine->next_run(NodeId{6}, NodeId{1}), (dcube::Run{LinkId{6}, 1, 2, NodeId{0}}));
  EXPECT_EQ(machine->next_run(NodeId{0}, NodeId{1}), (dcube::Run{LinkId{0}, 1, 1, NodeId{1}}));
}

TEST(Ring, RunDownwardsEndsBehindTheWrapAroundLink) {
  const auto machine = ring("nodes=8");
  EXPECT_EQ(machine->next_run(NodeId{1}, NodeId{6}), (dcube::Run{LinkId{8 + 1}, -1, 2, NodeId{7}}));
  EXPECT_EQ(machine->next_run(NodeId{7}, NodeId{6}), (dcube::Run{LinkId{8 + 7}, -1, 1, NodeId{6}}));
}

TEST(Ring, HalfWayRoundAvoidsTheWrapAroundLink) {
  const auto machine = ring("nodes=8");
  EXPECT_EQ(machine->next_run(NodeId{2}, NodeId{6}), (dcube::Run{LinkId{2}, 1, 4, NodeId{6}}));
  EXPECT_EQ(machine->next_run(NodeId{6}, NodeId{2}), (dcube::Run{LinkId{8 + 6}, -1, 4, NodeId{2}}));
}

TEST(Ring, HalfWayRoundGoesUpWhenTieIsPositive) {
  const auto machine = ring("nodes=8,tie=positive");
  EXPECT_EQ(machine->next_run(NodeId{2}, NodeId{6}), (dcube::Run{LinkId{2}, 1, 4, NodeId{6}}));
  EXPECT_EQ(machine->next_run(NodeId{6}, NodeId{2}), (dcube::Run{LinkId{6}, 1, 2, NodeId{0}}));
}

TEST(Ring, TwoNodesShareOneLink) {
  EXPECT_EQ(ring("nodes=2")->link_count(), 1U);
  EXPECT_EQ(ring("nodes=1")->link_count(), 0U);
}

TEST(Ring, UnknownTieIsAnInputError) {
  try {
    ring("nodes=8,tie=positiv");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), "/tie");
    EXPECT_NE(error.problem().find("did you mean `positive`?"), std::string::npos);
  }
}

}  // namespace
}  // namespace dcube
