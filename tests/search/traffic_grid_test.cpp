#include "search/starts/traffic_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/mapped.hpp"
#include "problems.hpp"
#include "search/starts/starts.hpp"
#include "search/walks/annealer.hpp"
#include "search/walks/draws.hpp"
#include "sum_cases.hpp"

// Cubes and grids whose processes are numbered in another way.

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

/// Coordinates in a shape, the first dimension fastest.
std::vector<std::uint32_t> coordinates(std::uint32_t number, std::span<const std::uint32_t> shape) {
  std::vector<std::uint32_t> at;
  for (const std::uint32_t side : shape) {
    at.push_back(number % side);
    number /= side;
  }
  return at;
}

/// Whether two processes are neighbours in the guest; ends of its sides are.
bool are_neighbours(const Guest& guest, std::uint32_t one, std::uint32_t two) {
  const auto a = coordinates(one, guest.shape());
  const auto b = coordinates(two, guest.shape());
  std::uint32_t steps = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint32_t difference = std::max(a[i], b[i]) - std::min(a[i], b[i]);
    const bool wraps = guest.kind() == Guest::Kind::torus;
    steps += wraps ? std::min(difference, guest.shape()[i] - difference) : difference;
  }
  return steps == 1;
}

void expect_permutation(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(numbers[i], i);
  }
}

std::vector<std::uint32_t> sorted_sides(const Guest& guest) {
  std::vector<std::uint32_t> sides{guest.shape().begin(), guest.shape().end()};
  std::ranges::sort(sides);
  return sides;
}

/// Flows of at least so many bytes are those of the grid.
void expect_neighbours(const TrafficGrid& grid, const Traffic& traffic, std::uint64_t least_bytes) {
  for (const Flow& flow : traffic.flows()) {
    if (flow.bytes >= least_bytes) {
      EXPECT_TRUE(are_neighbours(grid.guest, grid.numbers[flow.from.index()],
                                 grid.numbers[flow.to.index()]));
    }
  }
}

/// In the traffic of a guest, and as its numbers are drawn anew so often.
template <class TrafficOf>
void expect_found(const std::string& name, const TrafficOf& traffic_of, int draws) {
  SCOPED_TRACE(name);
  const Guest guest = Guest::parse(name);
  const Traffic open = traffic_of(guest);
  ASSERT_TRUE(traffic_grid(open));
  EXPECT_FALSE(traffic_grid(open)->is_hidden) << "its numbers show it";
  EXPECT_EQ(traffic_grid(open)->guest, guest);
  for (int seed = 1; seed <= draws; ++seed) {
    const auto drawn = drawn_numbers(guest.process_count(), static_cast<std::uint64_t>(seed));
    const Traffic traffic = renumbered(open, drawn);
    const auto grid = traffic_grid(traffic);
    ASSERT_TRUE(grid);
    EXPECT_TRUE(grid->is_hidden);
    EXPECT_EQ(sorted_sides(grid->guest), sorted_sides(guest));
    EXPECT_EQ(grid->guest.kind(), guest.kind());
    expect_permutation(grid->numbers);
    EXPECT_EQ(renumbered(traffic, grid->numbers), traffic_of(grid->guest));
  }
}

TEST(TrafficGrid, IsFoundUnderAnyNumbers) {
  for (const char* const name :
       {"ring:9", "line:7", "mesh:5x7", "torus:5x6", "torus:3x4x5", "torus:4x4x8", "mesh:2x3x5",
        "torus:16x8x6", "mesh:3x3x3x3", "mesh:2x9", "torus:4x3", "mesh:40x25"}) {
    expect_found(
        name, [](const Guest& guest) { return Traffic::of(guest); }, 5);
  }
}

TEST(TrafficGrid, OfSidesOfTwoIsTheCube) {
  const Traffic traffic = renumbered(searching::cube(5), drawn_numbers(32, 3));
  const auto grid = traffic_grid(traffic);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->guest, Guest::cube(5));
  EXPECT_EQ(grid->numbers, *hidden_cube(traffic));
  EXPECT_TRUE(grid->is_hidden);
  EXPECT_FALSE(traffic_grid(searching::cube(5))->is_hidden);
}

