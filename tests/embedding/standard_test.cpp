#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "placing.hpp"

namespace dcube {
namespace {

using Distances = std::vector<std::uint32_t>;

TEST(Standard, DistancesOnARingDouble) {
  Distances expected;
  for (std::uint32_t d = 1; d <= 8; ++d) {
    expected.push_back(1U << (d - 1));
    const auto distances = placing::constant_distances(fmt::format("kind=ring,nodes={}", 1U << d),
                                                       fmt::format("cube:{}", d), "kind=standard");
    EXPECT_EQ(distances, expected);
  }
}

TEST(Standard, DistancesAreConstantWhateverTheSides) {
  EXPECT_EQ(placing::constant_distances("kind=torus,shape=4x8", "cube:5", "kind=standard"),
            (Distances{1, 2, 1, 2, 4}));
  EXPECT_EQ(placing::constant_distances("kind=mesh,shape=2x8x4", "cube:6", "kind=standard"),
            (Distances{1, 1, 2, 4, 1, 2}));
}

TEST(Standard, HasDilationOneOnAHypercube) {
  EXPECT_EQ(placing::longest_dilation("kind=hypercube,dimensions=6", "cube:6", "kind=standard"),
            1U);
}

TEST(Standard, FoldedRingsAreThoseOfGrayInAHypercube) {
  const auto gray = placing::map_of("kind=hypercube,dimensions=6", "torus:4x4x4", "kind=gray");
  const char* const machine = "kind=torus,shape=2*2x2*2x2*2";
  EXPECT_EQ(placing::map_of(machine, "torus:4x4x4", "kind=standard"), gray);
  EXPECT_EQ(placing::map_of(machine, "cube:6", "kind=standard"), gray);
}

TEST(Standard, TorusOnFoldedSidesHasDilationOne) {
  for (const auto& [shape, guest] : std::vector<std::pair<std::string, std::string>>{
           {"2*3x4", "torus:6x4"}, {"2*3*2x2*5", "torus:12x10"}, {"[[4,4],3]", "torus:16x3"}}) {
    EXPECT_EQ(placing::longest_dilation("kind=torus,shape=" + shape, guest, "kind=standard"), 1U);
  }
}

TEST(Standard, OnFoldedSidesProcessesGoToTheNextNodeThatIsLeft) {
  const std::shared_ptr<const Topology> torus = placing::machine("kind=torus,shape=2*2x2");
  const auto broken = with_failures(torus, {.nodes = {NodeId{3}}, .links = {}, .spares = {}});
  EXPECT_EQ(
      placing::embedding_on(*broken, "ring:7", "kind=standard")->map(),
      (std::vector{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{4}, NodeId{5}, NodeId{7}, NodeId{6}}));
  EXPECT_EQ(
      placing::embedding_on(*broken, "ring:7", "kind=identity")->map(),
      (std::vector{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{4}, NodeId{5}, NodeId{6}, NodeId{7}}));
}

TEST(Standard, FoldedSidesOrderNodesForOthersToo) {
  using Numbers = std::vector<std::uint32_t>;
  const char* const machine = "kind=torus,shape=2*2";
  EXPECT_EQ(placing::map_of(machine, "ring:4", "kind=identity"), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(placing::map_of(machine, "ring:8", "kind=identity", 2),
            (Numbers{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(placing::map_of(machine, "ring:4", "kind=standard"), (Numbers{0, 1, 3, 2}));
  EXPECT_EQ(placing::map_of(machine, "ring:8", "kind=block", 2), (Numbers{0, 0, 1, 1, 3, 3, 2, 2}));
  EXPECT_EQ(placing::map_of(machine, "ring:8", "kind=cyclic", 2),
            (Numbers{0, 1, 3, 2, 0, 1, 3, 2}));
}

}  // namespace
}  // namespace dcube
