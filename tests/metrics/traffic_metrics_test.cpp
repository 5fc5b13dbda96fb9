#include "dcube/metrics/traffic_metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {
namespace {

std::vector<std::uint64_t> doubling(std::uint32_t dimensions) {
  std::vector<std::uint64_t> weights;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    weights.push_back(std::uint64_t{1} << i);
  }
  return weights;
}

double average_hops(const std::string& shape, std::vector<std::uint64_t> weights,
                    const std::string& embedding) {
  const auto topology = make_topology(Params::parse("kind=torus,shape=" + shape));
  const Guest guest = Guest::cube(static_cast<std::uint32_t>(weights.size()));
  const auto map = make_embedding(*topology, guest, Params::parse("kind=" + embedding))->map();
  return measure_traffic(*topology, Traffic::of(guest, weights), map, LinkSharing::directed)
      .average_hops;
}

TEST(TrafficMetrics, RecursiveDoublingOnToriIsShortestWithWeightedXor) {
  EXPECT_NEAR(average_hops("16x16", doubling(8), "standard"), 5.667, 0.0005);
  EXPECT_NEAR(average_hops("16x16", doubling(8), "xor"), 3.533, 0.0005);
  EXPECT_NEAR(average_hops("16x16", doubling(8), "weighted_xor"), 1.365, 0.0005);
  EXPECT_NEAR(average_hops("32x32", doubling(10), "weighted_xor"), 1.431, 0.0005);
  auto halving = doubling(8);
  std::ranges::reverse(halving);
  EXPECT_NEAR(average_hops("16x16", halving, "weighted_xor,weights=halving"), 1.365, 0.0005);
}

/// Every hop of every flow, walked one by one.
TEST(TrafficMetrics, AgreeWithWalkingEveryRoute) {
  for (const std::string machine : {"kind=ring,nodes=9", "kind=mesh,shape=3x4",
                                    "kind=torus,shape=4x4", "kind=hypercube,dimensions=3"}) {
    const auto topology = make_topology(Params::parse(machine));
    const std::uint32_t nodes = topology->node_count();
    SplitMix64 random{7};
    std::vector<Flow> flows;
    for (std::uint32_t i = 0; i < 3 * nodes; ++i) {
      flows.push_back({ProcessId{static_cast<std::uint32_t>(bounded(random.next(), nodes))},
                       ProcessId{static_cast<std::uint32_t>(bounded(random.next(), nodes))},
                       bounded(random.next(), 100), 1});
    }
    const Traffic traffic{nodes, flows};
    const auto map = make_embedding(*topology, Guest::parse("line:" + std::to_string(nodes)),
                                    Params::parse("kind=random,seed=3"))
                         ->map();
    std::map<std::pair<NodeId, NodeId>, std::uint64_t> loads;
    std::uint64_t hop_bytes = 0;
    for (const Flow& flow : traffic.flows()) {
      const auto route = topology->route(map[flow.from.index()], map[flow.to.index()]);
      for (std::size_t i = 0; i + 1 < route.size(); ++i) {
        loads[{route[i], route[i + 1]}] += flow.bytes;
        hop_bytes += flow.bytes;
      }
    }
    std::uint64_t most = 0;
    for (const auto& [ends, load] : loads) {
      most = std::max(most, load);
    }
    const TrafficMetrics metrics = measure_traffic(*topology, traffic, map, LinkSharing::directed);
    EXPECT_EQ(metrics.hop_bytes, hop_bytes) << machine;
    EXPECT_EQ(metrics.link_bytes.max, most) << machine;
    EXPECT_DOUBLE_EQ(
        metrics.link_bytes.mean,
        static_cast<double>(hop_bytes) / (2.0 * static_cast<double>(topology->link_count())))
        << machine;
  }
}

TEST(TrafficMetrics, HopBytesOutOfRangeAreRefused) {
  const auto line = make_topology(Params::parse("kind=line,nodes=3"));
  const Traffic traffic{
      2, {{ProcessId{0}, ProcessId{1}, std::numeric_limits<std::int64_t>::max(), 1}}};
  const std::vector<NodeId> map{NodeId{0}, NodeId{2}};
  EXPECT_THROW(measure_traffic(*line, traffic, map, LinkSharing::directed), InputError);
}

}  // namespace
}  // namespace dcube