/// Tensor groups of 4 that exchange with each other, rings of 6 and lines of 5.
TEST(TrafficGrid, MayHaveGroupsThatExchangeWithEachOther) {
  std::vector<Flow> flows;
  for (std::uint32_t process = 0; process < 120; ++process) {
    const std::uint32_t in_group = process % 4;
    const std::uint32_t in_ring = process / 4 % 6;
    for (std::uint32_t other = 0; other < in_group; ++other) {
      flows.push_back({ProcessId{process}, ProcessId{process - in_group + other}, 3, 1});
    }
    flows.push_back(
        {ProcessId{process}, ProcessId{process - 4 * in_ring + (in_ring + 1) % 6 * 4}, 50, 1});
    if (process >= 24) {
      flows.push_back({ProcessId{process}, ProcessId{process - 24}, 7, 1});
    }
  }
  const Traffic open{120, std::move(flows)};
  const Traffic traffic = renumbered(open, drawn_numbers(120, 8));
  const auto grid = traffic_grid(traffic);
  ASSERT_TRUE(grid);
  expect_permutation(grid->numbers);
  EXPECT_EQ(grid->guest.process_count(), 120U);
  for (const Flow& flow : traffic.flows()) {
    const auto from = coordinates(grid->numbers[flow.from.index()], grid->guest.shape());
    const auto to = coordinates(grid->numbers[flow.to.index()], grid->guest.shape());
    std::uint32_t changed = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      changed += from[i] != to[i] ? 1U << grid->guest.shape()[i] : 0;
    }
    const std::uint32_t side = flow.bytes == 3 ? 4 : flow.bytes == 50 ? 6 : 5;
    EXPECT_EQ(changed, 1U << side);
  }
}

/// The grid in which each process exchanges with all around it, over edges and corners, too.
Traffic with_corners(const Guest& guest) {
  std::vector<Flow> flows;
  for (std::uint32_t one = 0; one < guest.process_count(); ++one) {
    for (std::uint32_t two = 0; two < guest.process_count(); ++two) {
      const auto from = coordinates(one, guest.shape());
      const auto to = coordinates(two, guest.shape());
      bool is_around = one != two;
      for (std::size_t i = 0; i < from.size(); ++i) {
        const std::uint32_t apart = std::max(from[i], to[i]) - std::min(from[i], to[i]);
        const bool wraps = guest.kind() == Guest::Kind::torus;
        is_around &= apart <= 1 || (wraps && apart == guest.shape()[i] - 1);
      }
      if (is_around) {
        flows.push_back({ProcessId{one}, ProcessId{two}, 1, 1});
      }
    }
  }
  return {guest.process_count(), std::move(flows)};
}

TEST(TrafficGrid, IsFoundWhereCornersExchangeAsMuch) {
  for (const char* const name : {"mesh:3x3", "mesh:5x7", "torus:4x6", "torus:5x8", "mesh:3x4x5",
                                 "torus:4x5x6", "mesh:6x3x3x3"}) {
    expect_found(name, with_corners, 3);
  }
}

TEST(TrafficGrid, IsNotSeenWhereCornersAreMissing) {
  const Traffic whole = with_corners(Guest::parse("mesh:5x6"));
  for (std::size_t missing = 0; missing < whole.flows().size(); ++missing) {
    std::vector<Flow> flows{whole.flows().begin(), whole.flows().end()};
    const Flow gone = flows[missing];
    std::erase_if(flows, [&](const Flow& flow) {
      return std::minmax(flow.from, flow.to) == std::minmax(gone.from, gone.to);
    });
    EXPECT_FALSE(traffic_grid(renumbered({30, std::move(flows)}, drawn_numbers(30, missing))));
  }
}

/// A stencil, and a little between all.
TEST(TrafficGrid, HeaviestFlowsMayShowIt) {
  const Guest guest = Guest::parse("torus:6x9");
  SplitMix64 random{5};
  std::vector<Flow> flows;
  for (std::uint32_t process = 0; process < 54; ++process) {
    for (std::uint32_t other = 0; other < 54; ++other) {
      if (are_neighbours(guest, process, other)) {
        flows.push_back({ProcessId{process}, ProcessId{other}, 100 + draw_below(random, 20), 1});
      } else if (other != process) {
        flows.push_back({ProcessId{process}, ProcessId{other}, 1 + draw_below(random, 20), 1});
      }
    }
  }
  const Traffic traffic = renumbered({54, std::move(flows)}, drawn_numbers(54, 6));
  const auto grid = traffic_grid(traffic);
  ASSERT_TRUE(grid);
  expect_permutation(grid->numbers);
  EXPECT_EQ(sorted_sides(grid->guest), sorted_sides(guest));
  expect_neighbours(*grid, traffic, 100);
}

