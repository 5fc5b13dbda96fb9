#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "problems.hpp"

namespace dcube {
namespace {

using searching::machine;
using searching::problem;

struct BruteForce {
  std::uint64_t cost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t optima = 0;
  std::uint64_t optima_fixed = 0;
  std::uint64_t optima_fixed_constant = 0;
};

/// One distance along every dimension of a cube.
bool is_constant(const Topology& topology, const std::vector<NodeId>& map) {
  for (std::size_t process = 0; process < map.size(); ++process) {
    for (std::size_t bit = 1; bit < map.size(); bit *= 2) {
      if (topology.distance(map[process], map.at((process ^ bit) % map.size())) !=
          topology.distance(map[0], map[bit])) {
        return false;
      }
    }
  }
  return true;
}

std::vector<std::uint32_t> degrees(const Traffic& traffic) {
  std::vector<std::uint32_t> flows(traffic.process_count());
  for (const Flow& flow : traffic.flows()) {
    ++flows[flow.from.index()];
    ++flows[flow.to.index()];
  }
  return flows;
}

BruteForce brute_force(const SearchProblem& problem) {
  BruteForce result;
  searching::for_each_map(problem.topology, problem.slots, problem.traffic.process_count(),
                          [&](const std::vector<NodeId>& map) {
                            const std::uint64_t cost = cost_of(problem, map);
                            if (cost < result.cost) {
                              result = {cost, 0, 0, 0};
                            }
                            if (cost == result.cost) {
                              ++result.optima;
                              result.optima_fixed += map[0] == NodeId{0} ? 1 : 0;
                              result.optima_fixed_constant +=
                                  map[0] == NodeId{0} && is_constant(problem.topology, map) ? 1 : 0;
                            }
                          });
  return result;
}

void expect_brute_force(const Topology& topology, const Traffic& traffic, const std::string& name,
                        LinkSharing sharing = LinkSharing::directed, std::uint32_t slots = 1,
                        Ticks local = Ticks{0}) {
  for (const Objective objective : searching::objectives(traffic)) {
    SearchProblem one = problem(topology, traffic, objective);
    one.sharing = sharing;
    one.slots = slots;
    one.cc_local = local;
    const BruteForce expected = brute_force(one);
    const ExhaustiveProof proof = enumerate(one, {});
    ASSERT_TRUE(proof.is_complete);
    EXPECT_EQ(proof.found.cost, expected.cost) << name << ' ' << to_string(objective);
    EXPECT_EQ(proof.optima, expected.optima) << name << ' ' << to_string(objective);
    EXPECT_EQ(proof.optima_fixed, expected.optima_fixed) << name << ' ' << to_string(objective);
    if (cube_weights(traffic) && std::ranges::count(degrees(traffic), 0U) == 0) {
      EXPECT_EQ(proof.optima_fixed_constant, expected.optima_fixed_constant) << name;
    }
    const FoundMap annealed = anneal(one, {.seed = 1, .effort = 200});
    EXPECT_GE(annealed.cost, expected.cost) << name;
    EXPECT_TRUE(searching::fits(annealed.map, topology, slots));
    EXPECT_EQ(cost_of(one, proof.found.map), proof.found.cost);
    EXPECT_TRUE(searching::fits(proof.found.map, topology, slots));
    for (const CostBound& bound : cost_bounds(one)) {
      EXPECT_LE(bound.cost, expected.cost)
          << name << ' ' << to_string(objective) << ' ' << bound.source;
    }
  }
}

const std::vector<std::string> tiny_machines{
    "kind=ring,nodes=6", "kind=line,nodes=6", "kind=mesh,shape=3x2",  "kind=torus,shape=2x3",
    "kind=line,nodes=1", "kind=ring,nodes=2", "kind=mesh,shape=2x1x3"};

TEST(Exhaustive, AgreesWithTryingEveryMapOfRandomTraffic) {
  for (const std::string& settings : tiny_machines) {
    const auto topology = machine(settings);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto processes = static_cast<std::uint32_t>(1 + (seed + 3) % topology->node_count());
      expect_brute_force(*topology, searching::random_traffic(processes, 8, seed),
                         settings + " seed " + std::to_string(seed));
    }
  }
}

TEST(Exhaustive, AgreesWithTryingEveryMapOfACube) {
  for (const std::string settings :
       {"kind=line,nodes=8", "kind=ring,nodes=8", "kind=mesh,shape=4x2"}) {
    const auto topology = machine(settings);
    expect_brute_force(*topology, Traffic::of(Guest::cube(3), searching::doubling(3)), settings);
    expect_brute_force(*topology, searching::cube(2), settings + " and empty nodes");
  }
}

/// Fewer maps are tried where nodes have several slots than there are ways to fill the slots.
TEST(Exhaustive, AgreesWithTryingEveryMapOfSeveralSlots) {
  for (const std::string settings :
       {"kind=line,nodes=4", "kind=ring,nodes=5", "kind=mesh,shape=2x2", "kind=torus,shape=3",
        "kind=line,nodes=2", "kind=line,nodes=1", "kind=hypercube,dimensions=2"}) {
    const auto topology = machine(settings);
    const std::uint32_t nodes = topology->node_count();
    for (std::uint32_t slots = 2; slots <= 4; ++slots) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const std::uint32_t most = std::min(nodes * slots, nodes > 4 ? 5U : 6U);
        const auto processes = static_cast<std::uint32_t>(1 + (7 * seed + slots) % most);
        const auto flows = static_cast<std::uint32_t>(seed % 3 == 0 ? 4 : 10);
        expect_brute_force(
            *topology, searching::random_traffic(processes, flows, seed),
            settings + " slots " + std::to_string(slots) + " seed " + std::to_string(seed),
            seed % 2 == 0 ? LinkSharing::directed : LinkSharing::undirected, slots);
      }
    }
  }
}

