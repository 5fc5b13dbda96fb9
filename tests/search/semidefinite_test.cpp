// The semidefinite bound: what it assumes about machines, and that no map costs less.

#include "dcube/search/semidefinite.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/search/partners.hpp"
#include "problems.hpp"
#include "random_problem.hpp"
#include "search/bounds/semidefinite/dual.hpp"
#include "search/bounds/semidefinite/talkers.hpp"
#include "search/bounds/zero_sum_spectrum.hpp"
#include "support/draw.hpp"
#include "support/random_cases.hpp"

namespace dcube {
namespace {

constexpr double unit_of_means = 0x1p-48;
constexpr auto made = DifferenceClasses::NodeTables::made;

const std::vector<std::string>& grids() {
  static const std::vector<std::string> list{"kind=line,nodes=7",
                                             "kind=ring,nodes=7",
                                             "kind=ring,nodes=4",
                                             "kind=mesh,shape=4x3",
                                             "kind=mesh,shape=2x5",
                                             "kind=mesh,shape=3x3x2",
                                             "kind=torus,shape=4x4",
                                             "kind=torus,shape=5x3",
                                             "kind=hypercube,dimensions=4",
                                             "kind=torus,shape=4x3,wrap=[true,false]",
                                             "kind=torus,shape=5x5x2,wrap=[false,true,true]",
                                             "kind=mesh,shape=1x6"};
  return list;
}

TEST(DifferenceClasses, HaveTheHopsOfTheirNodes) {
  for (const std::string& settings : grids()) {
    const auto machine = searching::machine(settings);
    const std::uint32_t nodes = machine->node_count();
    for (const std::uint32_t padding : {0U, 1U}) {
      const auto classes = DifferenceClasses::of(*machine, padding, made);
      ASSERT_TRUE(classes) << settings;
      for (std::uint32_t a = 0; a < nodes; ++a) {
        for (std::uint32_t b = 0; b < nodes; ++b) {
          EXPECT_EQ(classes->hops[classes->class_of[a * nodes + b]],
                    machine->distance(NodeId{a}, NodeId{b}))
              << settings;
        }
      }
    }
  }
}

/// The matrix of a mode over all nodes, with the centre's row first where there is one.
Eigen::MatrixXd matrix_of(const DifferenceClasses& classes, std::size_t mode) {
  const Eigen::Index centre = classes.has_centre() ? 1 : 0;
  const Eigen::Index nodes = classes.node_count;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(centre + nodes, centre + nodes);
  const auto mean = [](const std::vector<DifferenceClasses::Fixed>& means, std::size_t at) {
    return static_cast<double>(means[at]) * unit_of_means;
  };
  for (Eigen::Index a = 0; a < nodes; ++a) {
    for (Eigen::Index b = 0; b < nodes; ++b) {
      const std::size_t of = classes.class_of[static_cast<std::size_t>(a * nodes + b)];
      matrix(centre + a, centre + b) = mean(classes.means, mode * classes.class_count() + of);
    }
    if (centre > 0) {
      const std::size_t orbit = classes.orbit_of[static_cast<std::size_t>(a)];
      matrix(0, 1 + a) = matrix(1 + a, 0) =
          mean(classes.centre_means, mode * classes.orbit_count() + orbit);
    }
  }
  if (centre > 0 && classes.mode_has_centre[mode]) {
    matrix(0, 0) = 1;
  }
  return matrix;
}

TEST(DifferenceClasses, HavePositiveMatricesWithANullVector) {
  for (const std::string& settings : grids()) {
    const auto machine = searching::machine(settings);
    for (const std::uint32_t padding : {0U, 1U}) {
      SCOPED_TRACE(settings);
      const auto classes = DifferenceClasses::of(*machine, padding, made);
      ASSERT_TRUE(classes);
      for (std::size_t mode = 1; mode < classes->mode_count(); ++mode) {
        const Eigen::MatrixXd matrix = matrix_of(*classes, mode);
        EXPECT_GT(spectrum_of(matrix, matrix.norm()).values[0], -1e-9);
        Eigen::VectorXd w = Eigen::VectorXd::Ones(matrix.rows());
        if (classes->has_centre()) {
          w[0] = -static_cast<double>(classes->centre_sums[mode]) * unit_of_means;
        }
        EXPECT_LT((matrix * w).norm(), 1e-9);
      }
    }
  }
}

TEST(DifferenceClasses, HaveDistancesThatAreSumsOfCuts) {
  testing::Draw draw{5};
  for (const std::string& settings : grids()) {
    const auto machine = searching::machine(settings);
    const auto classes = DifferenceClasses::of(*machine, 0, made);
    const std::uint32_t nodes = machine->node_count();
    for (const CutDistance& distance : classes->distances) {
      for (int trial = 0; trial < 400; ++trial) {
        const std::size_t points = distance.total > 0 && draw.one_in(2) ? 5 : 3;
        const bool has_centre = !distance.from_centre.empty() && draw.one_in(3);
        std::vector<std::uint32_t> at;
        std::vector<std::int64_t> signs;
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < points; ++i) {
          at.push_back(draw.below(nodes));
          signs.push_back(draw.one_in(2) ? 1 : -1);
          sum += signs.back();
        }
        if (distance.total == 0 && sum * sum > 1) {
          continue;
        }
        std::int64_t value = 0;
        for (std::size_t i = 0; i < points; ++i) {
          for (std::size_t j = i + 1; j < points; ++j) {
            const std::int64_t length =
                has_centre && i == 0 ? distance.from_centre[classes->orbit_of[at[j]]]
                                     : distance.of_class[classes->class_of[at[i] * nodes + at[j]]];
            value += signs[i] * signs[j] * length;
          }
        }
        EXPECT_LE(value, distance.total * ((sum * sum - 1) / 4))
            << settings << ", " << distance.name;
      }
    }
  }
}

/// Whatever a solver proposes, nothing above the least cost is proved, and no class that the best
/// map has is refuted.
TEST(ProvedBound, HoldsForAnyNumbers) {
  std::uint64_t refuted = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    testing::Draw draw{seed};
    const auto machine = searching::machine(draw.one_of<const char*, 6>(
        {"kind=mesh,shape=3x2", "kind=ring,nodes=6", "kind=line,nodes=5", "kind=torus,shape=3x2",
         "kind=hypercube,dimensions=2", "kind=ring,nodes=4"}));
    const std::uint32_t slots = machine->node_count() == 4 && draw.one_in(2) ? 2 : 1;
    const Traffic traffic =
        searching::random_traffic(3 + draw.below(machine->node_count() - 2), 8, seed);
    SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
    problem.slots = slots;
    const FoundMap best = enumerate(problem, {}).found;
    const auto classes = DifferenceClasses::of(*machine, draw.below(2), made);
    ASSERT_TRUE(classes);
    const Talkers talkers{problem, Partners{traffic, problem.objective}, *classes};
    if (talkers.count() < 3) {
      continue;
    }
    const auto rows = static_cast<Eigen::Index>((classes->has_centre() ? 1 : 0) + talkers.count() +
                                                (talkers.idle > 0 ? 1 : 0));
    const std::uint32_t size = 1U << (10 + draw.below(12));
    const auto number = [&] {
      return static_cast<std::int64_t>(draw.below(size)) - static_cast<std::int64_t>(size / 2);
    };
    Dual dual;
    for (std::size_t mode = 1; mode < classes->mode_count(); ++mode) {
      Dual::Mode& part = dual.modes.emplace_back();
      part.factor.resize(rows, 1 + draw.below(2));
      part.factor = part.factor.unaryExpr([&](std::int64_t) { return number(); });
      part.level.resize(rows);
      part.level = part.level.unaryExpr([&](std::int64_t) { return number() << 22; });
      part.idle = static_cast<std::int64_t>(draw.below(size)) << 20;
    }
    for (int cut = 0; cut < 3; ++cut) {
      const auto d = static_cast<std::uint8_t>(
          draw.below(static_cast<std::uint32_t>(classes->distances.size())));
      ProcessCut cut_of{.distance = d, .points = 3, .signs = {1, -1, 1}, .talkers = {0, 1, 2}};
      cut_of.signs[1] = draw.one_in(2) && classes->distances[d].total > 0 ? 1 : -1;
      dual.cuts.push_back({cut_of, static_cast<std::int64_t>(draw.below(size)) << 22});
    }
    const ProvedBound bound = proved_bound(*classes, talkers, dual);
    ASSERT_TRUE(bound.is_known);
    EXPECT_LE(bound.cost, best.cost) << "seed " << seed;
    const std::uint64_t all = (std::uint64_t{1} << classes->class_count()) - (slots == 1 ? 2 : 1);
    std::vector<std::uint64_t> masks(talkers.count() * (talkers.count() - 1) / 2, all);
    EXPECT_EQ(narrowed_bound(*classes, talkers, dual, masks, best.cost + 1).cost, bound.cost);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < talkers.count(); ++a) {
      for (std::size_t b = a + 1; b < talkers.count(); ++b, ++pair) {
        const std::uint32_t from = best.map[talkers.processes[a]].index();
        const std::uint32_t to = best.map[talkers.processes[b]].index();
        const std::uint32_t of = classes->class_of[from * machine->node_count() + to];
        EXPECT_EQ(masks[pair] >> of & 1U, 1U) << "seed " << seed;
        refuted += masks[pair] == all ? 0 : 1;
      }
    }
  }
  EXPECT_GT(refuted, 100U);
}