/// A path through a mesh is far heavier than its other pairs, and something is between corners.
TEST(TrafficGrid, IsThatOfTheLightestFlowsThatFormOne) {
  const Guest guest = Guest::parse("mesh:3x5");
  std::vector<Flow> flows;
  for (std::uint32_t process = 0; process < 15; ++process) {
    for (std::uint32_t other = 0; other < process; ++other) {
      const bool is_on_path =
          process - other == 1 || (other % 3 == 2 - other / 3 % 2 * 2 && process == other + 3);
      if (are_neighbours(guest, process, other)) {
        flows.push_back({ProcessId{process}, ProcessId{other}, is_on_path ? 1000U : 10U, 1});
      }
    }
  }
  flows.push_back({ProcessId{0}, ProcessId{4}, 1, 1});
  const auto grid = traffic_grid(renumbered({15, std::move(flows)}, drawn_numbers(15, 3)));
  ASSERT_TRUE(grid);
  EXPECT_EQ(sorted_sides(grid->guest), sorted_sides(guest));
}

TEST(TrafficGrid, IsNotSeenWhereThereIsNone) {
  const auto hides = [](Traffic traffic) {
    const auto numbers = drawn_numbers(traffic.process_count(), 11);
    return traffic_grid(renumbered(traffic, numbers)).has_value();
  };
  EXPECT_FALSE(hides({1, {}}));
  EXPECT_FALSE(hides({9, {}}));
  EXPECT_FALSE(hides(Traffic::of(Guest::parse("tree:15"))));
  const auto twisted = searching::machine("kind=twisted_torus,shape=6x3");
  EXPECT_FALSE(hides(searching::hidden_stencil(*twisted, 1)));
  std::vector<Flow> all;
  std::vector<Flow> two_rings;
  for (std::uint32_t process = 0; process < 12; ++process) {
    for (std::uint32_t other = 0; other < process; ++other) {
      all.push_back({ProcessId{process}, ProcessId{other}, 1, 1});
    }
    two_rings.push_back({ProcessId{process}, ProcessId{process / 6 * 6 + (process + 1) % 6}, 1, 1});
  }
  EXPECT_FALSE(hides({12, all}));
  EXPECT_FALSE(hides({12, two_rings}));
  // A mesh with one pair more, and with one less.
  const Traffic mesh = Traffic::of(Guest::parse("mesh:4x5"));
  std::vector<Flow> flows{mesh.flows().begin(), mesh.flows().end()};
  flows.push_back({ProcessId{0}, ProcessId{6}, 2, 1});
  EXPECT_FALSE(hides({20, flows}));
  const auto erase_pair = [&](std::uint32_t one, std::uint32_t two) {
    std::erase_if(flows, [&](const Flow& flow) {
      return std::minmax(flow.from.index(), flow.to.index()) == std::minmax(one, two);
    });
  };
  erase_pair(0, 6);
  EXPECT_TRUE(hides({20, flows}));
  erase_pair(5, 6);
  EXPECT_FALSE(hides({20, flows}));
}

/// A ring of 4 is two sides of length 2, and those of two rings may not be mixed.
TEST(TrafficGrid, RingsOfFourAreThoseOfEqualWeight) {
  const std::vector<std::uint64_t> bytes{5, 9, 2};
  const Traffic open = Traffic::of(Guest::parse("torus:4x4x5"), bytes);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Traffic traffic = renumbered(open, drawn_numbers(80, seed));
    const auto grid = traffic_grid(traffic);
    ASSERT_TRUE(grid);
    EXPECT_EQ(sorted_sides(grid->guest), (std::vector<std::uint32_t>{4, 4, 5}));
    expect_neighbours(*grid, traffic, 1);
    std::map<std::uint64_t, std::size_t> side_of;  // by bytes
    for (const Flow& flow : traffic.flows()) {
      const auto from = coordinates(grid->numbers[flow.from.index()], grid->guest.shape());
      const auto to = coordinates(grid->numbers[flow.to.index()], grid->guest.shape());
      const auto side = std::ranges::mismatch(from, to).in1 - from.begin();
      const auto known = side_of.emplace(flow.bytes, static_cast<std::size_t>(side)).first;
      EXPECT_EQ(known->second, static_cast<std::size_t>(side));
    }
    EXPECT_EQ(side_of.size(), 3U);
  }
}