/// Messages inside a node take nothing, less than a hop or more than one.
TEST(Exhaustive, AgreesWithTryingEveryMapOfACubeOnSeveralSlots) {
  for (const std::string settings :
       {"kind=line,nodes=4", "kind=ring,nodes=4", "kind=mesh,shape=2x2", "kind=ring,nodes=3",
        "kind=line,nodes=2", "kind=line,nodes=1"}) {
    const auto topology = machine(settings);
    for (std::uint32_t slots = 2; slots <= 4; ++slots) {
      for (const std::uint32_t dimensions : {2U, 3U}) {
        const std::uint32_t processes = 1U << dimensions;
        if (processes > slots * topology->node_count() ||
            (processes == 8 && topology->node_count() == 4 && slots == 3)) {
          continue;
        }
        const std::string name = settings + " slots " + std::to_string(slots);
        const Ticks local{std::int64_t{slots} - 2};
        expect_brute_force(*topology, searching::cube(dimensions), name, LinkSharing::directed,
                           slots, local);
        expect_brute_force(*topology,
                           Traffic::of(Guest::cube(dimensions), searching::doubling(dimensions)),
                           name, LinkSharing::undirected, slots, local);
      }
    }
  }
}

/// Subcubes of four on the nodes, and every other edge a link or as short as the theory allows.
TEST(CostBounds, FoldedCubesReachThem) {
  for (const auto& [settings, dimensions] :
       {std::pair{"kind=hypercube,dimensions=4", 6U}, std::pair{"kind=line,nodes=16", 6U},
        std::pair{"kind=mesh,shape=8x4", 7U}, std::pair{"kind=torus,shape=4x4", 6U}}) {
    const auto topology = machine(settings);
    const Traffic cube = searching::cube(dimensions);
    SearchProblem one = problem(*topology, cube, Objective::hop_bytes);
    one.slots = 4;
    EXPECT_EQ(cost_bounds(one).front().cost, best_start(one).cost) << settings;
  }
}

/// Ways half round a cycle either way, links that both directions share, dimensions of no bytes,
/// weights that differ by direction, and weights near the limit.
TEST(Exhaustive, AgreesWithTryingEveryMapOfOddCubes) {
  const auto cube = [](std::uint64_t scale, const std::vector<std::uint64_t>& up_and_down) {
    std::vector<Flow> flows;
    for (std::uint32_t process = 0; process < 4; ++process) {
      for (std::uint32_t bit = 0; bit < 2; ++bit) {
        const std::size_t way = 2 * bit + ((process >> bit) & 1U);
        flows.push_back(
            {ProcessId{process}, ProcessId{process ^ (1U << bit)}, scale * up_and_down[way], 1});
      }
    }
    return Traffic{4, flows};
  };
  for (const std::string settings : {"kind=ring,nodes=6,tie=positive", "kind=ring,nodes=6",
                                     "kind=torus,shape=4x2,tie=positive", "kind=mesh,shape=3x2"}) {
    const auto topology = machine(settings);
    for (const auto sharing : {LinkSharing::directed, LinkSharing::undirected}) {
      expect_brute_force(*topology, cube(1, {1, 3, 2, 2}), settings, sharing);
      expect_brute_force(*topology, cube(1, {0, 0, 2, 0}), settings, sharing);
      expect_brute_force(*topology, cube(std::uint64_t{1} << 54, {1, 1, 3, 3}), settings, sharing);
    }
  }
}

