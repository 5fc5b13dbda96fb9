// What every topology promises, checked over all pairs of nodes: the example of each catalogue
// entry, and families of small machines with odd, even and degenerate sides.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "support/plain/paths.hpp"

namespace dcube {
namespace {

using Machines = std::vector<std::string>;

/// Machines that are checked together.
struct Family {
  std::string name;
  std::function<Machines()> machines;  ///< every test's process lists all families

  friend std::ostream& operator<<(std::ostream& out, const Family& family) {
    return out << family.name;
  }
};

std::vector<Family> catalogue_examples() {
  std::vector<Family> families;
  for (const TopologyKind* kind : topology_catalog()) {
    if (!kind->example.empty()) {  // else it is made from a file
      families.push_back({"Example_" + kind->name,
                          [kind] { return Machines{"kind=" + kind->name + "," + kind->example}; }});
    }
  }
  return families;
}

Machines lines() {
  Machines machines;
  for (int nodes = 1; nodes <= 17; ++nodes) {
    machines.push_back(fmt::format("kind=line,nodes={}", nodes));
  }
  return machines;
}

Machines rings(const std::string& tie) {
  Machines machines;
  for (int nodes = 1; nodes <= 17; ++nodes) {
    machines.push_back(fmt::format("kind=ring,nodes={},tie={}", nodes, tie));
  }
  return machines;
}

Machines hypercubes() {
  Machines machines;
  for (int dimensions = 0; dimensions <= 7; ++dimensions) {
    machines.push_back(fmt::format("kind=hypercube,dimensions={}", dimensions));
  }
  return machines;
}

std::vector<std::string> small_shapes() {
  std::vector<std::string> shapes;
  for (int a = 1; a <= 7; ++a) {
    shapes.push_back(fmt::format("{}", a));
    for (int b = 1; b <= 7; ++b) {
      shapes.push_back(fmt::format("{}x{}", a, b));
    }
  }
  for (const char* shape :
       {"2x2x2", "1x1x1", "3x1x4", "4x4x4", "5x3x2", "2x6x4", "7x3x5", "1x5x1", "4x2x4", "6x6x3",
        "2x3x4x5", "4x4x2x4", "1x2x1x3", "3x3x3x3", "2x2x2x2", "4x1x7x2", "6x2x2x6"}) {
    shapes.emplace_back(shape);
  }
  return shapes;
}

Machines grids(const std::string& settings) {
  Machines machines;
  for (const std::string& shape : small_shapes()) {
    machines.push_back(fmt::format("{},shape={}", settings, shape));
  }
  return machines;
}

Machines twisted_tori() {
  Machines machines;
  for (const char* shape : {"2x4", "4x2", "4x8", "2x2x4", "2x4x2", "4x2x2", "2x4x4", "4x4x4",
                            "4x4x8", "3x6", "3x3x6", "6x3x6", "2x2x2x4", "5x10"}) {
    machines.push_back(fmt::format("kind=twisted_torus,shape={}", shape));
  }
  for (const char* settings :
       {"shape=4x6,twist=[[0,3],[0,0]]", "shape=5x4,twist=[[0,0],[2,0]]",
        "shape=2x5,twist=[[0,2],[0,0]]", "shape=3x4x5,twist=[[0,2,3],[0,0,0],[0,0,0]]",
        "shape=3x4x5,twist=[[0,0,2],[0,0,4],[0,0,0]]", "shape=1x4,twist=[[0,0],[0,0]]",
        "shape=4x5,twist=[[0,3],[0,0]]", "shape=7x3x2,twist=[[0,0,0],[3,0,0],[2,0,0]]",
        "shape=6,twist=[[0]]", "shape=3x1x4,twist=[[0,0,2],[0,0,0],[0,0,0]]"}) {
    machines.push_back(fmt::format("kind=twisted_torus,{}", settings));
  }
  return machines;
}

Machines partial_tori() {
  Machines machines;
  for (const char* settings :
       {"shape=4x5,wrap=[true,false]", "shape=4x5,wrap=[false,true]",
        "shape=3x4x5,wrap=[false,true,false]", "shape=4x4x2x3x2,wrap=[true,true,true,true,false]",
        "shape=4x4,wrap=[false,false]"}) {
    machines.push_back(fmt::format("kind=torus,{}", settings));
  }
  return machines;
}

Machines folded_grids() {
  Machines machines;
  for (const char* settings : {"torus,shape=[[2,2],4]", "torus,shape=2*3*2x3*2",
                               "torus,shape=3*3x4,wrap=[true,false,true]", "mesh,shape=3*3x2*2",
                               "torus,shape=[[2,4],[5,2]],tie=positive"}) {
    machines.push_back(fmt::format("kind={}", settings));
  }
  return machines;
}

Machines graphs() {
  return {"kind=graph,edges=[[0,1]]", "kind=graph,edges=[[0,1],[1,2],[2,0]]",
          "kind=graph,edges=[[3,0],[3,1],[3,2],[4,3],[4,5],[5,6],[6,0]]",
          "kind=graph,edges=[[0,1],[0,2],[0,3],[1,2],[1,3],[2,3],[3,4],[4,5],[5,6],[6,7],[7,0]]",
          "kind=graph,edges=[[0,1,a],[1,2],[2,3,b],[3,0,a],[1,3],[3,4,b]]"};
}

Machines fabrics() {
  Machines machines;
  for (const char* const settings :
       {"fat_tree,down=[4],up=[1]",
        "fat_tree,down=[3,2],up=[1,2]",
        "fat_tree,down=[2,3],up=[2,1]",
        "fat_tree,down=[2,2,3],up=[1,2,2],parallel=[1,1,2]",
        "fat_tree,down=[2,2,2,2],up=[2,1,2,3],parallel=[2,1,1,1]",
        "fat_tree,k=4",
        "fat_tree,down=[1],up=[1]",
        "dragonfly,p=1,a=1,h=1",
        "dragonfly,p=2,a=4,h=2",
        "dragonfly,p=1,a=4,h=2,g=4,arrangement=relative",
        "dragonfly,p=2,a=3,h=2,arrangement=circulant",
        "dragonfly,p=2,a=3,h=1,g=1",
        "dragonfly,p=1,a=6,h=1,local=[2,3],g=5",
        "dragonfly_plus,p=2,leaves=3,spines=2,h=2",
        "dragonfly_plus,p=1,leaves=2,spines=3,h=1,g=3,arrangement=circulant",
        "hyperx,shape=3x4,p=2",
        "hyperx,shape=2x3x2,width=[2,1,3]",
        "hyperx,shape=1x3",
        "slim_fly,q=5",
        "slim_fly,q=7",
        "polarfly,q=2",
        "polarfly,q=3,p=2",
        "polarfly,q=5",
        "jellyfish,routers=12,degree=3,seed=4,p=2",
        "jellyfish,routers=6,degree=5",
        "jellyfish,routers=9,degree=6,seed=1",
        "blocks,blocks=[switch:4,switch:3]",
        "blocks,blocks=[full:3,ring:5,line:2]",
        "blocks,blocks=[switch:3,fat_tree:2x3/1x2]",
        "blocks,blocks=[ring:2,switch:1,full:4]"}) {
    machines.push_back(fmt::format("kind={}", settings));
  }
  return machines;
}

std::vector<Family> all_families() {
  std::vector<Family> families = catalogue_examples();
  const std::initializer_list<Family> more{
      {"Lines", lines},
      {"Rings", [] { return rings("no_wrap"); }},
      {"RingsTiePositive", [] { return rings("positive"); }},
      {"Meshes", [] { return grids("kind=mesh"); }},
      {"Tori", [] { return grids("kind=torus"); }},
      {"ToriTiePositive", [] { return grids("kind=torus,tie=positive"); }},
      {"Hypercubes", hypercubes},
      {"TwistedTori", twisted_tori},
      {"PartialTori", partial_tori},
      {"FoldedGrids", folded_grids},
      {"Graphs", graphs},
      {"Fabrics", fabrics}};
  families.insert(families.end(), more);
  return families;
}

/// Whether links form straight lines.
bool has_lines(const Topology& topology) { return topology.link_directions().front().stride != 0; }

class TopologyLaws : public ::testing::TestWithParam<Family> {
 protected:
  template <class Law>
  void for_each_machine(Law law) {
    for (const std::string& machine : GetParam().machines()) {
      SCOPED_TRACE(machine);
      law(*make_topology(Params::parse(machine)));
    }
  }

