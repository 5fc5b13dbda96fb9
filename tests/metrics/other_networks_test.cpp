// What formulas for grids say of machines that only look like grids: nothing. And what is measured
// there, held against plain counting.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/spheres.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

using SharedTopology = std::shared_ptr<const Topology>;

SharedTopology plain_network(const std::string& settings) {
  return make_topology(Params::parse("kind=" + settings));
}

SharedTopology routed_network(const std::string& settings, const std::string& routing) {
  return with_routing(plain_network(settings), Params::parse("kind=" + routing));
}

SharedTopology failed_network(const std::string& settings, const Failures& failures) {
  return with_failures(plain_network(settings), failures);
}

/// A ring of 8 on which messages from 0 to 1 take the long way.
SharedTopology roundabout_ring() {
  std::string routes;
  for (int to = 0; to < 8; ++to) {
    for (int at = 0; at < 8; ++at) {
      const int up = (to - at + 8) % 8;
      const bool goes_down = to == 1 ? at != 1 : up > 4;
      if (at != to) {
        routes += "[" + std::to_string(at) + "," + std::to_string(to) + "," +
                  std::to_string((at + (goes_down ? 7 : 1)) % 8) + "],";
      }
    }
  }
  routes.pop_back();
  return routed_network("ring,nodes=8", "table,routes=[" + routes + "]");
}

std::vector<SharedTopology> look_alikes() {
  return {plain_network("twisted_torus,shape=4x8"),
          plain_network("torus,shape=4x8,wrap=[true,false]"),
          plain_network("graph,edges=[[0,1],[1,2],[2,3],[3,0]]"),
          routed_network("torus,shape=4x4", "shortest"),
          roundabout_ring(),
          failed_network("torus,shape=4x4", {{}, {LinkId{0}}, {}}),
          failed_network("hypercube,dimensions=4", {{NodeId{3}}, {}, {}})};
}

TEST(GridKind, LookAlikesAreNoTori) {
  for (const SharedTopology& topology : look_alikes()) {
    SCOPED_TRACE(describe(*topology));
    EXPECT_FALSE(wraps_around(*topology) || has_open_ends(*topology));
    const bool is_cylinder = topology->details().has("wrap");
    EXPECT_EQ(is_grid(*topology), is_cylinder);
    EXPECT_EQ(closed_form(*topology, "standard").has_value(), is_cylinder);
    EXPECT_FALSE(closed_form(*topology, "xor"));
  }
  EXPECT_TRUE(wraps_around(*routed_network("torus,shape=4x4", "dimension_order,order=[1,0]")));
  EXPECT_TRUE(is_grid(*routed_network("mesh,shape=4x3", "dimension_order,order=[1,0]")));
  EXPECT_TRUE(is_grid(*plain_network("torus,shape=4x4,wrap=[true,true]")));
}

TEST(Spheres, OfOtherNetworksHoldAsManyNodesAsAnyNodeReaches) {
  for (const SharedTopology& topology : look_alikes()) {
    SCOPED_TRACE(describe(*topology));
    const Spheres spheres = widest_spheres(*topology, 6);
    for (std::uint32_t from = 0; from < topology->node_count(); ++from) {
      std::uint64_t bound = 0;
      for (std::uint32_t radius = 0; radius < spheres.size(); ++radius) {
        bound += spheres[radius];
        std::uint64_t within = 0;
        for (std::uint32_t to = 0; to < topology->node_count(); ++to) {
          within += topology->reaches(NodeId{from}, NodeId{to}) &&
                            topology->distance(NodeId{from}, NodeId{to}) <= radius
                        ? 1
                        : 0;
        }
        EXPECT_LE(within, bound);
      }
    }
  }
}

