// Machines whose nodes host several processes: figures without a run.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "closed_form_check.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "placements.hpp"

namespace dcube {
namespace {

std::vector<NodeId> map_with_slots(const Topology& topology, const Guest& guest,
                                   const std::string& embedding, std::uint32_t slots) {
  return make_embedding(topology, guest, Params::parse("kind=" + embedding), slots)->map();
}

TEST(SlotMetrics, RingOfFourWithTwoSlots) {
  const auto ring = topology_of("kind=ring,nodes=4");
  const Guest cube = Guest::cube(3);
  const EmbeddingMetrics metrics =
      measure_embedding(*ring, cube, map_with_slots(*ring, cube, "standard", 2));
  EXPECT_EQ(metrics.constant_distances, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(metrics.spectrum, (std::map<std::uint32_t, std::uint64_t>{{0, 4}, {1, 4}, {2, 4}}));
  EXPECT_EQ(metrics.average_dilation, 1.0);
  EXPECT_EQ(metrics.link_load.max, 4U);
}

TEST(SlotMetrics, ClosedFormsFoldWithTheCube) {
  struct Case {
    const char* fold;
    std::vector<std::uint32_t> inside;
  };
  for (const std::string machine :
       {"kind=ring,nodes=16", "kind=ring,nodes=2", "kind=torus,shape=8x4", "kind=torus,shape=2x2x8",
        "kind=hypercube,dimensions=4", "kind=line,nodes=1"}) {
    const auto topology = topology_of(machine);
    const Guest guest = Guest::cube(cube_of(*topology).dimension_count() + 2);
    const std::uint32_t d = guest.dimension_count();
    for (const auto& [fold, inside] :
         {Case{"low", {0, 1}}, Case{"high", {d - 2, d - 1}}, Case{"[0,1]", {0, 1}}}) {
      for (const std::string embedding : {"standard", "xor"}) {
        SCOPED_TRACE(embedding + " on " + machine + ", fold " + fold);
        const auto form = closed_form(*topology, embedding, inside);
        ASSERT_TRUE(form);
        expect_equal(*form, measure_embedding(
                                *topology, guest,
                                map_with_slots(*topology, guest, embedding + ",fold=" + fold, 4)));
      }
    }
  }
}

double least_over_slots(const Topology& topology, const Guest& guest, std::uint32_t slots) {
  std::vector<NodeId> map;
  for (const NodeId node : all_nodes(topology)) {
    map.insert(map.end(), slots, node);
  }
  double least = std::numeric_limits<double>::max();
  do {
    least = std::min(least,
                     measure_embedding(topology, guest, std::span{map}.first(guest.process_count()))
                         .average_dilation);
  } while (std::next_permutation(map.begin(), map.end()));
  return least;
}

TEST(SlotMetrics, BoundIsTheLeastOfAllPlacementsOfACube) {
  for (const char* machine : {"kind=line,nodes=4", "kind=mesh,shape=2x2", "kind=ring,nodes=4",
                              "kind=hypercube,dimensions=2", "kind=torus,shape=4x1"}) {
    SCOPED_TRACE(machine);
    const auto topology = topology_of(machine);
    EXPECT_DOUBLE_EQ(dilation_bound(*topology, Guest::cube(3), 2).average_dilation,
                     least_over_slots(*topology, Guest::cube(3), 2));
  }
}

TEST(SlotMetrics, BoundHoldsForAllPlacementsOfOtherGuests) {
  for (const char* machine : {"kind=line,nodes=3", "kind=ring,nodes=3", "kind=mesh,shape=2x2"}) {
    const auto topology = topology_of(machine);
    for (const char* name : {"ring:6", "line:5", "mesh:2x3", "cube:2", "tree:3"}) {
      for (const std::uint32_t slots : {2U, 3U}) {
        SCOPED_TRACE(std::string{name} + " on " + machine);
        const Guest guest = Guest::parse(name);
        if (slots * topology->node_count() <= 9 || slots == 2) {
          EXPECT_LE(dilation_bound(*topology, guest, slots).average_dilation,
                    least_over_slots(*topology, guest, slots) + 1e-12);
        }
      }
    }
  }
}

TEST(SlotMetrics, BytesInsideANodeMakeNoHops) {
  const auto ring = topology_of("kind=ring,nodes=4");
  const Guest cube = Guest::cube(3);
  const std::vector<std::uint64_t> weights{100, 10, 1};
  const TrafficMetrics metrics =
      measure_traffic(*ring, Traffic::of(cube, weights), map_with_slots(*ring, cube, "standard", 2),
                      LinkSharing::directed);
  EXPECT_EQ(metrics.hop_bytes, 8U * (10 + 2));
  EXPECT_EQ(metrics.longest_dilation, 2U);
  EXPECT_DOUBLE_EQ(metrics.average_dilation, 1.0);
  EXPECT_DOUBLE_EQ(metrics.average_hops, 12.0 / 111);
}

TEST(SlotMetrics, LocalMessagesOfTheRecurrenceHaveTheirOwnTime) {
  const auto ring = topology_of("kind=ring,nodes=4");
  const auto map = map_with_slots(*ring, Guest::cube(3), "standard", 2);
  EXPECT_EQ(predict_cc(*ring, map, Ticks{100}, Ticks{10}, Ticks{3}).makespan, Ticks{333});
  EXPECT_EQ(predict_cc(*ring, map, Ticks{100}, Ticks{10}).makespan, Ticks{331});
}

}  // namespace
}  // namespace dcube