  /// Calls `law(topology, from, to)` for all ordered pairs of nodes.
  template <class Law>
  void for_each_pair(Law law) {
    for_each_machine([&law](const Topology& topology) {
      for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
        for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
          if (!topology.reaches(NodeId{from}, NodeId{to})) {
            continue;  // switches with nothing but terminals between them
          }
          law(topology, NodeId{from}, NodeId{to});
          if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "on the way from " << from << " to " << to;
            return;
          }
        }
      }
    });
  }

  /// Calls `law(topology, link, ends)` for every link number in use.
  template <class Law>
  void for_each_link(Law law) {
    for_each_machine([&law](const Topology& topology) {
      for (std::uint32_t link = 0; link < topology.link_slots(); ++link) {
        if (const std::optional<Link> ends = topology.link(LinkId{link})) {
          law(topology, LinkId{link}, *ends);
        }
      }
    });
  }
};

LinkId nth_link(const dcube::Run& run, std::uint32_t hop) {
  return LinkId{run.first.index() + hop * static_cast<std::uint32_t>(run.stride)};
}

/// The links of a route, walked by runs as the network walks them.
std::vector<Link> links_of_route(const Topology& topology, NodeId from, NodeId to) {
  std::vector<Link> links;
  while (from != to && links.size() <= topology.node_count()) {
    const dcube::Run run = topology.next_run(from, to);
    for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
      links.push_back(topology.link(nth_link(run, hop)).value());
    }
    from = run.end;
  }
  return links;
}