/// A path of twelve processes is on three nodes of four slots; two flows leave them, the lightest
/// there are.
TEST(CostBounds, FlowsThatJoinProcessesJoinTheirNodes) {
  const auto ring = machine("kind=ring,nodes=5");
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i + 1 < 12; ++i) {
    flows.push_back({ProcessId{i}, ProcessId{i + 1}, i == 3 ? 2U : i == 7 ? 3U : 9U, 1});
  }
  const Traffic path{12, flows};
  SearchProblem one = problem(*ring, path, Objective::hop_bytes);
  one.slots = 4;
  EXPECT_EQ(cost_bounds(one).front().cost, 5U);
  EXPECT_EQ(anneal(one, {}).cost, 5U);
  one.slots = 12;
  EXPECT_EQ(cost_bounds(one).front().cost, 0U);
}

/// An odd cycle has no place on a machine without one that keeps all its flows a hop long.
TEST(CostBounds, OddCyclesOnMachinesWithoutAreProvenByParity) {
  const auto mesh = machine("kind=mesh,shape=3x5");
  const Traffic ring = Traffic::of(Guest::parse("ring:15"));
  EXPECT_EQ(cost_bounds(problem(*mesh, ring, Objective::hop_bytes)).front().cost, 2U * 16);
  EXPECT_EQ(cost_bounds(problem(*mesh, ring, Objective::longest_dilation)).front().cost, 2U);
  const auto torus = machine("kind=torus,shape=3x5");
  EXPECT_EQ(cost_bounds(problem(*torus, ring, Objective::hop_bytes)).front().cost, 2U * 15);
  EXPECT_EQ(anneal(problem(*mesh, ring, Objective::hop_bytes), {}).cost, 2U * 16);
}

/// Pairs weigh 14. Each process has two, so an even number of them crosses the cut between the
/// colours of a mesh.
TEST(CostBounds, AreMultiplesOfWhatDividesEveryCost) {
  const std::vector<std::uint64_t> bytes{7};
  const Traffic ring = Traffic::of(Guest::parse("ring:9"), bytes);
  for (const auto& [settings, unit] :
       {std::pair{"kind=mesh,shape=3x3", 28U}, std::pair{"kind=torus,shape=3x3", 14U}}) {
    const auto grid = machine(settings);
    bool is_raised = false;
    for (const CostBound& bound : cost_bounds(problem(*grid, ring, Objective::hop_bytes))) {
      EXPECT_EQ(bound.cost % unit, 0U) << bound.source;
      is_raised |= bound.source.find(fmt::format("multiple of {}", unit)) != std::string::npos;
    }
    EXPECT_TRUE(is_raised) << settings;
  }
}

TEST(CostBounds, OfTheLongestDilationRestOnTheDiameterWhereNodesDiffer) {
  const auto bound = [](const char* settings, const char* guest, std::uint32_t slots) {
    const auto topology = machine(settings);
    const Traffic traffic = Traffic::of(Guest::parse(guest));
    SearchProblem found = problem(*topology, traffic, Objective::longest_dilation);
    found.slots = slots;
    return cost_bounds(found).front().cost;
  };
  EXPECT_EQ(bound("kind=line,nodes=200", "ring:200", 1), 2U);
  EXPECT_EQ(bound("kind=line,nodes=201", "ring:200", 1), 2U);
  EXPECT_EQ(bound("kind=line,nodes=50", "ring:200", 4), 1U);
  EXPECT_EQ(bound("kind=mesh,shape=16x16", "torus:16x16", 1), 2U);
  EXPECT_EQ(bound("kind=mesh,shape=16x18", "torus:16x16", 1), 2U);
  EXPECT_EQ(bound("kind=mesh,shape=32x32", "cube:10", 1), 7U);  // 62 hops in 10 steps
  EXPECT_EQ(bound("kind=mesh,shape=16x16", "mesh:16x16", 1), 1U);
}