/// Tables of pairs of 200,000 processes would not fit in memory.
TEST(SemidefiniteBound, LooksAtTheNumberOfProcessesFirst) {
  const auto torus = searching::machine("kind=torus,shape=4x4x4");
  std::vector<Flow> flows;
  constexpr std::uint32_t processes = 200'000;
  for (std::uint32_t process = 0; process < processes; ++process) {
    flows.push_back({ProcessId{process}, ProcessId{(process + 1) % processes}, 1, 1});
  }
  const Traffic traffic{processes, flows};
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.slots = 3125;
  EXPECT_FALSE(semidefinite_work(problem, SemidefiniteLevel::matrices));
}

TEST(ProvedBound, IsUnknownForNumbersThatAreNoDual) {
  const auto ring = searching::machine("kind=ring,nodes=6");
  const Traffic traffic = searching::random_traffic(6, 12, 1);
  const SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  const auto classes = DifferenceClasses::of(*ring);
  const Talkers talkers{problem, Partners{traffic, problem.objective}, *classes};
  const Dual::Cut cut{{.distance = 0, .points = 3, .signs = {1, 1, -1}, .talkers = {0, 1, 2}}, 1};
  EXPECT_TRUE(proved_bound(*classes, talkers, {{}, {cut}}).is_known);
  Dual::Cut wrong = cut;
  wrong.multiplier = -1;
  EXPECT_FALSE(proved_bound(*classes, talkers, {{}, {wrong}}).is_known);
  wrong = cut;
  wrong.cut.talkers = {0, 0, 2};
  EXPECT_FALSE(proved_bound(*classes, talkers, {{}, {wrong}}).is_known);
  wrong = cut;
  wrong.cut.talkers[2] = 6;  // a ring has no centre
  EXPECT_FALSE(proved_bound(*classes, talkers, {{}, {wrong}}).is_known);
}