bool is_neighbour(const Topology& topology, NodeId node, NodeId other) {
  const std::vector<NodeId> neighbours = topology.neighbours(node);
  return std::binary_search(neighbours.begin(), neighbours.end(), other);
}

TEST_P(TopologyLaws, TerminalsAreTheProductOfTheShape) {
  for_each_machine([](const Topology& topology) {
    std::uint32_t product = 1;
    for (const std::uint32_t side : topology.shape()) {
      product *= side;
    }
    EXPECT_EQ(topology.terminal_count(), product);
  });
}

TEST_P(TopologyLaws, HasTheStructureThatItClaims) {
  for_each_machine([](const Topology& topology) {
    const std::vector<Structure::Line>& lines = topology.structure().lines;
    EXPECT_TRUE(lines.empty() || lines.size() == topology.dimension_count());
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      std::set<NodeId> beside;
      std::uint32_t stride = 1;
      for (std::size_t d = 0; d < lines.size(); ++d) {
        const std::uint32_t side = topology.shape()[d];
        const std::uint32_t at = node / stride % side;
        if (at + 1 < side) {
          beside.insert(NodeId{node + stride});
        }
        if (at > 0) {
          beside.insert(NodeId{node - stride});
        }
        if (is_cycle(topology, d) && (at == 0 || at + 1 == side)) {
          beside.insert(NodeId{node + (side - 1 - 2 * at) * stride});  // modulo 2^32
        }
        stride *= side;
      }
      const std::vector<NodeId> neighbours = topology.neighbours(NodeId{node});
      EXPECT_TRUE(std::ranges::includes(neighbours, beside));
      EXPECT_TRUE(!has_coordinates(topology) || neighbours.size() == beside.size());
    }
  });
}

TEST_P(TopologyLaws, NodesThatAreAlikeSeeTheSameDistances) {
  for_each_machine([](const Topology& topology) {
    const auto seen_from = [&](std::uint32_t node) {
      std::vector<std::uint32_t> distances;
      for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
        distances.push_back(topology.distance(NodeId{node}, NodeId{to}));
      }
      std::ranges::sort(distances);
      return distances;
    };
    for (std::uint32_t node = 1; node < topology.node_count(); ++node) {
      EXPECT_TRUE(!topology.structure().are_nodes_alike || seen_from(node) == seen_from(0));
    }
  });
}

TEST_P(TopologyLaws, NeighboursAreMutualAscendingAndOthers) {
  for_each_machine([](const Topology& topology) {
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      const std::vector<NodeId> neighbours = topology.neighbours(NodeId{node});
      EXPECT_TRUE(std::is_sorted(neighbours.begin(), neighbours.end()));
      EXPECT_EQ(std::adjacent_find(neighbours.begin(), neighbours.end()), neighbours.end());
      for (const NodeId neighbour : neighbours) {
        EXPECT_NE(neighbour, NodeId{node});
        EXPECT_TRUE(is_neighbour(topology, neighbour, NodeId{node}));
      }
    }
  });
}