/// How many coordinates the two differ in.
std::size_t changed_sides(const TrafficGrid& grid, const Flow& flow) {
  const auto from = coordinates(grid.numbers[flow.from.index()], grid.guest.shape());
  const auto to = coordinates(grid.numbers[flow.to.index()], grid.guest.shape());
  std::size_t changed = 0;
  for (std::size_t side = 0; side < from.size(); ++side) {
    changed += from[side] != to[side] ? 1 : 0;
  }
  return changed;
}

/// Whatever is found, processes have different numbers, and partners differ along one side alone.
TEST(TrafficGrid, NumbersAreDifferentWhateverTheTraffic) {
  SplitMix64 random{7};
  std::size_t found = 0;
  for (std::uint32_t drawn = 0; drawn < 20'000; ++drawn) {
    const std::uint32_t processes = 4 + 2 * (drawn % 5);
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;  // without their bytes
    for (std::uint32_t left = processes + draw_below(random, processes); left > 0; --left) {
      const std::uint32_t one = draw_below(random, processes);
      const std::uint32_t two = draw_below(random, processes);
      if (one != two) {
        pairs.insert(std::minmax(one, two));
      }
    }
    const Traffic traffic{processes, mapped(pairs, [](const auto& pair) {
                            return Flow{ProcessId{pair.first}, ProcessId{pair.second}, 1, 1};
                          })};
    const auto grid = traffic_grid(traffic);
    if (grid) {
      ++found;
      ASSERT_EQ(grid->guest.process_count(), processes);
      expect_permutation(grid->numbers);
      for (const Flow& flow : traffic.flows()) {
        EXPECT_EQ(changed_sides(*grid, flow), 1U);
      }
    }
  }
  EXPECT_GT(found, 100U);
}

/// A ring of four whose corners 0 and 2 have a third and a fourth common partner, in two copies:
/// several squares share three corners.
TEST(TrafficGrid, PairsOfSeveralSquaresAreAlongOneSide) {
  std::vector<Flow> flows;
  for (const auto& [one, two] :
       {std::pair{0U, 1U}, {1U, 2U}, {2U, 3U}, {3U, 0U}, {0U, 4U}, {2U, 4U}, {3U, 4U}}) {
    flows.push_back({ProcessId{one}, ProcessId{two}, 1, 1});
    flows.push_back({ProcessId{one + 5}, ProcessId{two + 5}, 1, 1});
  }
  for (std::uint32_t process = 0; process < 5; ++process) {
    flows.push_back({ProcessId{process}, ProcessId{process + 5}, 1, 1});
  }
  const Traffic open{10, std::move(flows)};
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Traffic traffic = renumbered(open, drawn_numbers(10, seed));
    const auto grid = traffic_grid(traffic);
    ASSERT_TRUE(grid) << seed;
    EXPECT_EQ(sorted_sides(grid->guest), (std::vector<std::uint32_t>{2, 5}));
    for (const Flow& flow : traffic.flows()) {
      EXPECT_EQ(changed_sides(*grid, flow), 1U);
    }
  }
}

TEST(TrafficGrid, HasTheBestStartOfTheGrid) {
  using Case = std::array<const char*, 4>;
  for (const auto& [guest, machine, slots, origin] :
       {Case{"torus:16x16x16", "kind=torus,shape=16x8x8", "4", "boxes:1x2x2"},
        Case{"torus:16x16", "kind=torus,shape=4x8x8", "1", "boxes:1x1"},
        Case{"mesh:12x20", "kind=mesh,shape=4x3", "20", "boxes:5x4"}}) {
    SCOPED_TRACE(guest);
    const auto topology = searching::machine(machine);
    const Guest shape = Guest::parse(guest);
    const Traffic open = Traffic::of(shape);
    const Traffic traffic = renumbered(open, drawn_numbers(shape.process_count(), 2));
    auto known = searching::problem(*topology, open, Objective::hop_bytes);
    auto hidden = searching::problem(*topology, traffic, Objective::hop_bytes);
    known.slots = hidden.slots = static_cast<std::uint32_t>(std::stoul(slots));
    known.guest = shape;
    const FoundMap best = best_start(hidden);
    EXPECT_EQ(best.cost, best_start(known).cost);
    EXPECT_EQ(best.cost, cost_of(hidden, best.map));
    EXPECT_TRUE(best.origin.starts_with("hidden ")) << best.origin;
    EXPECT_TRUE(best.origin.ends_with(origin)) << best.origin;
  }
}

}  // namespace
}  // namespace dcube
