#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/search/subcubes.hpp"
#include "search/subcubes/subcube_addresses.hpp"
#include "search/subcubes/subcube_layout.hpp"
#include "subcube_graphs.hpp"
#include "support/complaint.hpp"

namespace dcube::testing {
namespace {

constexpr std::array all_kinds{MappingKind::parallel, MappingKind::non_parallel, MappingKind::any};

SubcubeProblem published_problem(std::uint32_t edges, std::uint64_t seed) {
  SplitMix64 random{seed};
  std::vector<WeightedEdge> all;
  for (std::uint32_t from = 0; from < 25; ++from) {
    for (std::uint32_t to = from + 1; to < 25; ++to) {
      all.push_back({from, to, 20});
    }
  }
  for (std::uint32_t i = 0; i < edges; ++i) {
    std::swap(all[i], all[i + bounded(random.next(), all.size() - i)]);
  }
  all.resize(edges);
  return {graph_of(25, all), 3, 8};
}

/// Every mapping of the kind, tried one by one.
std::uint64_t brute_force(const SubcubeProblem& problem, MappingKind kind) {
  std::vector<Subcube> addresses;
  const std::uint32_t nodes = 1U << problem.cube_dimensions();
  for (std::uint32_t stars = 0; stars < nodes; ++stars) {
    for (std::uint32_t bits = 0; bits < nodes; ++bits) {
      if ((stars & bits) == 0 &&
          static_cast<std::uint32_t>(std::popcount(stars)) == problem.subcube_dimensions()) {
        addresses.emplace_back(problem.cube_dimensions(), stars, bits);
      }
    }
  }
  std::uint64_t best = ~std::uint64_t{0};
  SubcubeMapping mapping;
  const std::function<void()> place = [&] {
    if (mapping.size() == problem.task_count()) {
      const bool is_of_kind =
          kind == MappingKind::any || is_parallel(mapping) == (kind == MappingKind::parallel);
      best = is_of_kind ? std::min(best, bandwidth(problem, mapping)) : best;
      return;
    }
    for (const Subcube& address : addresses) {
      if (problem.may_use(address) && std::ranges::all_of(mapping, [&](const Subcube& other) {
            return hamming_distance(address, other) > 0;
          })) {
        mapping.push_back(address);
        place();
        mapping.pop_back();
      }
    }
  };
  place();
  return best;
}

TEST(SubcubeProblem, TasksThatDoNotFitAreAnInputError) {
  EXPECT_EQ(dcube::complaint([] {
              SubcubeProblem(Traffic{5, {}}, 1, 3);
            }),
            "5 tasks do not fit (a 3-cube has room for 4 1-cubes); take a larger cube or smaller "
            "subcubes");
  EXPECT_EQ(dcube::complaint([] {
              SubcubeProblem(Traffic{0, {}}, 1, 3);
            }),
            "there are no tasks to map");
  EXPECT_THROW(SubcubeProblem(Traffic(1, {}), 4, 3), InputError);
  EXPECT_THROW(SubcubeProblem(Traffic(1, {}), 0, 0), InputError);
  EXPECT_THROW(SubcubeProblem(Traffic(1, {}), 0, 21), InputError);
  EXPECT_THROW(SubcubeProblem(graph_of(2, {{0, 1, 1ULL << 60}}), 1, 3), InputError);
}

TEST(SubcubeProblem, AMappingMustFitIt) {
  const SubcubeProblem problem{Traffic{2, {}}, 1, 3};
  const auto complaint = [&](std::vector<const char*> texts) {
    SubcubeMapping mapping;
    for (const char* text : texts) {
      mapping.push_back(Subcube::parse(text));
    }
    return dcube::complaint([&] { check_mapping(problem, mapping); });
  };
  EXPECT_EQ(complaint({"00*"}), "the mapping has 1 subcubes for 2 tasks (each needs one)");
  EXPECT_EQ(complaint({"00*", "01**"}),
            "01** of task 1 is no 1-cube of a 3-cube (3 symbols, 1 of them *)");
  EXPECT_EQ(complaint({"00*", "0*1"}), "00* of task 0 and 0*1 of task 1 share a node");
}

TEST(SubcubeMetrics, AreThoseOfTheDefinitions) {
  const SubcubeProblem problem{graph_of(3, {{0, 1, 2}, {1, 2, 5}}), 1, 3};
  const SubcubeMapping mapping{Subcube::parse("00*"), Subcube::parse("11*"), Subcube::parse("*01")};
  EXPECT_THROW(check_mapping(problem, mapping), InputError);  // 00* and *01 share 001
  const SubcubeMapping valid{Subcube::parse("00*"), Subcube::parse("11*"), Subcube::parse("10*")};
  const SubcubeMetrics parallel = measure_subcubes(problem, valid);
  EXPECT_EQ(parallel.bandwidth, 2U * 4 + 5U * 2);
  EXPECT_EQ(parallel.diameter, 3U);
  EXPECT_DOUBLE_EQ(parallel.node_distance, 1.5);
  EXPECT_DOUBLE_EQ(parallel.subcube_distance, 1.5);
  EXPECT_EQ(parallel.common_frontier, 1U);
  EXPECT_TRUE(parallel.is_parallel);
  const SubcubeMetrics other = measure_subcubes(
      problem, SubcubeMapping{Subcube::parse("00*"), Subcube::parse("1*0"), Subcube::parse("1*1")});
  EXPECT_EQ(other.bandwidth, 2U * 4 + 5U * 2);  // M = 1 + 1/2 + 1/2, and 1
  EXPECT_EQ(other.diameter, 3U);
  EXPECT_DOUBLE_EQ(other.subcube_distance, 1);
  EXPECT_EQ(other.common_frontier, 0U);
  EXPECT_FALSE(other.is_parallel);
  // Two positions free in all, neither of them the lowest.
  const SubcubeProblem large{Traffic{2, {}}, 2, 4};
  EXPECT_EQ(measure_subcubes(large, SubcubeMapping{Subcube::parse("*0*0"), Subcube::parse("*1*0")})
                .common_frontier,
            2U);
}

TEST(SubcubeLayout, CutsKeepItAPartitionOfTheCube) {
  SplitMix64 random{7};
  SubcubeLayout layout = SubcubeLayout::random_parallel(7, 3, random);
  for (int i = 0; i < 500; ++i) {
    layout.cut_at_random(1, random);
    std::vector<int> covered(128);
    for (const Subcube& slot : layout.slots()) {
      ASSERT_EQ(slot.dimensions(), 3U);
      for (std::uint32_t node = 0; node < slot.node_count(); ++node) {
        ++covered[slot.node(node).index()];
      }
    }
    ASSERT_TRUE(std::ranges::all_of(covered, [](int times) { return times == 1; })) << i;
  }
}

TEST(SubcubeLayout, ACutCanBeUndone) {
  SplitMix64 random{8};
  SubcubeLayout layout = SubcubeLayout::random_parallel(6, 2, random);
  const std::vector<Subcube> before = layout.slots();
  auto cut = layout.random_cut(random);
  ASSERT_TRUE(cut);
  const SubcubeLayout::Cut undo = layout.apply(*cut);
  EXPECT_NE(layout.slots(), before);
  layout.apply(undo);
  EXPECT_EQ(layout.slots(), before);
}

TEST(SubcubeLayout, AQuarterIsCutAnew) {
  SubcubeLayout layout{8, 0b00000111};
  layout.cut_part(2);
  const auto changed = std::ranges::count_if(
      layout.slots(), [](const Subcube& slot) { return slot.stars() == 0b00100110; });
  EXPECT_EQ(changed, 8);
}

TEST(SubcubeAnnealing, GivesMappingsOfTheKindAskedFor) {
  SplitMix64 random{2};
  for (const MappingKind kind : all_kinds) {
    for (int i = 0; i < 20; ++i) {
      const SubcubeProblem problem{random_graph(6, random), 2, 5};
      for (const auto& settings :
           {SubcubeAnnealing::published(), SubcubeAnnealing::thorough(problem)}) {
        const SubcubeSearchResult result =
            anneal_subcubes(problem, kind, settings, static_cast<std::uint64_t>(i));
        check_mapping(problem, result.mapping);
        EXPECT_EQ(result.bandwidth, bandwidth(problem, result.mapping));
        EXPECT_LE(result.bandwidth, result.start_bandwidth);
        EXPECT_GE(result.bandwidth, bandwidth_bound(problem, kind));
        if (kind != MappingKind::any) {
          EXPECT_EQ(is_parallel(result.mapping), kind == MappingKind::parallel);
        }
      }
    }
  }
}

TEST(SubcubeAnnealing, IsDeterministicInTheSeed) {
  const SubcubeProblem problem = published_problem(63, 1);
  for (const MappingKind kind : all_kinds) {
    const auto settings = SubcubeAnnealing::published();
    const auto first = anneal_subcubes(problem, kind, settings, 5);
    EXPECT_EQ(first.mapping, anneal_subcubes(problem, kind, settings, 5).mapping);
    EXPECT_NE(first.mapping, anneal_subcubes(problem, kind, settings, 6).mapping);
  }
}

TEST(SubcubeAnnealing, ThePublishedScheduleMakesAbout3000Exchanges) {
  const auto result = anneal_subcubes(published_problem(33, 1), MappingKind::parallel,
                                      SubcubeAnnealing::published(), 1);
  EXPECT_EQ(result.tried, 127U * 24);
}

TEST(SubcubeAnnealing, SwapsFindBetterMappingsThanReversalsInAsManyMoves) {
  std::uint64_t swaps = 0;
  std::uint64_t reversals = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SubcubeProblem problem = published_problem(33, seed);
    swaps += anneal_subcubes(problem, MappingKind::parallel, SubcubeAnnealing{}, seed).bandwidth;
    reversals +=
        anneal_subcubes(problem, MappingKind::parallel, SubcubeAnnealing::published(), seed)
            .bandwidth;
  }
  EXPECT_LT(static_cast<double>(swaps), 0.9 * static_cast<double>(reversals));
}

TEST(SubcubeAnnealing, DoesNotLoseItsWayInACubeThatIsTooLarge) {
  SplitMix64 random{3};
  const Traffic graph = random_task_graph(RandomTaskGraph{20, std::nullopt, 0.2, 20}, random);
  const SubcubeProblem fitting{graph, 2, 7};
  const SubcubeProblem large{graph, 2, 16};
  for (const MappingKind kind : {MappingKind::parallel, MappingKind::non_parallel}) {
    const auto best = [&](const SubcubeProblem& problem) {
      const auto result = anneal_subcubes(problem, kind, SubcubeAnnealing::thorough(problem), 1);
      check_mapping(problem, result.mapping);
      EXPECT_EQ(result.bandwidth, bandwidth(problem, result.mapping));
      return static_cast<double>(result.bandwidth);
    };
    EXPECT_LT(best(large), 1.05 * best(fitting));
  }
}

TEST(SubcubeAnnealing, EndsWhenToldAndKeepsTheBest) {
  const SubcubeProblem problem = published_problem(33, 1);
  int calls = 0;
  const auto result = anneal_subcubes(problem, MappingKind::parallel, SubcubeAnnealing::published(),
                                      1, [&](const SubcubeSearchState& state) {
                                        EXPECT_GT(state.best_bandwidth, 0U);
                                        return ++calls < 50;
                                      });
  EXPECT_FALSE(result.is_complete);
  EXPECT_EQ(calls, 50);
  check_mapping(problem, result.mapping);
}

TEST(SubcubeAnnealing, WhereAllMappingsAreParallelThereIsNoOther) {
  const std::vector<SubcubeProblem> problems{
      {Traffic{1, {}}, 1, 3}, {Traffic{4, {}}, 0, 3}, {Traffic{2, {}}, 2, 3}};
  for (const SubcubeProblem& problem : problems) {
    EXPECT_THROW(anneal_subcubes(problem, MappingKind::non_parallel, {}, 1), InputError);
    EXPECT_THROW(best_mapping(problem, MappingKind::non_parallel), InputError);
  }
}

TEST(SubcubeSearch, ExhaustiveFindsWhatTryingAllMappingsFinds) {
  SplitMix64 random{4};
  const std::vector<std::array<std::uint32_t, 3>> sizes{{4, 1, 3}, {3, 1, 3}, {2, 1, 3}, {4, 0, 3},
                                                        {3, 2, 4}, {4, 2, 4}, {3, 1, 4}};
  for (const auto& [tasks, d, n] : sizes) {
    for (int i = 0; i < 4; ++i) {
      const SubcubeProblem problem{random_graph(tasks, random), d, n};
      for (const MappingKind kind : all_kinds) {
        if (kind == MappingKind::non_parallel && d == 0) {
          continue;
        }
        const SubcubeSearchResult result = best_mapping(problem, kind);
        check_mapping(problem, result.mapping);
        EXPECT_TRUE(result.is_optimal);
        EXPECT_EQ(result.bandwidth, brute_force(problem, kind));
        EXPECT_GE(result.bandwidth, bandwidth_bound(problem, kind));
      }
    }
  }
}

// It would never end, so the search for its start must already ask.
TEST(SubcubeSearch, ExhaustiveEndsWhenToldBeforeItBegins) {
  const SubcubeProblem problem = published_problem(33, 3);
  const SubcubeSearchResult result =
      best_mapping(problem, MappingKind::any, [](const auto&) { return false; });
  EXPECT_FALSE(result.is_complete);
  EXPECT_FALSE(result.is_optimal);
  EXPECT_EQ(result.tried, 96U * 25U);  // the moves of one temperature
  check_mapping(problem, result.mapping);
}

TEST(SubcubeSearch, ExhaustiveAsksOftenInALargeCube) {
  const SubcubeProblem problem{graph_of(3, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}), 9, 16};
  const int of_the_start = 4 * 127;  // calls of annealing
  int calls = 0;
  const SubcubeSearchResult result =
      best_mapping(problem, MappingKind::any, [&](const auto&) { return ++calls <= of_the_start; });
  EXPECT_FALSE(result.is_complete);
  EXPECT_LT(result.tried, 20U);
}