TEST_P(TopologyLaws, DistancesAreThoseOfBreadthFirstSearch) {
  for_each_machine([](const Topology& topology) {
    const reference::Graph graph = reference::graph_of(topology);
    for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
      std::vector<std::uint32_t> distances;
      for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
        distances.push_back(topology.distance(NodeId{from}, NodeId{to}));
      }
      const std::vector<std::uint32_t> shortest =
          reference::breadth_first_distances(graph, NodeId{from}, topology.first_forwarder());
      if (topology.structure().are_routes_shortest) {
        EXPECT_EQ(distances, shortest) << from;
      }
      for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
        EXPECT_GE(distances[to], shortest[to]) << from << " to " << to;
        EXPECT_EQ(topology.reaches(NodeId{from}, NodeId{to}),
                  shortest[to] != std::numeric_limits<std::uint32_t>::max());
      }
    }
  });
}

TEST_P(TopologyLaws, RoutesUseLinksAndEndWhereAsked) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    const std::vector<NodeId> route = topology.route(from, to);
    EXPECT_EQ(route.front(), from);
    EXPECT_EQ(route.back(), to);
    EXPECT_EQ(route.size(), std::size_t{topology.distance(from, to)} + 1);
    for (std::size_t hop = 1; hop < route.size(); ++hop) {
      EXPECT_TRUE(is_neighbour(topology, route[hop - 1], route[hop]));
    }
  });
}

TEST_P(TopologyLaws, RunsWalkTheLinksOfTheRoute) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    std::vector<NodeId> visited{from};
    for (const Link& link : links_of_route(topology, from, to)) {
      EXPECT_EQ(link.from, visited.back());
      visited.push_back(link.to);
    }
    EXPECT_EQ(visited, topology.route(from, to));
  });
}

TEST_P(TopologyLaws, RunIsEmptyOnlyAtTheDestination) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    const dcube::Run run = topology.next_run(from, to);
    EXPECT_EQ(run.hops == 0, from == to);
    if (from == to) {
      EXPECT_EQ(run.end, to);
    } else {
      EXPECT_EQ(topology.link(nth_link(run, run.hops - 1)).value().to, run.end);
    }
  });
}

TEST_P(TopologyLaws, RunsAreAsLongAsTheyGo) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    for (NodeId at = from; at != to;) {
      const dcube::Run run = topology.next_run(at, to);
      const dcube::Run next = topology.next_run(run.end, to);
      EXPECT_FALSE(next.hops > 0 && next.first == nth_link(run, run.hops)) << "could go on";
      at = run.end;
    }
  });
}

TEST_P(TopologyLaws, RoutesAreMemoryless) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    const std::vector<NodeId> route = topology.route(from, to);
    if (route.size() > 1) {
      EXPECT_EQ(topology.route(route[1], to), std::vector<NodeId>(route.begin() + 1, route.end()));
    }
  });
}

TEST_P(TopologyLaws, RoutesGoThroughTheDimensionsInOrder) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    const std::vector<Link> links = links_of_route(topology, from, to);
    if (!topology.structure().link_classes.empty()) {
      return;
    }
    EXPECT_TRUE(std::is_sorted(links.begin(), links.end(), [](const Link& a, const Link& b) {
      return a.dimension < b.dimension;
    }));
  });
}

TEST_P(TopologyLaws, LinksJoinNeighbours) {
  for_each_link([](const Topology& topology, LinkId, const Link& ends) {
    EXPECT_TRUE(is_neighbour(topology, ends.from, ends.to));
    EXPECT_LT(ends.dimension, topology.class_count());
  });
}

TEST_P(TopologyLaws, ReverseLinkGoesBack) {
  for_each_link([](const Topology& topology, LinkId link, const Link& ends) {
    const LinkId back = topology.reverse(link);
    const Link reversed = topology.link(back).value();
    EXPECT_NE(back, link);
    EXPECT_EQ(reversed.from, ends.to);
    EXPECT_EQ(reversed.to, ends.from);
    EXPECT_EQ(reversed.dimension, ends.dimension);
    EXPECT_EQ(topology.reverse(back), link);
  });
}

TEST_P(TopologyLaws, EveryLinkHasOneNumberInEachDirection) {
  for_each_machine([](const Topology& topology) {
    std::vector<std::vector<NodeId>> linked(topology.node_count());
    std::uint64_t in_use = 0;
    for (std::uint32_t number = 0; number < topology.link_slots(); ++number) {
      if (const std::optional<Link> link = topology.link(LinkId{number})) {
        linked[link->from.index()].push_back(link->to);
        ++in_use;
      }
    }
    for (std::vector<NodeId>& nodes : linked) {
      std::sort(nodes.begin(), nodes.end());
    }
    EXPECT_EQ(in_use, 2 * topology.link_count());
    for (std::vector<NodeId>& nodes : linked) {
      if (topology.structure().switches > 0) {  // which parallel links may join
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      }
    }
    EXPECT_EQ(linked, reference::graph_of(topology));
  });
}

