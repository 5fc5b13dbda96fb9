#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "problems.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

TEST(Annealing, IsNeverWorseThanWhereItStarts) {
  for (const std::string settings : {"kind=ring,nodes=16", "kind=mesh,shape=5x4",
                                     "kind=torus,shape=4x4", "kind=hypercube,dimensions=4"}) {
    const auto topology = searching::machine(settings);
    for (const Traffic& traffic :
         {searching::cube(4), searching::random_traffic(13, 30, 2), Traffic{7, {}}}) {
      for (const Objective objective : searching::objectives(traffic)) {
        for (const std::uint32_t slots : {1U, 2U, 3U}) {
          SearchProblem problem = searching::problem(*topology, traffic, objective);
          problem.slots = slots;
          const FoundMap found = anneal(problem, {.seed = 3, .effort = 3000});
          const FoundMap start = best_start(problem);
          EXPECT_TRUE(searching::fits(found.map, *topology, slots));
          EXPECT_EQ(found.cost, cost_of(problem, found.map));
          EXPECT_LE(found.cost, start.cost);
          EXPECT_GE(found.cost, cost_bounds(problem).front().cost);
          const auto is_turned = [](const auto& one) {
            return one.embedding.ends_with(", turned");
          };
          const auto turned = std::ranges::count_if(found.starts, is_turned);
          EXPECT_EQ(found.starts.size(), start.starts.size() + static_cast<std::size_t>(turned));
        }
      }
    }
  }
}

