// What every topology promises, checked over all pairs of nodes: the example of each catalogue
// entry, and families of small machines with odd, even and degenerate sides.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "families.hpp"
#include "support/plain/paths.hpp"

namespace dcube {
namespace {

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