TEST_P(TopologyLaws, TerminalsComeBeforeSwitches) {
  for_each_machine([](const Topology& topology) {
    EXPECT_EQ(topology.usable_count(), topology.terminal_count());
    std::set<std::string> names;
    for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
      EXPECT_EQ(topology.is_usable(NodeId{node}), node < topology.terminal_count());
      names.insert(topology.name_of(NodeId{node}));
    }
    EXPECT_EQ(names.size(), topology.node_count());
  });
}

TEST_P(TopologyLaws, PlacesInDrawingsDiffer) {
  for_each_machine([](const Topology& topology) {
    std::set<std::pair<double, double>> places;
    for (const Structure::Place& place : topology.structure().places) {
      places.emplace(place.x, place.y);
    }
    EXPECT_TRUE(places.empty() || places.size() == topology.node_count());
  });
}

TEST_P(TopologyLaws, MessagesPassOnlyNodesThatForward) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    const std::vector<NodeId> route = topology.route(from, to);
    for (std::size_t hop = 1; hop + 1 < route.size(); ++hop) {
      EXPECT_GE(route[hop].index(), topology.first_forwarder());
    }
  });
}

TEST_P(TopologyLaws, LinkDirectionsTileTheLinkNumbers) {
  for_each_machine([](const Topology& topology) {
    const auto directions = topology.link_directions();
    std::uint32_t next = 0;
    if (!topology.shape().empty() && !has_lines(topology)) {
      ASSERT_EQ(directions.size(), topology.class_count());
      for (std::size_t i = 0; i < directions.size(); ++i) {
        EXPECT_EQ(directions[i].first, LinkId{next});
        EXPECT_EQ(directions[i].dimension, i);
        next += directions[i].count;
      }
      EXPECT_EQ(next, topology.link_slots());
      return;
    }
    for (std::size_t i = 0; i < directions.size(); ++i) {
      EXPECT_EQ(directions[i].first, LinkId{next});
      EXPECT_EQ(directions[i].count, topology.node_count());
      EXPECT_EQ(directions[i].dimension, i / 2) << "dimension by dimension";
      EXPECT_EQ(directions[i].stride > 0, i % 2 == 0) << "upwards, then downwards";
      next += directions[i].count;
    }
    EXPECT_EQ(next, topology.link_slots());
  });
}

TEST_P(TopologyLaws, LinkNumbersInADirectionFollowTheNodesTheyLeave) {
  for_each_machine([](const Topology& topology) {
    for (const LinkDirection& direction : topology.link_directions()) {
      for (std::uint32_t node = 0; direction.stride != 0 && node < direction.count; ++node) {
        const std::optional<Link> link = topology.link(LinkId{direction.first.index() + node});
        if (link) {
          EXPECT_EQ(link->from, NodeId{node});
          EXPECT_EQ(link->dimension, direction.dimension);
        }
      }
    }
  });
}

TEST_P(TopologyLaws, RunsKeepToOneDirectionAndItsStride) {
  for_each_pair([](const Topology& topology, NodeId from, NodeId to) {
    const dcube::Run run = topology.next_run(from, to);
    if (run.hops > 0 && !has_lines(topology)) {
      EXPECT_EQ(run.stride, 0);
      EXPECT_EQ(run.hops, 1U);
    } else if (run.hops > 0) {
      const auto direction = topology.link_directions()[run.first.index() / topology.node_count()];
      EXPECT_EQ(run.stride, direction.stride);
      EXPECT_EQ(run.first.index() - direction.first.index(), from.index());
    }
  });
}

TEST_P(TopologyLaws, NodesAndLinksOutsideAreContractViolations) {
  for_each_machine([](const Topology& topology) {
    const NodeId outside{topology.node_count()};
    EXPECT_THROW(topology.neighbours(outside), ContractViolation);
    EXPECT_THROW(topology.distance(NodeId{0}, outside), ContractViolation);
    EXPECT_THROW(topology.next_run(outside, NodeId{0}), ContractViolation);
    EXPECT_THROW(topology.link(LinkId{topology.link_slots()}), ContractViolation);
    EXPECT_THROW(topology.reverse(LinkId{topology.link_slots()}), ContractViolation);
  });
}

INSTANTIATE_TEST_SUITE_P(AllKinds, TopologyLaws, ::testing::ValuesIn(all_families()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace dcube