TEST(Exhaustive, RefusesToCountPast64Bits) {
  const auto torus = machine("kind=torus,shape=4x4x4");
  const Traffic traffic{16, {{ProcessId{0}, ProcessId{1}, 1, 1}}};
  EXPECT_THROW(enumerate(problem(*torus, traffic, Objective::hop_bytes), {}), InputError);
}

TEST(Exhaustive, NoFlowsAndOneProcessAreOptimalAnywhere) {
  const auto ring = machine("kind=ring,nodes=5");
  for (const std::uint32_t processes : {1U, 3U, 5U}) {
    for (const std::uint32_t slots : {1U, 3U}) {
      expect_brute_force(*ring, Traffic{processes, {}}, std::to_string(processes),
                         LinkSharing::directed, slots);
    }
  }
}

/// One way to put them all on one node, although there are more ways to choose half of them than 64
/// bits can count.
TEST(Exhaustive, CountsProcessesWithoutFlowsThatFillANode) {
  const auto node = machine("kind=line,nodes=1");
  const Traffic silent{100, {}};
  SearchProblem full{.topology = *node, .traffic = silent, .slots = 100};
  EXPECT_EQ(enumerate(full, {}).optima, 1U);
  full.slots = 300;
  EXPECT_EQ(enumerate(full, {}).optima, 1U);
}

TEST(Exhaustive, ALinkThatTakesNoTimeIsNotLikeTheOthers) {
  const auto ring = machine("kind=ring,nodes=5");
  const Traffic message{2, {{ProcessId{0}, ProcessId{1}, 5}}};
  SearchProblem made = problem(*ring, message, Objective::link_time);
  for (std::uint32_t slot = 0; slot < made.rates.units.size(); ++slot) {
    const auto link = ring->link(LinkId{slot});
    made.rates.units[slot] = link && link->from == NodeId{3} && link->to == NodeId{2} ? 0 : 1;
  }
  const ExhaustiveProof proof = enumerate(made, {});
  EXPECT_EQ(proof.found.cost, 0U);
  EXPECT_EQ(proof.optima, brute_force(made).optima);
}

/// Ta = 0, process 0 on node 0: the maps of least CC time by the recurrence.
TEST(Exhaustive, CountsTheFastestMapsOfRings) {
  for (const auto& [nodes, time, maps, others] :
       {std::tuple{8U, 5U, 20U, 8U}, std::tuple{16U, 11U, 400U, 304U}}) {
    const auto ring = machine("kind=ring,nodes=" + std::to_string(nodes));
    const Traffic cube = searching::cube(static_cast<std::uint32_t>(std::countr_zero(nodes)));
    const ExhaustiveProof proof = enumerate(problem(*ring, cube, Objective::cc_time), {});
    EXPECT_TRUE(proof.is_complete);
    EXPECT_EQ(proof.found.cost, time);
    EXPECT_EQ(proof.optima_fixed, maps);
    EXPECT_EQ(proof.optima_fixed - proof.optima_fixed_constant, others);
  }
}

TEST(Exhaustive, SaysWhenItsEffortWasNotEnough) {
  const auto ring = machine("kind=ring,nodes=16");
  const Traffic cube = searching::cube(4);
  const SearchProblem one = problem(*ring, cube, Objective::hop_bytes);
  const ExhaustiveProof proof = enumerate(one, {.effort = 1000});
  EXPECT_EQ(proof.found.moves, 1000U);
  EXPECT_FALSE(proof.is_complete);
  EXPECT_EQ(cost_of(one, proof.found.map), proof.found.cost);
}

TEST(Exhaustive, EndsWhenToldBeforeItBegins) {
  const auto torus = machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 40, 4);
  const SearchProblem one = problem(*torus, traffic, Objective::hop_bytes);
  const ExhaustiveProof proof = enumerate(one, {}, {.should_stop = [] { return true; }});
  EXPECT_FALSE(proof.is_complete);
  EXPECT_TRUE(proof.found.is_cut_short);
  EXPECT_EQ(proof.found.cost, best_start(one).cost);  // it would otherwise be improved first
}

TEST(Exhaustive, RefusesMachinesThatNobodyCanEnumerate) {
  const auto torus = machine("kind=torus,shape=16x16");
  const Traffic cube = searching::cube(8);
  EXPECT_THROW(enumerate(problem(*torus, cube, Objective::hop_bytes), {}), InputError);
}

}  // namespace
}  // namespace dcube
