#include "dcube/topology/with_host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/run_tally.hpp"
#include "support/plain/paths.hpp"

namespace dcube {
namespace {

/// A network, where its host computer is joined, and both together.
struct Joined {
  std::string name;
  std::shared_ptr<const Topology> base;
  std::optional<NodeId> attached_to;
  std::unique_ptr<Topology> topology;

  NodeId host() const { return NodeId{base->node_count()}; }
};

/// Calls `law` for small networks, each with the host at one end, in the middle and everywhere.
void for_each_machine(const std::function<void(const Joined&)>& law) {
  for (const char* settings :
       {"kind=line,nodes=1", "kind=line,nodes=5", "kind=ring,nodes=7", "kind=mesh,shape=3x4",
        "kind=torus,shape=4x4x2", "kind=torus,shape=5x2", "kind=hypercube,dimensions=0",
        "kind=hypercube,dimensions=4"}) {
    const std::shared_ptr<const Topology> base = make_topology(Params::parse(settings));
    const std::optional<NodeId> nowhere;
    for (const std::optional<NodeId> node :
         {std::optional{NodeId{0}}, std::optional{NodeId{base->node_count() / 2}}, nowhere}) {
      const std::string name =
          std::string{settings} + (node ? " at " + std::to_string(node->index()) : " at all");
      SCOPED_TRACE(name);
      law({name, base, node, with_host(base, node)});
    }
  }
}

void for_each_pair(const std::function<void(const Joined&, NodeId, NodeId)>& law) {
  for_each_machine([&law](const Joined& machine) {
    for (std::uint32_t from = 0; from < machine.topology->node_count(); ++from) {
      for (std::uint32_t to = 0; to < machine.topology->node_count(); ++to) {
        law(machine, NodeId{from}, NodeId{to});
      }
    }
  });
}

TEST(WithHost, TheHostIsOneMoreNode) {
  for_each_machine([](const Joined& machine) {
    const Topology& topology = *machine.topology;
    const std::uint32_t links = machine.attached_to ? 1 : machine.base->node_count();
    EXPECT_EQ(topology.node_count(), machine.base->node_count() + 1);
    EXPECT_EQ(topology.link_count(), machine.base->link_count() + links);
    EXPECT_EQ(topology.dimension_count(), machine.base->dimension_count() + 1);
    EXPECT_EQ(topology.neighbours(machine.host()).size(), links);
  });
}

TEST(WithHost, NeighboursAreMutualAndAscending) {
  for_each_machine([](const Joined& machine) {
    const reference::Graph graph = reference::graph_of(*machine.topology);
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      EXPECT_TRUE(std::is_sorted(graph[node].begin(), graph[node].end()));
      for (const NodeId other : graph[node]) {
        EXPECT_NE(std::find(graph[other.index()].begin(), graph[other.index()].end(), NodeId{node}),
                  graph[other.index()].end());
      }
    }
  });
}

TEST(WithHost, DistancesOfTheHostAreThoseOfBreadthFirstSearch) {
  for_each_machine([](const Joined& machine) {
    const reference::Graph graph = reference::graph_of(*machine.topology);
    const auto expected = reference::breadth_first_distances(graph, machine.host());
    for (std::uint32_t node = 0; node < graph.size(); ++node) {
      EXPECT_EQ(machine.topology->distance(machine.host(), NodeId{node}), expected[node]);
      EXPECT_EQ(machine.topology->distance(NodeId{node}, machine.host()), expected[node]);
    }
  });
}

TEST(WithHost, OtherRoutesAreThoseOfTheNetwork) {
  for_each_pair([](const Joined& machine, NodeId from, NodeId to) {
    if (from != machine.host() && to != machine.host()) {
      EXPECT_EQ(machine.topology->route(from, to), machine.base->route(from, to));
      EXPECT_EQ(machine.topology->distance(from, to), machine.base->distance(from, to));
      EXPECT_EQ(machine.topology->next_run(from, to), machine.base->next_run(from, to));
    }
  });
}

TEST(WithHost, RoutesWalkTheirRunsAndAreAsLongAsTheDistance) {
  for_each_pair([](const Joined& machine, NodeId from, NodeId to) {
    std::uint32_t hops = 0;
    for (NodeId at = from; at != to && hops <= machine.topology->node_count();) {
      const dcube::Run run = machine.topology->next_run(at, to);
      for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
        const auto step = hop * static_cast<std::uint32_t>(run.stride);
        const Link link = machine.topology->link(LinkId{run.first.index() + step}).value();
        EXPECT_EQ(link.from, at);
        at = link.to;
      }
      EXPECT_EQ(at, run.end);
      hops += run.hops;
    }
    EXPECT_EQ(hops, machine.topology->distance(from, to));
  });
}