/// By the greatest and the root mean square of all, which see no way where many are as great,
/// two searches of this effort end at 51 and 65 bytes together.
TEST(Annealing, LowersTheLoadOfManyLinksThatAreAsBusy) {
  for (const auto& [settings, load] :
       {std::pair{"kind=torus,shape=8x8", 49U}, std::pair{"kind=mesh,shape=8x8", 63U}}) {
    const auto topology = searching::machine(settings);
    const Traffic traffic = searching::random_traffic(64, 256, 3);
    const SearchProblem problem = searching::problem(*topology, traffic, Objective::link_load);
    EXPECT_LE(anneal(problem, {.seed = 1, .effort = 30'000}).cost +
                  anneal(problem, {.seed = 2, .effort = 30'000}).cost,
              load)
        << settings;
  }
}

TEST(Annealing, SameSeedSameMap) {
  const auto mesh = searching::machine("kind=mesh,shape=6x5");
  const Traffic traffic = searching::random_traffic(30, 60, 4);
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  const FoundMap one = anneal(problem, {.seed = 8, .effort = 20'000});
  EXPECT_EQ(one.map, anneal(problem, {.seed = 8, .effort = 20'000}).map);
  EXPECT_NE(anneal(problem, {.seed = 8, .effort = 300}).map,
            anneal(problem, {.seed = 9, .effort = 300}).map);
  EXPECT_EQ(one.moves, 20'000U);
}

TEST(Annealing, SameSeedSameMapOnSeveralSlots) {
  const auto mesh = searching::machine("kind=mesh,shape=4x3");
  const Traffic traffic = searching::random_traffic(40, 90, 4);
  SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  problem.slots = 4;
  const FoundMap one = anneal(problem, {.seed = 8, .effort = 20'000});
  EXPECT_EQ(one.map, anneal(problem, {.seed = 8, .effort = 20'000}).map);
  EXPECT_LT(one.cost, best_start(problem).cost);
}

/// Groups of four that talk among themselves, numbered at random, and a node for each.
TEST(Annealing, BringsGroupsTogetherOnNodes) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t j = i / 4 * 4; j < i; ++j) {
      flows.push_back({ProcessId{i * 27 % 64}, ProcessId{j * 27 % 64}, 1, 1});
    }
  }
  const Traffic groups{64, flows};
  SearchProblem problem = searching::problem(*torus, groups, Objective::hop_bytes);
  problem.slots = 4;
  EXPECT_GT(best_start(problem).cost, 0U);
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 300'000}).cost, 0U);
}

/// A ring whose processes were numbered at random lies on a ring with every edge a link; swaps from
/// the standard embedding have to unfold it.
TEST(Annealing, FindsStructureThatNumbersHide) {
  const auto torus = searching::machine("kind=torus,shape=6x6");
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < 36; ++i) {
    flows.push_back({ProcessId{i * 7 % 36}, ProcessId{(i + 1) * 7 % 36}, 1, 1});
  }
  const Traffic ring{36, flows};
  const SearchProblem problem = searching::problem(*torus, ring, Objective::average_dilation);
  EXPECT_LE(anneal(problem, {.seed = 1, .effort = 300'000}).cost, 40U);
  EXPECT_EQ(cost_bounds(problem).front().cost, 36U);
}

/// A cube whose labels went through a linear map over GF(2): structured embeddings suit it as soon
/// as its own labels are found, and lead to the theorem's optimum.
TEST(Annealing, FindsTheCubeThatLabelsHide) {
  const auto torus = searching::machine("kind=torus,shape=8x8");
  const auto hidden = [](std::uint32_t label) {
    const std::uint32_t gray = label ^ (label >> 1);
    return ProcessId{gray ^ ((gray & 7U) << 3)};
  };
  std::vector<Flow> flows;
  for (std::uint32_t label = 0; label < 64; ++label) {
    for (std::uint32_t bit = 1; bit < 64; bit *= 2) {
      flows.push_back({hidden(label), hidden(label ^ bit), 1, 1});
    }
  }
  const Traffic traffic{64, flows};
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::average_dilation);
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 200'000});
  EXPECT_EQ(found.cost, 640U);  // 64 processes, 1 + 2 + 2 hops in either dimension
  EXPECT_EQ(found.origin.rfind("hidden cube: ", 0), 0U) << found.origin;
}

TEST(Annealing, KeepsWhatItHasWhenStopped) {
  const auto mesh = searching::machine("kind=mesh,shape=8x8");
  const Traffic traffic = searching::random_traffic(60, 200, 4);
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  const FoundMap found = anneal(problem, {}, {.should_stop = [] { return true; }});
  EXPECT_TRUE(found.is_cut_short);
  EXPECT_EQ(found.cost, best_start(problem).cost);
}

/// A stand-in for simulations, whose cost is known.
Simulate simulation_by(const SearchProblem& problem, std::uint64_t computing = 0) {
  return [&problem, computing](std::span<const std::vector<NodeId>> maps) {
    std::vector<std::optional<std::uint64_t>> costs;
    for (const auto& map : maps) {
      costs.emplace_back(computing + cost_of(problem, map));
    }
    return Simulated<std::uint64_t>{costs};
  };
}

TEST(Annealing, SearchesByACallback) {
  const auto ring = searching::machine("kind=ring,nodes=12");
  const Traffic traffic = searching::random_traffic(12, 30, 4);
  const SearchProblem hops = searching::problem(*ring, traffic, Objective::hop_bytes);
  SearchProblem problem = searching::problem(*ring, traffic, Objective::makespan);
  std::uint64_t calls = 0;
  problem.simulate = [&](std::span<const std::vector<NodeId>> maps) {
    std::vector<std::optional<std::uint64_t>> costs;
    for (const auto& map : maps) {
      ++calls;
      costs.emplace_back(cost_of(hops, map));
    }
    return Simulated<std::uint64_t>{costs};
  };
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 400});
  EXPECT_EQ(calls, 400 + found.starts.size());
  for (const char* const start : {"least hop-bytes", "least link-load", "least estimate"}) {
    EXPECT_NE(std::ranges::find(found.starts, start, &StartValue::embedding), found.starts.end());
  }
  EXPECT_EQ(found.cost, cost_of(hops, found.map));
  EXPECT_LT(found.cost, best_start(hops).cost);
}

/// Simulations that end after some: a search keeps the least cost of those before, whatever it was
/// trying.
TEST(Annealing, KeepsTheLeastCostOfAllSimulationsThatWereNotEnded) {
  const auto ring = searching::machine("kind=ring,nodes=12");
  const Traffic traffic = searching::random_traffic(12, 30, 4);
  SearchProblem problem = searching::problem(*ring, traffic, Objective::makespan);
  for (const bool is_brief : {false, true}) {
    for (const std::size_t most : {0U, 1U, 3U, 8U, 30U, 90U}) {
      std::size_t ended = 0;
      std::uint64_t least = 0;  // of the whole program
      SplitMix64 random{3};
      const auto simulation = [&](bool is_whole) {
        return [&, is_whole](std::span<const std::vector<NodeId>> maps) {
          Simulated<std::uint64_t> costs;
          costs.results.resize(maps.size());
          for (std::optional<std::uint64_t>& cost : costs.results) {
            if (ended++ >= most) {
              costs.is_cut_short = true;
              break;
            }
            cost = 1'000'000 + bounded(random.next(), 1'000'000);
            least = is_whole && (least == 0 || *cost < least) ? *cost : least;
          }
          return costs;
        };
      };
      problem.simulate = simulation(true);
      if (is_brief) {
        problem.brief = {simulation(false), 0.125};
      }
      const FoundMap found = anneal(problem, {.seed = 1, .effort = 1000});
      EXPECT_TRUE(found.is_cut_short);
      EXPECT_EQ(found.map.empty(), most == 0);
      EXPECT_EQ(found.cost, least) << most << " of " << (is_brief ? "the brief" : "the whole");
      EXPECT_FALSE(found.is_reordered && found.checked == 0);
    }
  }
}

TEST(Annealing, KeepsTheLeastCostOfAllSimulationsThatEndedWell) {
  const auto ring = searching::machine("kind=ring,nodes=12");
  const Traffic traffic = searching::random_traffic(12, 30, 4);
  SearchProblem problem = searching::problem(*ring, traffic, Objective::makespan);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  SplitMix64 random{3};
  problem.simulate = [&](std::span<const std::vector<NodeId>> maps) {
    std::vector<std::optional<std::uint64_t>> costs(maps.size());
    for (std::optional<std::uint64_t>& cost : costs) {
      if (bounded(random.next(), 3) != 0) {  // the others fail
        cost = 1'000'000 + bounded(random.next(), 1'000'000);
        least = std::min(least, *cost);
      }
    }
    return Simulated<std::uint64_t>{costs};
  };
  EXPECT_EQ(anneal(problem, {.seed = 1, .effort = 200}).cost, least);
}

/// The brief program counts hop-bytes, the whole one the busiest link.
TEST(Annealing, ComparesTheBestOfABriefProgramByTheWholeOne) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 40, 4);
  const SearchProblem hops = searching::problem(*torus, traffic, Objective::hop_bytes);
  const SearchProblem loads = searching::problem(*torus, traffic, Objective::link_load);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::makespan);
  std::uint64_t brief = 0;
  std::uint64_t whole = 0;
  const auto counted = [](const SearchProblem& by, std::uint64_t& calls) {
    return [&by, &calls](std::span<const std::vector<NodeId>> maps) {
      std::vector<std::optional<std::uint64_t>> costs;
      for (const auto& map : maps) {
        ++calls;
        costs.emplace_back(cost_of(by, map));
      }
      return Simulated<std::uint64_t>{costs};
    };
  };
  problem.simulate = counted(loads, whole);
  problem.brief = {counted(hops, brief), 0.125};
  const FoundMap found = anneal(problem, {.seed = 1, .effort = 100});
  EXPECT_EQ(found.cost, cost_of(loads, found.map));
  EXPECT_LE(found.cost, best_start(loads).cost);
  EXPECT_GE(found.checked, 7U);  // one of the eight may be the start
  EXPECT_EQ(found.moves, brief - 1 + whole - found.starts.size());
  EXPECT_NEAR(
      0.125 * static_cast<double>(brief - 1) + static_cast<double>(whole - found.starts.size()),
      100, 1);
}

/// A program of which all but some hundred thousandths of the makespan is the same on every map.
/// The traffic tells nothing, so simulations alone lead to a good map.
TEST(Annealing, FollowsDifferencesThatAreSmallNextToTheMakespan) {
  constexpr std::uint64_t computing = 1'000'000'000;
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic unknown = searching::random_traffic(16, 24, 5);
  const Traffic traffic = searching::random_traffic(16, 24, 6);
  const SearchProblem hops = searching::problem(*torus, unknown, Objective::hop_bytes);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::makespan);
  problem.simulate = simulation_by(hops, computing);
  const std::uint64_t least = anneal(hops, {.seed = 1}).cost;
  EXPECT_LE(anneal(problem, {.seed = 1, .effort = 1600}).cost - computing, least * 4 / 3);
}

TEST(Annealing, SimulatesNoMapTwice) {
  const auto ring = searching::machine("kind=ring,nodes=3");
  const Traffic traffic = searching::random_traffic(3, 6, 4);
  const SearchProblem hops = searching::problem(*ring, traffic, Objective::hop_bytes);
  SearchProblem problem = searching::problem(*ring, traffic, Objective::makespan);
  problem.simulate = simulation_by(hops);
  EXPECT_LE(anneal(problem, {.seed = 1, .effort = 100'000}).moves, 6U);
}

TEST(Annealing, StartsFromWhatItIsGivenWhereNothingIsProven) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 40, 4);
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  const FoundMap good = anneal(problem, {.seed = 2, .effort = 50'000});
  AnnealingSettings settings{.seed = 1, .effort = 10};
  settings.more_starts = [&] { return std::vector<Start>{{"given", good.map}}; };
  const FoundMap found = anneal(problem, settings);
  EXPECT_LE(found.cost, good.cost);
  EXPECT_EQ(found.starts.back().embedding, "given");

  const Traffic cube = searching::cube(4);
  settings.more_starts = []() -> std::vector<Start> { throw InputError("", "asked for"); };
  EXPECT_EQ(anneal(searching::problem(*torus, cube, Objective::hop_bytes), settings).origin,
            "gray");
  EXPECT_THROW(anneal(problem, settings), InputError);
}

TEST(Search, RefusesWhatCannotBePlaced) {
  const auto ring = searching::machine("kind=ring,nodes=8");
  const Traffic large = searching::cube(4);
  EXPECT_THROW(check_problem(searching::problem(*ring, large, Objective::hop_bytes)), InputError);
  const Traffic larger = searching::cube(5);
  SearchProblem crowded = searching::problem(*ring, larger, Objective::hop_bytes);
  crowded.slots = 3;
  EXPECT_EQ(complaint([&] { check_problem(crowded); }),
            "the traffic has 32 processes, the ring of 8 has 24 slots on 8 nodes");
  const Traffic path = Traffic::of(Guest::parse("line:8"));
  EXPECT_THROW(check_problem(searching::problem(*ring, path, Objective::cc_time)), InputError);
  // A cube without its second dimension, and one without any.
  const Traffic part{4, {{ProcessId{0}, ProcessId{1}, 1, 1}, {ProcessId{2}, ProcessId{3}, 1, 1}}};
  for (const Traffic& traffic : {part, Traffic{4, {}}}) {
    EXPECT_THROW(check_problem(searching::problem(*ring, traffic, Objective::cc_time)), InputError);
  }
}

TEST(Search, KnowsTheTrafficOfACube) {
  EXPECT_EQ(cube_weights(Traffic::of(Guest::cube(3), searching::doubling(3))),
            (std::vector<std::uint64_t>{2, 4, 8}));
  EXPECT_EQ(cube_weights(Traffic::of(Guest::parse("ring:8"))), std::nullopt);
  EXPECT_EQ(cube_weights(Traffic{6, {}}), std::nullopt);
}

}  // namespace
}  // namespace dcube
