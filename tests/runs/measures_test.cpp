// A measure means the same wherever it is shown: what embed works out, what a run counts, and what
// a search pays.

#include "dcube/runs/measures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/guest_edges.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/scenario/link_sharing.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/search/search.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"

namespace dcube {
namespace {

/// A machine, processes, and the node of each.
struct PlacedCase {
  std::string machine;
  Guest guest;
  std::vector<std::uint32_t> map;
};

std::uint32_t below(SplitMix64& random, std::uint64_t bound) {
  return static_cast<std::uint32_t>(bounded(random.next(), bound));
}

template <class Choices>
auto one_of(SplitMix64& random, const Choices& choices) {
  return choices[below(random, choices.size())];
}

template <class Item>
void shuffle(SplitMix64& random, std::vector<Item>& items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[below(random, i)]);
  }
}

PlacedCase draw(std::uint64_t seed) {
  SplitMix64 random{seed};
  const std::vector<std::pair<std::string, std::uint32_t>> topologies{
      {R"("kind": "ring", "nodes": 16)", 16},
      {R"("kind": "ring", "nodes": 16, "tie": "positive")", 16},
      {R"("kind": "line", "nodes": 17)", 17},
      {R"("kind": "mesh", "shape": [3, 6])", 18},
      {R"("kind": "torus", "shape": [4, 5])", 20},
      {R"("kind": "torus", "shape": [4, 2, 4], "tie": "positive")", 32},
      {R"("kind": "twisted_torus", "shape": [4, 8])", 32},
      {R"("kind": "hypercube", "dimensions": 4)", 16}};
  const auto [topology, nodes] = one_of(random, topologies);
  const std::uint32_t slots = 1 + below(random, 2);
  const std::string routing =
      below(random, 4) == 0 ? R"(, "routing": {"kind": "shortest"})" : std::string{};
  const std::string failed =
      nodes > 17 && below(random, 3) == 0 ? R"(, "failed": {"nodes": [3]})" : std::string{};
  testing::Draw costs{seed};
  const std::string endpoint =
      below(random, 2) == 0 ? R"(, "endpoint": )" + testing::endpoint_json(testing::random_endpoint(
                                                        costs, std::chrono::microseconds{1}))
                            : std::string{};
  PlacedCase drawn{R"({"topology": {)" + topology + R"(}, "link": {"latency": "1us", "duplex": ")" +
                       (below(random, 3) == 0 ? "half" : "full") + R"("}, "node": {"slots": )" +
                       std::to_string(slots) + "}" + routing + failed + endpoint + "}",
                   Guest::parse(one_of(
                       random, std::vector<std::string>{"cube:4", "cube:3", "ring:13", "mesh:3x4",
                                                        "torus:3x4", "tree:15", "line:9"})),
                   {}};
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (failed.empty() || node != 3) {
      drawn.map.insert(drawn.map.end(), slots, node);
    }
  }
  shuffle(random, drawn.map);
  drawn.map.resize(drawn.guest.process_count());
  return drawn;
}

std::string json_list(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

/// A message of a byte each way over every edge.
Scenario scenario_of(const PlacedCase& placed) {
  std::string messages;
  for (std::uint32_t dimension = 0; dimension < placed.guest.dimension_count(); ++dimension) {
    for_each_edge(placed.guest, dimension, [&](ProcessId a, ProcessId b) {
      for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
        messages += (messages.empty() ? "" : ", ") + std::string{R"({"from": )"} +
                    std::to_string(from.index()) + R"(, "to": )" + std::to_string(to.index()) +
                    R"(, "bytes": 1})";
      }
    });
  }
  const TemporaryFolder folder;
  return load_scenario(folder.write(
      "x.json", R"({"schema_version": 1, "machine": )" + placed.machine +
                    R"(, "embedding": {"kind": "explicit", "map": )" + json_list(placed.map) +
                    R"(}, "program": {"kind": "pattern", "guest": ")" + placed.guest.name() +
                    R"(", "phases": [{"messages": [)" + messages + "]}]}}"));
}

EmbeddingMetrics metrics_of(const Scenario& scenario, const Guest& guest) {
  return measure_embedding(*scenario.machine->topology, guest, scenario.embedding->map(),
                           link_sharing(*scenario.machine));
}

void expect_equal(const LoadSummary& one, const LoadSummary& other) {
  EXPECT_EQ(one.min, other.min);
  EXPECT_EQ(one.max, other.max);
  EXPECT_DOUBLE_EQ(one.mean, other.mean);
}

