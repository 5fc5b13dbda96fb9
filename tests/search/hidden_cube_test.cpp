#include "search/starts/hidden_cube.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "problems.hpp"
#include "search/starts/starts.hpp"
#include "search/walks/annealer.hpp"
#include "search/walks/draws.hpp"

// Cubes whose processes are numbered in another way.

namespace dcube {
namespace {

std::vector<std::uint32_t> drawn_numbers(std::uint32_t count, std::uint64_t seed) {
  SplitMix64 random{seed};
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (std::size_t i = count; i > 1; --i) {
    std::swap(numbers[i - 1], numbers[draw_below(random, i)]);
  }
  return numbers;
}

void expect_cube(const Traffic& traffic, const std::vector<std::uint32_t>& numbers) {
  ASSERT_EQ(numbers.size(), traffic.process_count());
  std::vector<std::uint32_t> sorted = numbers;
  std::ranges::sort(sorted);
  for (std::uint32_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(sorted[i], i);
  }
  for (const Flow& flow : traffic.flows()) {
    EXPECT_TRUE(std::has_single_bit(numbers[flow.from.index()] ^ numbers[flow.to.index()]));
  }
}

TEST(HiddenCube, IsFoundUnderAnyNumbers) {
  for (std::uint32_t dimensions = 3; dimensions <= 8; ++dimensions) {
    SCOPED_TRACE(dimensions);
    const Traffic cube = searching::cube(dimensions);
    const Traffic traffic = renumbered(cube, drawn_numbers(1U << dimensions, dimensions));
    const auto numbers = hidden_cube(traffic);
    ASSERT_TRUE(numbers);
    expect_cube(traffic, *numbers);
    EXPECT_EQ(renumbered(traffic, *numbers), cube);
  }
}

TEST(HiddenCube, WeightsMayDifferFromPairToPair) {
  std::vector<Flow> flows;
  for (std::uint32_t process = 0; process < 32; ++process) {
    for (std::uint32_t bit = 1; bit < 32; bit *= 2) {
      flows.push_back({ProcessId{process}, ProcessId{process ^ bit}, 1 + process % 7, 1});
    }
  }
  const Traffic traffic = renumbered({32, flows}, drawn_numbers(32, 4));
  const auto numbers = hidden_cube(traffic);
  ASSERT_TRUE(numbers);
  expect_cube(traffic, *numbers);
}

TEST(HiddenCube, IsNotSeenWhereThereIsNone) {
  EXPECT_FALSE(hidden_cube(searching::cube(4)));  // it is not hidden
  EXPECT_FALSE(hidden_cube({1, {}}));
  EXPECT_FALSE(hidden_cube(Traffic::of(Guest::parse("ring:8"))));
  EXPECT_FALSE(hidden_cube(Traffic::of(Guest::parse("torus:4x4x3"))));
  // As many partners as in a cube, which are not those of one.
  EXPECT_FALSE(hidden_cube(Traffic::of(Guest::parse("torus:8x2x4"))));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<Flow> flows;
    for (int matching = 0; matching < 4; ++matching) {
      const auto order = drawn_numbers(16, seed * 4 + static_cast<std::uint64_t>(matching));
      for (std::size_t i = 0; i < 16; i += 2) {
        flows.push_back({ProcessId{order[i]}, ProcessId{order[i + 1]}, 1, 1});
      }
    }
    const Traffic traffic{16, std::move(flows)};
    if (const auto numbers = hidden_cube(traffic)) {
      expect_cube(traffic, *numbers);
    }
  }
}

TEST(HiddenCube, StartsAndBoundsAreThoseOfTheCube) {
  const auto torus = searching::machine("kind=torus,shape=8x4");
  const Traffic cube = Traffic::of(Guest::cube(5), searching::doubling(5));
  const Traffic traffic = renumbered(cube, drawn_numbers(32, 9));
  const auto open = searching::problem(*torus, cube, Objective::hop_bytes);
  const auto hidden = searching::problem(*torus, traffic, Objective::hop_bytes);
  for (const Start& start : structured_starts(open)) {
    if (start.embedding == "weighted_xor") {  // depends on the weights alone
      const auto starts = structured_starts(hidden);
      const auto found = std::ranges::find(starts, "hidden cube: weighted_xor", &Start::embedding);
      ASSERT_NE(found, starts.end());
      EXPECT_EQ(cost_of(hidden, found->map), cost_of(open, start.map));
    }
  }
  EXPECT_EQ(best_start(hidden).cost, best_start(open).cost);
  EXPECT_EQ(cost_bounds(hidden).front().cost, cost_bounds(open).front().cost);
  EXPECT_EQ(cost_bounds(hidden).front().source, cost_bounds(open).front().source);
}

/// No structured embedding is best here, but an affine map is.
TEST(HiddenCube, IsWalkedOverByAffineMaps) {
  const auto torus = searching::machine("kind=torus,shape=8x4");
  const std::vector<std::uint64_t> weights{12, 3, 4, 9, 5};
  const Traffic cube = Traffic::of(Guest::cube(5), weights);
  const Traffic traffic = renumbered(cube, drawn_numbers(32, 9));
  const auto open = searching::problem(*torus, cube, Objective::link_load);
  const auto hidden = searching::problem(*torus, traffic, Objective::link_load);
  const AnnealingSettings settings{.seed = 1, .effort = 4000, .bound = 0};
  const FoundMap of_open = anneal(open, settings);
  const FoundMap of_hidden = anneal(hidden, settings);
  EXPECT_LT(of_open.cost, best_start(open).cost);
  EXPECT_EQ(of_hidden.cost, of_open.cost);
  EXPECT_EQ(of_open.origin, affine_walk);
  EXPECT_EQ(of_hidden.origin, affine_walk);
}

}  // namespace
}  // namespace dcube
