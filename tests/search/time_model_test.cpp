#include "search/walks/time_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "problems.hpp"
#include "search/starts/starts.hpp"
#include "search/walks/moves.hpp"

namespace dcube {
namespace {

using Measures = std::array<double, TimeModel::measure_count>;

double way_of(const SearchProblem& problem, const std::vector<NodeId>& map, const Flow& flow,
              const std::function<void(LinkId, const LinkTimes&)>& visit) {
  double way = 0;
  for_each_link(problem.topology, map[flow.from.index()], map[flow.to.index()], [&](LinkId link) {
    const LinkTimes times =
        problem.link_times.empty() ? LinkTimes{0, 1, 0, 1} : problem.link_times[link.index()];
    way += static_cast<double>(flow.messages) * times.latency +
           static_cast<double>(flow.bytes) * times.per_byte;
    visit(problem.server_of(link), times);
  });
  return way;
}

double norm_of(const std::vector<double>& values, double order) {
  double sum = 0;
  for (const double value : values) {
    sum += std::pow(value, order);
  }
  return std::pow(sum, 1 / order);
}

/// Of some flows: the time on all ways, and the norms of ways (of order 8) and of busy times.
std::array<double, 5> measures_of_flows(const SearchProblem& problem,
                                        const std::vector<NodeId>& map,
                                        std::span<const Flow> flows) {
  std::vector<double> busy(problem.topology.link_slots());
  std::vector<double> ways;
  double all = 0;
  for (const Flow& flow : flows) {
    const double way = way_of(problem, map, flow, [&](LinkId link, const LinkTimes& times) {
      busy[link.index()] += static_cast<double>(flow.messages) * times.busy_latency +
                            static_cast<double>(flow.bytes) * times.busy_per_byte;
    });
    all += way;
    ways.push_back(way / static_cast<double>(flow.messages));
  }
  return {all, norm_of(ways, 8), norm_of(busy, 2), norm_of(busy, 4), norm_of(busy, 8)};
}

/// Computed from scratch.
Measures measures_of(const SearchProblem& problem, const std::vector<NodeId>& map) {
  const auto whole = measures_of_flows(problem, map, problem.traffic.flows());
  Measures all{whole[0], whole[2], whole[3], whole[4]};
  for (const Superstep& step : problem.supersteps) {
    const auto own = measures_of_flows(problem, map, step.flows);
    for (std::size_t i = 1; i < own.size(); ++i) {
      all[i + 3] += static_cast<double>(step.times) * own[i];
    }
  }
  return all;
}

/// Flows that differ from step to step, some of which occur in several.
std::vector<Superstep> random_supersteps(std::uint32_t processes) {
  std::vector<Superstep> steps;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Traffic traffic = searching::random_traffic(processes, 20 + 30 * i, i);
    steps.push_back({{traffic.flows().begin(), traffic.flows().end()}, 1 + 2 * i});
  }
  return steps;
}

void expect_increases(const SearchProblem& problem) {
  const Partners partners{problem.traffic, problem.objective};
  Moves moves{problem, partners};
  TimeModel model{problem};
  SplitMix64 random{5};
  std::vector<NodeId> map = structured_starts(problem).front().map;
  for (int i = 0; i < 100; ++i) {
    moves.assign(map);
    model.assign(map);
    const auto changes = moves.draw(random);
    const TimeModel::Increases increases = model.increases(changes);
    ASSERT_EQ(increases, model.increases(changes));
    const Measures before = measures_of(problem, map);
    for (const Relocation& change : changes) {
      map[change.process.index()] = change.node;
    }
    const Measures after = measures_of(problem, map);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const double expected = before[k] > 0 ? after[k] / before[k] - 1 : 0;
      ASSERT_NEAR(increases[k], expected, 1e-9) << "measure " << k << ", change " << i;
    }
  }
}

TEST(TimeModel, MeasuresChangesAsFromScratch) {
  for (const std::string settings : {"kind=ring,nodes=16", "kind=mesh,shape=4x5",
                                     "kind=torus,shape=4x4", "kind=hypercube,dimensions=4"}) {
    const auto topology = searching::machine(settings);
    const Traffic traffic = searching::random_traffic(16, 60, 3);
    SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    expect_increases(problem);
    problem.supersteps = random_supersteps(16);
    expect_increases(problem);
    problem.slots = 3;
    problem.sharing = LinkSharing::undirected;
    SplitMix64 random{8};
    for (std::uint32_t link = 0; link < topology->link_slots(); ++link) {
      const auto draw = [&] { return static_cast<double>(bounded(random.next(), 100)); };
      problem.link_times.push_back({draw(), draw(), draw(), draw()});
    }
    expect_increases(problem);
  }
}

TEST(TimeModel, MeasuresTheSameAfterChangesThatItKeeps) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 60, 3);
  SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  problem.supersteps = random_supersteps(16);
  const Partners partners{problem.traffic, problem.objective};
  Moves moves{problem, partners};
  TimeModel kept{problem};
  TimeModel assigned{problem};
  SplitMix64 random{5};
  std::vector<NodeId> map = structured_starts(problem).front().map;
  moves.assign(map);
  kept.assign(map);
  for (int i = 0; i < 50; ++i) {
    const auto changes = moves.draw(random);
    for (const Relocation& change : changes) {
      map[change.process.index()] = change.node;
    }
    kept.keep(changes);
    moves.keep();
    assigned.assign(map);
    const auto drawn = moves.draw(random);
    const TimeModel::Increases expected = assigned.increases(drawn);
    const TimeModel::Increases increases = kept.increases(drawn);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR(increases[k], expected[k], 1e-9) << "measure " << k << ", change " << i;
    }
  }
}

TEST(EstimatedAnnealing, FindsLessLoadAndRepeatsItself) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 60, 3);
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  const std::vector<NodeId> start = structured_starts(problem).front().map;
  const auto found_in = [&](std::uint64_t steps, const SearchControl& control) {
    SplitMix64 random{7};
    return anneal_estimate(problem, start, {0.1, 0, 0.9, 0}, steps, random, control);
  };
  const std::vector<NodeId> found = found_in(20'000, {});
  EXPECT_EQ(found, found_in(20'000, {}));
  constexpr std::size_t norm_of_order_4 = 2;
  EXPECT_LT(measures_of(problem, found)[norm_of_order_4],
            0.95 * measures_of(problem, start)[norm_of_order_4]);
  EXPECT_EQ(found_in(20'000, {.should_stop = [] { return true; }}), start);
}

TEST(TimeModel, LearnsWhichMeasureCounts) {
  const auto torus = searching::machine("kind=torus,shape=4x4");
  const Traffic traffic = searching::random_traffic(16, 60, 3);
  const SearchProblem problem = searching::problem(*torus, traffic, Objective::hop_bytes);
  TimeModel model{problem};
  SplitMix64 random{4};
  const auto drawn = [&] {
    TimeModel::Increases increases;
    for (double& one : increases) {
      one = static_cast<double>(bounded(random.next(), 400)) / 1000 - 0.2;
    }
    return increases;
  };
  for (int i = 0; i < 300; ++i) {
    const TimeModel::Increases increases = drawn();
    model.note(increases, increases[2] / 2);
  }
  for (int i = 0; i < 20; ++i) {
    model.fit();
  }
  for (int i = 0; i < 20; ++i) {
    const TimeModel::Increases increases = drawn();
    EXPECT_NEAR(model.estimate(increases), increases[2] / 2, 0.02);
  }
}

}  // namespace
}  // namespace dcube