template <class Check>
void for_each_case(std::uint64_t usual, Check check) {
  const auto [first_seed, count] = testing::random_cases(usual);
  for (std::uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    const PlacedCase placed = draw(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + placed.guest.name() + " as " +
                 json_list(placed.map) + " on " + placed.machine);
    check(placed, seed);
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
}

TEST(RandomCasesOfMeasures, WhatEmbedWorksOutARunCounts) {
  for_each_case(150, [](const PlacedCase& placed, std::uint64_t) {
    Scenario scenario = scenario_of(placed);
    const EmbeddingMetrics metrics = metrics_of(scenario, placed.guest);
    const RunReport report = run_scenario(scenario, nullptr, {}, Findings::report).report;
    ASSERT_EQ(report.outcome, Outcome::completed);
    expect_equal(metrics.link_load, report.link_load);
    expect_equal(metrics.node_load, report.node_load);
    EXPECT_DOUBLE_EQ(metrics.average_dilation * static_cast<double>(report.messages),
                     static_cast<double>(report.hops));
    const MeasuredRun run = measured_run(scenario, report);
    const auto measured = [&](const char* name) { return *measure_named(name).value(run); };
    EXPECT_EQ(measured("average_dilation"), metrics.average_dilation);
    EXPECT_EQ(measured("longest_dilation"), metrics.longest_dilation);
    EXPECT_EQ(measured("max_link_load"), static_cast<double>(metrics.link_load.max));
    EXPECT_DOUBLE_EQ(measured("mean_link_load"), metrics.link_load.mean);
    EXPECT_EQ(measured("max_node_load"), static_cast<double>(metrics.node_load.max));
    EXPECT_DOUBLE_EQ(measured("mean_node_load"), metrics.node_load.mean);
  });
}

TEST(RandomCasesOfMeasures, WhatEmbedWorksOutASearchPays) {
  for_each_case(300, [](const PlacedCase& placed, std::uint64_t) {
    const Scenario scenario = scenario_of(placed);
    const EmbeddingMetrics metrics = metrics_of(scenario, placed.guest);
    const std::vector<NodeId> map = scenario.embedding->map();
    const Traffic traffic = Traffic::of(placed.guest);
    const LinkSharing sharing = link_sharing(*scenario.machine);
    const SearchProblem problem{.topology = *scenario.machine->topology,
                                .traffic = traffic,
                                .slots = scenario.machine->node.slots,
                                .sharing = sharing};
    const auto cost = [&](Objective objective) {
      return cost_of(problem.with_objective(objective), map);
    };
    const double hops = metrics.average_dilation * static_cast<double>(traffic.flows().size());
    EXPECT_DOUBLE_EQ(static_cast<double>(cost(Objective::hop_bytes)), hops);
    EXPECT_DOUBLE_EQ(static_cast<double>(cost(Objective::average_dilation)), hops);
    EXPECT_EQ(cost(Objective::longest_dilation), metrics.longest_dilation);
    EXPECT_EQ(cost(Objective::link_load), metrics.link_load.max);
    const TrafficMetrics of_traffic = measure_traffic(problem.topology, traffic, map, sharing);
    expect_equal(of_traffic.link_bytes, metrics.link_load);
    EXPECT_DOUBLE_EQ(of_traffic.average_dilation, metrics.average_dilation);
    EXPECT_DOUBLE_EQ(of_traffic.average_hops, metrics.average_dilation);
  });
}

/// Another name for every process, under which the edges are the same.
std::vector<std::uint32_t> renamed(const Guest& guest, SplitMix64& random) {
  std::vector<std::uint32_t> names(guest.process_count());
  std::iota(names.begin(), names.end(), 0U);
  if (guest.kind() == Guest::Kind::cube) {
    std::vector<std::uint32_t> bits(guest.dimension_count());
    std::iota(bits.begin(), bits.end(), 0U);
    shuffle(random, bits);
    const std::uint32_t flipped = below(random, guest.process_count());
    for (std::uint32_t& name : names) {
      std::uint32_t moved = 0;
      for (std::uint32_t bit = 0; bit < bits.size(); ++bit) {
        moved |= (name >> bit & 1U) << bits[bit];
      }
      name = moved ^ flipped;
    }
  } else if (guest.kind() == Guest::Kind::torus && guest.dimension_count() == 1) {
    const std::uint32_t start = below(random, names.size());
    std::rotate(names.begin(), names.begin() + start, names.end());
  } else if (guest.kind() != Guest::Kind::tree) {  // a row of processes turns round
    std::reverse(names.begin(), names.end());
  }
  return names;
}

TEST(RandomCasesOfMeasures, StayTheSameWhenProcessesAreRenamed) {
  for_each_case(300, [](const PlacedCase& placed, std::uint64_t seed) {
    SplitMix64 random{seed + 1};
    const std::vector<std::uint32_t> names = renamed(placed.guest, random);
    PlacedCase other = placed;
    for (std::size_t process = 0; process < names.size(); ++process) {
      other.map[names[process]] = placed.map[process];
    }
    const EmbeddingMetrics one = metrics_of(scenario_of(placed), placed.guest);
    const EmbeddingMetrics renamed_one = metrics_of(scenario_of(other), placed.guest);
    expect_equal(one.link_load, renamed_one.link_load);
    expect_equal(one.node_load, renamed_one.node_load);
    EXPECT_EQ(one.spectrum, renamed_one.spectrum);
    EXPECT_EQ(one.longest_dilation, renamed_one.longest_dilation);
    EXPECT_EQ(one.total_dilation, renamed_one.total_dilation);
    EXPECT_DOUBLE_EQ(one.average_dilation, renamed_one.average_dilation);
  });
}

}  // namespace
}  // namespace dcube