TEST(SubcubeSearch, ListsTheSubcubesOfALargeCubeInNoTime) {
  EXPECT_EQ(all_subcubes(3, 1).size(), 12U);
  const std::vector<Subcube> all = all_subcubes(20, 16);  // 4845 2^4
  EXPECT_EQ(all.size(), 77520U);
  EXPECT_EQ(std::ranges::adjacent_find(all, std::greater_equal{}), all.end());
  if (available_memory_bytes() < 7'000'000'000) {
    EXPECT_THROW(all_subcubes(20, 7), MemoryError);
  }
}

TEST(SubcubeSearch, AStarIsMappedOptimallyInParallel) {
  // Lemma 1 of [TS]; the bound of parallel mappings is reached.
  const SubcubeProblem problem{
      graph_of(8, {{0, 1, 7}, {0, 2, 6}, {0, 3, 5}, {4, 0, 4}, {5, 0, 3}, {6, 0, 2}, {0, 7, 1}}), 1,
      4};
  const SubcubeSearchResult parallel = best_mapping(problem, MappingKind::parallel);
  EXPECT_EQ(parallel.bandwidth, 2U * (7 + 6 + 5 + 2 * (4 + 3 + 2) + 3 * 1));
  EXPECT_EQ(best_mapping(problem, MappingKind::any).bandwidth, parallel.bandwidth);
}

