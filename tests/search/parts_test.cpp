#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "problems.hpp"
#include "search/starts/starts.hpp"
#include "search/starts/traffic_grid.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

/// `count` of these guests, whose processes are numbered at random.
Traffic parts_of(const char* guest, std::uint32_t count, std::uint64_t seed) {
  const Traffic one = Traffic::of(Guest::parse(guest));
  std::vector<Flow> flows;
  for (std::uint32_t part = 0; part < count; ++part) {
    for (Flow flow : one.flows()) {
      flow.from = ProcessId{flow.from.index() + part * one.process_count()};
      flow.to = ProcessId{flow.to.index() + part * one.process_count()};
      flows.push_back(flow);
    }
  }
  std::vector<std::uint32_t> numbers(std::size_t{count} * one.process_count());
  std::iota(numbers.begin(), numbers.end(), 0U);
  SplitMix64 random{seed};
  shuffle(numbers, random);
  const Traffic in_order{static_cast<std::uint32_t>(numbers.size()), std::move(flows)};
  return renumbered(in_order, numbers);
}

TEST(PartsInBoxes, KeepPartnersBesideEachOther) {
  for (const auto& [settings, guest, count] :
       {std::tuple{"kind=mesh,shape=8x8", "ring:16", 4U},
        {"kind=mesh,shape=12x10", "ring:30", 4U},
        {"kind=torus,shape=6x9", "ring:9", 6U},  // a cycle of the machine
        {"kind=torus,shape=4x8x8", "torus:4x8", 8U},
        {"kind=mesh,shape=16x16", "mesh:8x4", 8U},
        {"kind=hypercube,dimensions=7", "cube:4", 8U}}) {
    const auto topology = searching::machine(settings);
    const Traffic traffic = parts_of(guest, count, 3);
    const SearchProblem problem = searching::problem(*topology, traffic, Objective::hop_bytes);
    const std::optional<Start> start = parts_in_boxes(problem);
    ASSERT_TRUE(start) << settings;
    EXPECT_EQ(cost_of(problem, start->map), traffic.total_bytes()) << settings;
    EXPECT_EQ(best_start(problem).cost, traffic.total_bytes()) << settings;
  }
}

TEST(PartsInBoxes, FillTheSlotsOfTheirNodes) {
  const auto mesh = searching::machine("kind=mesh,shape=8x4");
  const Traffic traffic = parts_of("ring:32", 4, 1);
  SearchProblem problem = searching::problem(*mesh, traffic, Objective::hop_bytes);
  problem.slots = 4;
  // A ring of eight nodes: so many hops each way.
  EXPECT_EQ(cost_of(problem, parts_in_boxes(problem).value().map), 4U * 8 * 2);
}

TEST(PartsInBoxes, AreNotThereWhereNoneFit) {
  const auto mesh = searching::machine("kind=mesh,shape=6x6");
  const auto is_there = [](const Topology& topology, const Traffic& traffic) {
    return parts_in_boxes(searching::problem(topology, traffic, Objective::hop_bytes)).has_value();
  };
  EXPECT_TRUE(is_there(*mesh, parts_of("ring:12", 3, 1)));
  EXPECT_FALSE(is_there(*mesh, parts_of("ring:36", 1, 1)));
  EXPECT_FALSE(is_there(*mesh, parts_of("ring:5", 7, 1)));  // no box of five nodes
  EXPECT_FALSE(is_there(*mesh, parts_of("tree:7", 4, 1)));
  EXPECT_FALSE(is_there(*mesh, Traffic{36, {{ProcessId{0}, ProcessId{1}, 1, 1}}}));
  const auto some = with_hosts_among(searching::machine("kind=mesh,shape=6x6"), [] {
    std::vector<bool> hosts(36, true);
    hosts[7] = false;
    return hosts;
  }());
  EXPECT_FALSE(is_there(*some, parts_of("ring:8", 4, 1)));
}

}  // namespace
}  // namespace dcube