TEST(Bounds, HoldOnOtherNetworks) {
  for (const SharedTopology& topology : look_alikes()) {
    SCOPED_TRACE(describe(*topology));
    std::vector<NodeId> usable;
    for (std::uint32_t node = 0; node < topology->node_count(); ++node) {
      if (topology->is_usable(NodeId{node})) {
        usable.emplace_back(node);
      }
    }
    for (std::uint32_t d = 1; (1U << d) <= usable.size(); ++d) {
      const std::vector<NodeId> map(usable.begin(), usable.begin() + (1 << d));
      const auto metrics = measure_embedding(*topology, Guest::cube(d), map);
      EXPECT_LE(dilation_bound(*topology, Guest::cube(d), 1).average_dilation,
                metrics.average_dilation + 1e-12);
    }
  }
}

/// Loads of every direction of a link by a message each way along a cube's edges, hop by hop.
std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> walked_loads(
    const Topology& topology, const std::vector<NodeId>& map) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> loads;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    if (const auto link = topology.link(LinkId{slot})) {
      loads[{link->from.index(), link->to.index()}] = 0;
    }
  }
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    for (std::uint32_t bit = 1; bit < map.size(); bit *= 2) {
      for_each_link(topology, map[process], map[process ^ bit], [&](LinkId number) {
        const Link link = topology.link(number).value();
        ++loads[{link.from.index(), link.to.index()}];
      });
    }
  }
  return loads;
}

TEST(EmbeddingMetrics, LinkLoadsOfOtherNetworksAreThoseOfWalkingEveryHop) {
  for (const SharedTopology& topology :
       {plain_network("twisted_torus,shape=4x4x8"), plain_network("twisted_torus,shape=4x8"),
        plain_network("torus,shape=4x8,wrap=[false,true]"),
        plain_network("twisted_torus,shape=4x8,twist=[[0,1],[0,0]]"),
        routed_network("torus,shape=8x4", "dimension_order,order=[1,0]"),
        routed_network("torus,shape=8x4", "shortest"),
        routed_network("twisted_torus,shape=4x8", "shortest"),
        failed_network("torus,shape=5x4", {{NodeId{7}}, {LinkId{0}, LinkId{45}}, {}}),
        failed_network("twisted_torus,shape=4x8", {{NodeId{9}}, {LinkId{3}}, {}}),
        roundabout_ring()}) {
    SCOPED_TRACE(describe(*topology));
    const std::uint32_t dimensions = topology->node_count() < 16 ? 3 : 4;
    std::vector<NodeId> map;
    for (std::uint32_t node = 0; map.size() < (1U << dimensions); ++node) {
      const NodeId chosen{node * 7 % topology->node_count()};
      if (topology->is_usable(chosen)) {
        map.push_back(chosen);
      }
    }
    const auto metrics = measure_embedding(*topology, Guest::cube(dimensions), map);
    std::uint64_t most = 0;
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t sum = 0;
    const auto walked = walked_loads(*topology, map);
    EXPECT_EQ(walked.size(), 2 * topology->link_count());
    for (const auto& [ends, load] : walked) {
      most = std::max(most, load);
      least = std::min(least, load);
      sum += load;
    }
    EXPECT_EQ(metrics.link_load.max, most);
    EXPECT_EQ(metrics.link_load.min, least);
    EXPECT_DOUBLE_EQ(metrics.average_dilation,
                     static_cast<double>(sum) / static_cast<double>(dimensions * map.size()));
  }
}

TEST(CcRecurrence, CountsEachWayOfATable) {
  const SharedTopology ring = roundabout_ring();
  ASSERT_EQ(ring->distance(NodeId{0}, NodeId{1}), 7U);
  ASSERT_EQ(ring->distance(NodeId{1}, NodeId{0}), 1U);
  const std::vector<NodeId> map{NodeId{0}, NodeId{1}};
  const auto cc = predict_cc(*ring, map, Ticks{10}, Ticks{1}, Ticks{0});
  EXPECT_EQ(cc.finish, (std::vector<Ticks>{Ticks{11}, Ticks{17}}));
}

}  // namespace
}  // namespace dcube