TEST(SubcubeSearch, TheBestOfManyRandomMappingsIsNoWorse) {
  const SubcubeProblem problem = published_problem(33, 3);
  for (const MappingKind kind : all_kinds) {
    const auto one = best_random_mapping(problem, kind, 1, 9);
    const auto many = best_random_mapping(problem, kind, 100, 9);
    EXPECT_LT(many.bandwidth, one.bandwidth);
    EXPECT_EQ(many.start_bandwidth, one.bandwidth);
  }
}

TEST(RandomTaskGraph, OfTooManyTasksIsRefusedBeforeItTakesMemory) {
  SplitMix64 random{1};
  RandomTaskGraph settings;
  settings.tasks = 1U << 30U;  // 2^59 pairs
  EXPECT_THROW(random_task_graph(settings, random), MemoryError);
}

// --- Nodes that are left out ---

SubcubeProblem problem_without(const Traffic& graph, std::uint32_t d, std::uint32_t n,
                               std::uint32_t count, SplitMix64& random) {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < count; ++i) {
    nodes.emplace_back(static_cast<std::uint32_t>(bounded(random.next(), 1U << n)));
  }
  return {graph, d, n, nodes};
}

TEST(NodesLeftOut, HoldNoTaskWhateverTheMethod) {
  SplitMix64 random{3};
  const SubcubeProblem problem = problem_without(random_graph(8, random), 2, 6, 7, random);
  for (const MappingKind kind : all_kinds) {
    const std::array results{anneal_subcubes(problem, kind, SubcubeAnnealing::thorough(problem), 1),
                             anneal_subcubes(problem, kind, SubcubeAnnealing::published(), 1),
                             best_random_mapping(problem, kind, 20, 1)};
    for (const SubcubeSearchResult& result : results) {
      check_mapping(problem, result.mapping);
      EXPECT_GE(result.bandwidth, bandwidth_bound(problem, kind));
      EXPECT_EQ(result.bandwidth, bandwidth(problem, result.mapping));
    }
  }
}

