#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

TEST(Hypercube, DistanceIsTheNumberOfDifferingBits) {
  const auto cube = make_topology(Params::parse("kind=hypercube,dimensions=6"));
  EXPECT_EQ(cube->distance(NodeId{0b101010}, NodeId{0b010101}), 6U);
  EXPECT_EQ(cube->distance(NodeId{0b101010}, NodeId{0b101110}), 1U);
  EXPECT_EQ(cube->link_count(), 6U * 32);
}

TEST(Hypercube, RoutesFlipTheLowestBitFirst) {
  const auto cube = make_topology(Params::parse("kind=hypercube,dimensions=3"));
  EXPECT_EQ(cube->route(NodeId{0b001}, NodeId{0b110}),
            (std::vector{NodeId{0b001}, NodeId{0b000}, NodeId{0b010}, NodeId{0b110}}));
}

TEST(Hypercube, ZeroDimensionsAreOneNodeWithoutLinks) {
  const auto cube = make_topology(Params::parse("kind=hypercube,dimensions=0"));
  EXPECT_EQ(cube->node_count(), 1U);
  EXPECT_EQ(cube->link_count(), 0U);
  EXPECT_EQ(cube->link_slots(), 0U);
}

TEST(Hypercube, HasUpToTwentySixDimensions) {
  const auto cube = make_topology(Params::parse("kind=hypercube,dimensions=26"));
  EXPECT_EQ(cube->distance(NodeId{0}, NodeId{cube->node_count() - 1}), 26U);
  try {
    make_topology(Params::parse("kind=hypercube,dimensions=27"));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), "/dimensions");
    EXPECT_NE(error.problem().find("27 is not a number of dimensions (0 to 26)"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace dcube