TEST(WithHost, RoutesAreMemoryless) {
  for_each_pair([](const Joined& machine, NodeId from, NodeId to) {
    const std::vector<NodeId> route = machine.topology->route(from, to);
    if (route.size() > 1) {
      EXPECT_EQ(machine.topology->route(route[1], to),
                (std::vector<NodeId>{route.begin() + 1, route.end()}));
    }
  });
}

TEST(WithHost, LinksRunBothWaysAndKeepTheirNumbers) {
  for_each_machine([](const Joined& machine) {
    std::vector<std::vector<NodeId>> linked(machine.topology->node_count());
    for (std::uint32_t number = 0; number < machine.topology->link_slots(); ++number) {
      const LinkId id{number};
      const std::optional<Link> link = machine.topology->link(id);
      if (number < machine.base->link_slots()) {
        EXPECT_EQ(link.has_value(), machine.base->link(id).has_value());
      }
      if (link) {
        const Link back = machine.topology->link(machine.topology->reverse(id)).value();
        EXPECT_EQ(back.from, link->to);
        EXPECT_EQ(back.to, link->from);
        EXPECT_EQ(back.dimension, link->dimension);
        EXPECT_EQ(machine.topology->reverse(machine.topology->reverse(id)), id);
        linked[link->from.index()].push_back(link->to);
      }
    }
    for (std::vector<NodeId>& nodes : linked) {
      std::sort(nodes.begin(), nodes.end());
    }
    EXPECT_EQ(linked, reference::graph_of(*machine.topology));
  });
}

TEST(WithHost, DirectionsTileTheLinkNumbersAndNameTheirDimension) {
  for_each_machine([](const Joined& machine) {
    std::uint32_t next = 0;
    std::uint32_t position = 0;
    for (const LinkDirection& direction : machine.topology->link_directions()) {
      EXPECT_EQ(direction.first, LinkId{next});
      EXPECT_EQ(direction.dimension, position++ / 2);
      for (std::uint32_t i = 0; i < direction.count; ++i) {
        const std::optional<Link> link = machine.topology->link(LinkId{next + i});
        EXPECT_TRUE(!link || link->dimension == direction.dimension);
      }
      next += direction.count;
    }
    EXPECT_EQ(next, machine.topology->link_slots());
  });
}

TEST(WithHost, TalliesOfRunsCountEveryLinkOfARoute) {
  for_each_machine([](const Joined& machine) {
    const auto directions = machine.topology->link_directions();
    RunTally<std::uint32_t> tally{*machine.topology};
    std::vector<std::uint32_t> expected(machine.topology->link_slots(), 0);
    for (std::uint32_t node = 0; node < machine.base->node_count(); ++node) {
      for (NodeId at = machine.host(); at != NodeId{node};) {
        const dcube::Run run = machine.topology->next_run(at, NodeId{node});
        std::size_t block = 0;
        while (run.first.index() - directions[block].first.index() >= directions[block].count) {
          ++block;
        }
        tally.add(block, run.first, run.hops, 1);
        for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
          ++expected[run.first.index() + hop * static_cast<std::uint32_t>(run.stride)];
        }
        at = run.end;
      }
    }
    EXPECT_EQ(tally.totals(machine.topology->link_slots()), expected);
  });
}

TEST(WithHost, NodesAndLinksOutsideAreContractViolations) {
  for_each_machine([](const Joined& machine) {
    const NodeId outside{machine.topology->node_count()};
    EXPECT_THROW(machine.topology->neighbours(outside), ContractViolation);
    EXPECT_THROW(machine.topology->distance(NodeId{0}, outside), ContractViolation);
    EXPECT_THROW(machine.topology->next_run(outside, NodeId{0}), ContractViolation);
    EXPECT_THROW(machine.topology->link(LinkId{machine.topology->link_slots()}), ContractViolation);
    EXPECT_THROW(machine.topology->reverse(LinkId{machine.topology->link_slots()}),
                 ContractViolation);
    EXPECT_THROW(with_host(machine.base, machine.host()), ContractViolation);
  });
}

TEST(WithHost, TooManyLinksAreAnInputError) {
  const std::shared_ptr<const Topology> huge =
      make_topology(Params::parse("kind=ring,nodes=2147483000"));
  EXPECT_THROW(with_host(huge, std::nullopt), InputError);
  EXPECT_EQ(with_host(huge, NodeId{5})->distance(NodeId{2147483000}, NodeId{9}), 5U);
}

}  // namespace
}  // namespace dcube