TEST(NodesLeftOut, AnExhaustiveSearchFindsTheBestOfWhatIsLeft) {
  std::uint32_t solved = 0;
  std::uint32_t impossible = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SplitMix64 random{seed};
    const auto tasks = static_cast<std::uint32_t>(2 + bounded(random.next(), 3));
    const auto d = static_cast<std::uint32_t>(bounded(random.next(), 2));
    const Traffic graph = random_graph(tasks, random);
    const auto count = static_cast<std::uint32_t>(1 + bounded(random.next(), 4));
    std::optional<SubcubeProblem> problem;
    try {
      problem = problem_without(graph, d, 3, count, random);
    } catch (const InputError&) {
      continue;
    }
    for (const MappingKind kind : all_kinds) {
      if (kind == MappingKind::non_parallel && d == 0) {
        continue;
      }
      const std::uint64_t best = brute_force(*problem, kind);
      if (best == ~std::uint64_t{0}) {
        EXPECT_THROW(best_mapping(*problem, kind), InputError);
        ++impossible;
        continue;
      }
      const SubcubeSearchResult result = best_mapping(*problem, kind);
      check_mapping(*problem, result.mapping);
      EXPECT_TRUE(result.is_optimal);
      EXPECT_EQ(result.bandwidth, best) << "seed " << seed;
      EXPECT_LE(bandwidth_bound(*problem, kind), best);
      ++solved;
    }
  }
  EXPECT_GT(solved, 80U);
  EXPECT_GT(impossible, 3U);
}