TEST(SemidefiniteBound, IsNotAboveTheLeastCost) {
  for (const char* settings :
       {"kind=line,nodes=6", "kind=mesh,shape=3x2", "kind=torus,shape=3x2", "kind=ring,nodes=6"}) {
    const auto machine = searching::machine(settings);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Traffic traffic = searching::random_traffic(6, 12, seed);
      for (const Objective objective : {Objective::hop_bytes, Objective::average_dilation}) {
        const SearchProblem problem = searching::problem(*machine, traffic, objective);
        const auto proof = semidefinite_bound(problem, {});
        ASSERT_TRUE(proof);
        const std::uint64_t least = searching::least_cost(problem);
        EXPECT_LE(proof->bound.cost, least);
        EXPECT_GE(proof->bound.cost, least * 3 / 4) << settings << seed;
      }
    }
  }
}

/// Sparse traffic, whose bounds of other kinds are a third below what is found.
TEST(SemidefiniteBound, IsWithinSomePercentOfWhatIsFound) {
  const Traffic traffic = searching::random_traffic(16, 40, 3);
  for (const auto& [settings, percent] :
       {std::pair{"kind=hypercube,dimensions=4", 8U}, std::pair{"kind=torus,shape=4x4", 8U},
        std::pair{"kind=mesh,shape=4x4", 8U}, std::pair{"kind=line,nodes=16", 5U},
        std::pair{"kind=ring,nodes=16", 6U}}) {
    SCOPED_TRACE(settings);
    const auto machine = searching::machine(settings);
    const SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
    const std::uint64_t found = anneal(problem, {.seed = 1, .effort = 300'000}).cost;
    std::uint64_t before = 0;
    for (const auto level : {SemidefiniteLevel::matrices, SemidefiniteLevel::triangles,
                             SemidefiniteLevel::pentagons}) {
      const auto proof = semidefinite_bound(problem, {.level = level});
      ASSERT_TRUE(proof);
      EXPECT_LE(proof->bound.cost, found);
      EXPECT_GE(proof->bound.cost + found / 200,
                before);  // cuts cost little where they do not help
      before = proof->bound.cost;
      const auto again = semidefinite_bound(problem, {.level = level});
      EXPECT_EQ(again->bound.cost, proof->bound.cost);
    }
    EXPECT_GE(before * (100 + percent), found * 100);
  }
}

TEST(SemidefiniteBound, KnowsSlots) {
  const auto ring = searching::machine("kind=ring,nodes=4");
  const Traffic traffic = searching::random_traffic(8, 20, 2);
  SearchProblem problem = searching::problem(*ring, traffic, Objective::hop_bytes);
  problem.slots = 2;
  const auto proof = semidefinite_bound(problem, {});
  ASSERT_TRUE(proof);
  const std::uint64_t least = searching::least_cost(problem);
  EXPECT_LE(proof->bound.cost, least);
  EXPECT_GE(proof->bound.cost * 10, least * 8);
}

/// So many times the same traffic, beside each other.
Traffic copies_of(const Traffic& part, std::uint32_t count) {
  std::vector<Flow> flows;
  for (std::uint32_t copy = 0; copy < count; ++copy) {
    for (Flow flow : part.flows()) {
      const std::uint32_t first = copy * part.process_count();
      flow.from = ProcessId{first + flow.from.index()};
      flow.to = ProcessId{first + flow.to.index()};
      flows.push_back(flow);
    }
  }
  return {count * part.process_count(), std::move(flows)};
}

TEST(SemidefiniteBoundOfParts, IsTheSumOfThoseOfEach) {
  const auto mesh = searching::machine("kind=mesh,shape=4x4");
  const Traffic part = searching::random_traffic(8, 20, 3);
  const Traffic traffic = copies_of(part, 2);
  const SearchProblem alone = searching::problem(*mesh, part, Objective::hop_bytes);
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  const auto proof = semidefinite_bound(alone, {.level = SemidefiniteLevel::triangles});
  constexpr double much = 1e12;
  const auto bound = semidefinite_bound_of_parts(problem, much, {});
  ASSERT_TRUE(proof && bound);
  EXPECT_EQ(bound->cost, 2 * proof->bound.cost);
  EXPECT_GT(bound->cost, cost_bounds(problem).front().cost);
  EXPECT_NE(bound->source.find(proof->bound.source), std::string::npos) << bound->source;
  EXPECT_FALSE(semidefinite_bound_of_parts(problem, 1, {}));   // would take longer
  EXPECT_FALSE(semidefinite_bound_of_parts(alone, much, {}));  // one part
}

TEST(SemidefiniteBoundOfParts, IsNotAboveTheCostOfAMap) {
  constexpr double much = 1e12;
  constexpr std::uint32_t processes = 5;
  std::uint32_t known = 0;
  for (const std::string& settings : grids()) {
    SCOPED_TRACE(settings);
    const auto machine = searching::machine(settings);
    for (std::uint32_t seed = 0; seed < 4 && machine->node_count() >= 2 * processes; ++seed) {
      const Traffic traffic = copies_of(searching::random_traffic(processes, 14, seed), 2);
      for (const Objective objective : {Objective::hop_bytes, Objective::average_dilation}) {
        const SearchProblem problem = searching::problem(*machine, traffic, objective);
        if (const auto bound = semidefinite_bound_of_parts(problem, much, {})) {
          ++known;
          EXPECT_LE(bound->cost, anneal(problem, {.seed = 1, .effort = 20'000, .bound = 0}).cost);
        }
      }
    }
  }
  EXPECT_GT(known, 20U);
}

TEST(SemidefiniteBound, EndsWhenItIsToldTo) {
  const auto mesh = searching::machine("kind=mesh,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 40, 3);
  const SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  EXPECT_FALSE(semidefinite_bound(problem, {.should_stop = [] { return true; }}));
  std::uint32_t asked = 0;
  EXPECT_TRUE(semidefinite_bound(problem, {.should_stop = [&] { return ++asked > 2'000; }}));
  EXPECT_EQ(asked, 2'001U);
  EXPECT_FALSE(
      semidefinite_work(problem.with_objective(Objective::link_load), SemidefiniteLevel::matrices));
}

/// The better of both bounds of a proof.
std::uint64_t best_of(const SemidefiniteProof& proof) {
  return std::max(proof.bound.cost, proof.branched);
}

TEST(Branching, ProvesTheLeastCostAndNothingAboveIt) {
  for (const char* settings : {"kind=line,nodes=5", "kind=mesh,shape=3x2", "kind=torus,shape=3x2",
                               "kind=ring,nodes=6", "kind=hypercube,dimensions=2"}) {
    SCOPED_TRACE(settings);
    const auto machine = searching::machine(settings);
    const std::uint32_t slots = machine->node_count() == 4 ? 2 : 1;
    const std::uint32_t processes = machine->node_count() * slots;
    std::uint64_t proved = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Traffic traffic = searching::random_traffic(processes, 14, seed);
      if (seed % 2 == 0) {  // a star and a pair: most processes may be exchanged
        std::vector<Flow> flows{{ProcessId{1}, ProcessId{2}, seed, 1}};
        for (std::uint32_t i = 1; i < processes; ++i) {
          flows.push_back({ProcessId{0}, ProcessId{i}, 2, 1});
        }
        traffic = Traffic{processes, std::move(flows)};
      }
      SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
      problem.slots = slots;
      const std::uint64_t least = searching::least_cost(problem);
      for (const std::uint64_t claimed : {least, least + 1 + least / 3}) {
        std::uint32_t asked = 0;
        const auto proof =
            semidefinite_bound(problem, {.level = SemidefiniteLevel::triangles,
                                         .reached = claimed,
                                         .branches = true,
                                         .jobs = static_cast<std::uint32_t>(1 + seed % 3 / 2),
                                         .should_stop = [&] { return ++asked > 40'000; }});
        ASSERT_TRUE(proof);
        EXPECT_LE(best_of(*proof), least) << "seed " << seed << ", claimed " << claimed;
        proved += claimed == least && best_of(*proof) == least ? 1 : 0;
      }
    }
    EXPECT_GE(proved, 6U);
  }
}

/// Whole machines of eight and nine nodes, where masks of pairs cut off much.
TEST(RandomCasesBranching, ProvesNothingAboveTheLeastCostOfAllMaps) {
  const testing::RandomCases cases = testing::random_cases(40);
  std::uint64_t proved = 0;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    testing::Draw draw{cases.first_seed + i};
    const auto machine = searching::machine(draw.one_of<const char*, 6>(
        {"kind=torus,shape=3x3", "kind=mesh,shape=3x3", "kind=ring,nodes=9",
         "kind=hypercube,dimensions=3", "kind=mesh,shape=4x2", "kind=line,nodes=8"}));
    const std::uint32_t processes = machine->node_count() - draw.below(3);
    const std::uint64_t unit = draw.one_of<std::uint64_t, 3>({1, 7, (std::uint64_t{1} << 50) + 1});
    std::vector<Flow> flows;
    for (std::uint32_t flow = 0; flow < 12 + draw.below(12); ++flow) {
      flows.push_back({ProcessId{draw.below(processes)}, ProcessId{draw.below(processes)},
                       unit * (1 + draw.below(9)), 1});
    }
    const Traffic traffic{processes, std::move(flows)};
    const SearchProblem problem = searching::problem(*machine, traffic, Objective::hop_bytes);
    const std::uint64_t least = enumerate(problem, {}).found.cost;
    const auto proof = semidefinite_bound(
        problem,
        {.level = SemidefiniteLevel::matrices, .reached = least + draw.below(2), .branches = true});
    if (proof) {
      EXPECT_LE(best_of(*proof), least) << "seed " << cases.first_seed + i;
      proved += best_of(*proof) == least ? 1 : 0;
    }
  }
  EXPECT_GT(2 * proved, cases.count);
}

TEST(RandomCasesSemidefiniteBound, IsNotAboveTheCostOfAMap) {
  const testing::RandomCases cases = testing::random_cases(2'000);
  std::uint64_t known = 0;
  std::uint64_t reached = 0;
  for (std::uint64_t i = 0; i < cases.count; ++i) {
    const std::uint64_t seed = cases.first_seed + i;
    searching::RandomProblem problem{seed};
    try {
      check_problem(*problem);
    } catch (const InputError&) {
      continue;  // sums past 63 bits
    }
    const std::uint64_t cost = problem.reached();
    // Some by cases, below a cost that is none.
    const bool branches = seed % 4 == 0;
    std::uint32_t asked = 0;
    const auto proof = semidefinite_bound(
        *problem, {.level = static_cast<SemidefiniteLevel>(seed % 3),
                   .reached = branches ? std::optional{cost + cost / 4 + 1} : std::nullopt,
                   .branches = branches,
                   .should_stop = [&] { return branches && ++asked > 8'000; }});
    if (proof) {
      ++known;
      ASSERT_LE(best_of(*proof), cost) << "seed " << seed << ": " << problem.description();
      reached += best_of(*proof) == cost ? 1 : 0;
    }
  }
  EXPECT_GT(10 * known, cases.count);
  EXPECT_GT(2 * reached, known);
}

}  // namespace
}  // namespace dcube
