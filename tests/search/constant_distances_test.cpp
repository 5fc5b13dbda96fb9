#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "problems.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using OfDimensions = std::vector<std::uint32_t>;

ConstantDistanceProof proof_of(const std::string& settings) {
  const auto topology = searching::machine(settings);
  const Traffic cube =
      searching::cube(static_cast<std::uint32_t>(std::countr_zero(topology->node_count())));
  return enumerate_constant_distances(
      searching::problem(*topology, cube, Objective::average_dilation), {});
}

/// 3 * 2^(d-2) - 1, which only {1, 2, .., 2^(d-3), 2^(d-2), 2^(d-2)} reaches [X].
TEST(ConstantDistances, RingsHaveOneBestCombination) {
  for (std::uint32_t d = 2; d <= 5; ++d) {
    const ConstantDistanceProof proof =
        proof_of("kind=ring,nodes=" + std::to_string(std::uint32_t{1} << d));
    ASSERT_TRUE(proof.is_complete);
    EXPECT_EQ(proof.least_sum, 3 * (std::uint32_t{1} << (d - 2)) - 1);
    OfDimensions best;
    for (std::uint32_t i = 0; i + 2 < d; ++i) {
      best.push_back(std::uint32_t{1} << i);
    }
    best.insert(best.end(), 2, std::uint32_t{1} << (d - 2));
    EXPECT_EQ(proof.optima, std::vector<OfDimensions>{best});
  }
}

TEST(ConstantDistances, NothingIsBetterThanXorOnTori) {
  for (const std::string shape :
       {"4x2", "8x2", "16x2", "4x4", "8x4", "16x4", "8x8", "16x8", "4x4x2", "4x4x4"}) {
    const auto torus = searching::machine("kind=torus,shape=" + shape);
    const OfDimensions of_xor = closed_form(*torus, "xor")->distances;
    const ConstantDistanceProof proof = proof_of("kind=torus,shape=" + shape);
    EXPECT_TRUE(proof.is_complete) << shape;
    EXPECT_EQ(proof.least_sum, std::accumulate(of_xor.begin(), of_xor.end(), 0U)) << shape;
  }
}

TEST(ConstantDistances, WitnessesAreWhatTheyClaim) {
  const auto torus = searching::machine("kind=torus,shape=8x4");
  for (const DistanceTrial& trial : proof_of("kind=torus,shape=8x4").trials) {
    if (!trial.is_possible) {
      continue;
    }
    ASSERT_EQ(trial.witness.size(), std::size_t{1} << trial.distances.size());
    EXPECT_TRUE(searching::fits(trial.witness, *torus));
    for (std::size_t process = 0; process < trial.witness.size(); ++process) {
      for (std::size_t bit = 0; bit < trial.distances.size(); ++bit) {
        EXPECT_EQ(torus->distance(trial.witness[process],
                                  trial.witness[process ^ (std::size_t{1} << bit)]),
                  trial.distances[bit]);
      }
    }
  }
}

TEST(ConstantDistances, NeedACubeThatFillsTheMachine) {
  EXPECT_THROW(proof_of("kind=line,nodes=8"), InputError);
  EXPECT_THROW(proof_of("kind=hypercube,dimensions=8"), InputError);  // too many symmetries
  const auto ring = searching::machine("kind=ring,nodes=8");
  const Traffic small = searching::cube(2);
  EXPECT_THROW(enumerate_constant_distances(
                   searching::problem(*ring, small, Objective::average_dilation), {}),
               InputError);
  const Traffic whole = searching::cube(3);
  SearchProblem several = searching::problem(*ring, whole, Objective::average_dilation);
  several.slots = 4;
  EXPECT_EQ(complaint([&] { enumerate_constant_distances(several, {}); }),
            "constant distances are those of one process on a node, and a node has 4 slots");
  SearchProblem pinned = searching::problem(*ring, whole, Objective::average_dilation);
  pinned.pins.assign(8, std::nullopt);
  pinned.pins[3] = NodeId{2};
  EXPECT_EQ(complaint([&] { enumerate_constant_distances(pinned, {}); }),
            "constant distances leave no process a node of its own; leave out the pins");
}

}  // namespace
}  // namespace dcube