TEST(NodesLeftOut, EveryParallelMappingOfTheOthersIsAsLikely) {
  // *00 and 0*0 hold a node that is left out. Of the subcubes with * on the right three are left,
  // of the others two each.
  const SubcubeProblem problem{Traffic{1, {}}, 1, 3, {NodeId{0}, NodeId{1}}};
  std::map<Subcube, int> drawn;
  SplitMix64 random{5};
  for (int i = 0; i < 7000; ++i) {
    ++drawn[random_mapping(problem, MappingKind::parallel, random).front()];
  }
  EXPECT_EQ(drawn.size(), 7U);
  for (const auto& [subcube, count] : drawn) {
    EXPECT_NEAR(count, 1000, 120) << subcube.text();
  }
}

TEST(NodesLeftOut, TooFewOfTheOthersAreAnInputError) {
  const Traffic graph{3, {}};
  EXPECT_EQ(dcube::complaint([&] {
              SubcubeProblem(graph, 1, 3, {NodeId{0}, NodeId{3}, NodeId{0}, NodeId{5}});
            }),
            "3 1-cubes do not fit (5 of the 8 nodes of a 3-cube are left); take a larger cube or "
            "smaller subcubes");
  const SubcubeProblem problem{Traffic{2, {}}, 1, 3, {NodeId{0}}};
  EXPECT_EQ(dcube::complaint([&] {
              check_mapping(problem, SubcubeMapping{Subcube::parse("11*"), Subcube::parse("00*")});
            }),
            "00* of task 1 holds node 0 of the cube, which has failed or is kept free on the "
            "machine");
  // Any two parallel squares of the cube hold both nodes.
  const SubcubeProblem opposite{Traffic{1, {}}, 2, 3, {NodeId{0}, NodeId{7}}};
  EXPECT_FALSE(opposite.has_parallel_mapping());
  SplitMix64 random{1};
  EXPECT_EQ(
      dcube::complaint([&] { random_mapping(opposite, MappingKind::parallel, random); }),
      "no parallel mapping of 1 tasks to 2-cubes exists that leaves out the 2 of 8 nodes of a "
      "3-cube that have failed or are kept free; take a larger cube or mappings of any kind");
}

}  // namespace
}  // namespace dcube::testing
