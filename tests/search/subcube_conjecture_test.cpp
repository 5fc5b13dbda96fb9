#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/search/subcubes.hpp"
#include "search/subcubes/matrix_game.hpp"
#include "subcube_graphs.hpp"

namespace dcube::testing {
namespace {

using Size = std::pair<std::uint32_t, std::uint32_t>;

class Conjecture : public ::testing::TestWithParam<Size> {};

TEST_P(Conjecture, HoldsForEveryTaskGraph) {
  const auto [d, n] = GetParam();
  const ConjectureCheck check = check_conjecture(d, n);
  EXPECT_TRUE(check.holds());
  EXPECT_EQ(check.by_one + check.by_mixture, check.packings);
  // With two slots they fill the cube, so they are parallel.
  EXPECT_EQ(check.packings == 0, n - d == 1);
}

TEST_P(Conjecture, AnOptimalParallelMappingIsOptimalForRandomGraphs) {
  const auto [d, n] = GetParam();
  SplitMix64 random{n};
  for (std::uint32_t tasks = 2; tasks <= std::uint32_t{1} << (n - d); ++tasks) {
    const SubcubeProblem problem{random_graph(tasks, random), d, n};
    const SubcubeSearchResult parallel = best_mapping(problem, MappingKind::parallel);
    const SubcubeSearchResult any = best_mapping(problem, MappingKind::any);
    EXPECT_TRUE(parallel.is_optimal && any.is_optimal);
    EXPECT_EQ(parallel.bandwidth, any.bandwidth);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Conjecture,
                         ::testing::Values(Size{1, 2}, Size{1, 3}, Size{2, 3}, Size{2, 4},
                                           Size{3, 4}, Size{3, 5}, Size{1, 4}, Size{2, 5}));

TEST(Conjecture, TooLargeACubeIsAnInputError) {
  EXPECT_THROW(check_conjecture(1, 5), InputError);
  EXPECT_THROW(check_conjecture(4, 7), InputError);
  EXPECT_THROW(check_conjecture(3, 3), InputError);
}

TEST(MatrixGame, AFairGameHasShares) {
  // Neither column is at most 0; half of each is.
  const auto shares = fair_shares({2, {{1, -1}, {-1, 1}}});
  ASSERT_TRUE(shares);
  EXPECT_EQ((*shares)[0], (*shares)[1]);
}

TEST(MatrixGame, SharesThatAreRoundedToNothingAreNone) {
  // A third of each: in whole ones all are 0, against which no row wins, either.
  const auto shares = fair_shares({3, {{0, 1, -1}, {-1, 0, 1}, {1, -1, 0}}});
  ASSERT_TRUE(shares);
  EXPECT_EQ(*shares, (std::vector<long>{1, 1, 1}));
}

TEST(MatrixGame, AGameThatIsLostHasNone) {
  EXPECT_FALSE(fair_shares({2, {{2, -1}, {-1, 1}}}));
  EXPECT_FALSE(fair_shares({1, {{1}}}));
}

}  // namespace
}  // namespace dcube::testing
