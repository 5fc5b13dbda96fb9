// Networks of platforms: the links that a route crosses are those of the platform, in its order,
// and form a path; directions share a link; buses, hosts on the way, and what is refused.

#include "dcube/topology/platform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

using Route = std::vector<std::string>;

/// Builds platforms by names. A route holds both ways unless the other is given, too.
class Builder {
 public:
  explicit Builder(std::vector<std::string> hosts) : hosts_{std::move(hosts)} {
    for (const std::string& host : hosts_) {
      platform_.hosts.push_back({host, 1e9, {}});
    }
  }

  Builder& link(const std::string& name, double latency_s = 1e-6, double rate = 1e9,
                bool never_queues = false) {
    numbers_[name] = static_cast<std::uint32_t>(platform_.links.size());
    platform_.links.push_back({name, latency_s, rate, never_queues});
    return *this;
  }
  Builder& links(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      link(name);
    }
    return *this;
  }
  Builder& one_way(const std::string& from, const std::string& to, Route route) {
    routes_[{from, to}] = std::move(route);
    return *this;
  }
  Builder& both_ways(const std::string& from, const std::string& to, Route route) {
    one_way(from, to, route);
    std::ranges::reverse(route);
    return one_way(to, from, std::move(route));
  }

  Platform build() const {
    Platform platform = platform_;
    for (const std::string& from : hosts_) {
      for (const std::string& to : hosts_) {
        const auto found = routes_.find({from, to});
        const Route route = found == routes_.end() ? Route{} : found->second;
        platform.lengths.push_back(static_cast<std::uint32_t>(route.size()));
        for (const std::string& name : route) {
          platform.routes.push_back(numbers_.at(name));
        }
      }
    }
    return platform;
  }

 private:
  Platform platform_;
  std::vector<std::string> hosts_;
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::pair<std::string, std::string>, Route> routes_;
};

std::string problem_of(const Platform& platform) {
  try {
    make_platform_network(platform, "x.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Platform's links on a route of the network; connectors have no name.
Route route_of(const Topology& network, std::uint32_t from, std::uint32_t to) {
  Route names;
  NodeId at{from};
  for_each_link(network, NodeId{from}, NodeId{to}, [&](LinkId link) {
    EXPECT_EQ(network.link(link)->from, at);
    at = network.link(link)->to;
    if (const std::string& name = platform_costs(network)->link_names[link.index() / 2];
        !name.empty()) {
      names.push_back(name);
    }
  });
  EXPECT_EQ(at, NodeId{to});
  return names;
}

/// Checks that all routes are those of the platform, and returns the network.
std::unique_ptr<Topology> checked_network(const Platform& platform) {
  std::unique_ptr<Topology> network = make_platform_network(platform, "x.xml");
  const auto hosts = static_cast<std::uint32_t>(platform.hosts.size());
  EXPECT_EQ(network->terminal_count(), hosts);
  std::size_t next = 0;
  for (std::uint32_t pair = 0; pair < hosts * hosts; ++pair) {
    Route expected;
    for (std::uint32_t hop = 0; hop < platform.lengths[pair]; ++hop) {
      expected.push_back(platform.links[platform.routes[next++]].name);
    }
    EXPECT_EQ(route_of(*network, pair / hosts, pair % hosts), expected)
        << pair / hosts << " to " << pair % hosts;
    const auto nodes = network->route(NodeId{pair / hosts}, NodeId{pair % hosts});
    EXPECT_EQ(nodes.size(), network->distance(NodeId{pair / hosts}, NodeId{pair % hosts}) + 1);
    EXPECT_EQ(std::set<NodeId>(nodes.begin(), nodes.end()).size(), nodes.size());
  }
  std::set<std::string> seen;  // each link of the platform is one link
  for (std::uint32_t slot = 0; slot < network->link_slots(); slot += 2) {
    const std::string& name = platform_costs(*network)->link_names[slot / 2];
    EXPECT_TRUE(name.empty() || seen.insert(name).second) << name;
  }
  return network;
}

TEST(Platform, LinksThatMeetAreJoined) {
  const auto network = checked_network(Builder{{"a", "b", "c"}}
                                           .links({"1", "2", "3"})
                                           .both_ways("a", "b", {"1", "2"})
                                           .both_ways("a", "c", {"1", "3"})
                                           .both_ways("b", "c", {"2", "3"})
                                           .build());
  EXPECT_EQ(describe(*network), "simgrid of 3 terminals, 1 switch and 3 links");
  EXPECT_FALSE(network->structure().do_terminals_forward);
  EXPECT_EQ(network->routing(), "simgrid");
  EXPECT_EQ(network->name_of(NodeId{1}), "node 1 (b)");
}

TEST(Platform, RoutesMayPassHosts) {
  const auto network = checked_network(Builder{{"a", "b", "c"}}
                                           .links({"1", "2"})
                                           .both_ways("a", "b", {"1"})
                                           .both_ways("b", "c", {"2"})
                                           .both_ways("a", "c", {"1", "2"})
                                           .build());
  EXPECT_EQ(network->node_count(), 3U);
  EXPECT_TRUE(network->structure().do_terminals_forward);
}

/// A cluster with links up and down, and a backbone.
Platform split_cluster(std::uint32_t hosts, bool has_backbone) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < hosts; ++i) {
    names.push_back("h" + std::to_string(i));
  }
  Builder builder{names};
  for (const std::string& name : names) {
    builder.link(name + "_UP", 5e-5, 1.25e8).link(name + "_DOWN", 5e-5, 1.25e8);
  }
  builder.link("bb", 5e-4, 2.25e9);
  for (const std::string& from : names) {
    for (const std::string& to : names) {
      if (from != to) {
        builder.one_way(from, to,
                        has_backbone ? Route{from + "_UP", "bb", to + "_DOWN"}
                                     : Route{from + "_UP", to + "_DOWN"});
      }
    }
  }
  return builder.build();
}

TEST(Platform, ClusterHasASwitchAndItsBackboneTwo) {
  EXPECT_EQ(describe(*checked_network(split_cluster(5, false))),
            "simgrid of 5 terminals, 1 switch and 10 links");
  const auto bus = checked_network(split_cluster(5, true));
  EXPECT_EQ(describe(*bus), "simgrid of 5 terminals, 2 switches and 11 links");
  const PlatformCosts& costs = *platform_costs(*bus);
  ASSERT_EQ(costs.classes.size(), 2U) << "links of one cost are a class";
  EXPECT_EQ(costs.classes[0].latency, parse_duration("50us"));
  EXPECT_EQ(costs.classes[0].per_byte, parse_time_per_byte("125MBps"));
  EXPECT_EQ(costs.classes[1].per_byte, parse_time_per_byte("2.25GBps"));
  EXPECT_EQ(bus->structure().link_classes, (std::vector<std::string>{"h0_UP", "bb"}));
}

/// All hosts on one wire.
TEST(Platform, BusOfHostsHasConnectors) {
  Builder builder{{"a", "b", "c"}};
  builder.link("wire", 1e-6, 1e9);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"a", "c"}, {"b", "c"}}) {
    builder.both_ways(from, to, {"wire"});
  }
  const auto network = checked_network(builder.build());
  EXPECT_EQ(describe(*network), "simgrid of 3 terminals, 2 switches and 7 links");
  EXPECT_EQ(network->distance(NodeId{0}, NodeId{2}), 3U);
  // The latency of a route is the wire's to the picosecond.
  const PlatformCosts& costs = *platform_costs(*network);
  ExactTime latency;
  for_each_link(*network, NodeId{2}, NodeId{1},
                [&](LinkId link) { latency = latency + costs.links[link.index() / 2].latency; });
  EXPECT_EQ(latency, parse_duration("1us"));
}

/// Links of hosts that both directions share, around a hub that is a link.
TEST(Platform, HubIsCrossedByAllInOneDirection) {
  Builder builder{{"a", "b", "c", "d"}};
  builder.links({"la", "lb", "lc", "ld"}).link("hub");
  for (const std::string from : {"a", "b", "c", "d"}) {
    for (const std::string to : {"a", "b", "c", "d"}) {
      if (from != to) {
        builder.one_way(from, to, {"l" + from, "hub", "l" + to});
      }
    }
  }
  const auto network = checked_network(builder.build());
  std::set<std::uint32_t> numbers;  // of the hub, as directed links
  for (std::uint32_t from = 0; from < 4; ++from) {
    for (std::uint32_t to = 0; to < 4; ++to) {
      for_each_link(*network, NodeId{from}, NodeId{to}, [&](LinkId link) {
        if (platform_costs(*network)->link_names[link.index() / 2] == "hub") {
          numbers.insert(link.index());
        }
      });
    }
  }
  EXPECT_EQ(numbers.size(), 1U);
}

TEST(Platform, RoutesThereAndBackMayDiffer) {
  checked_network(Builder{{"a", "b"}}
                      .links({"1", "2", "3"})
                      .one_way("a", "b", {"1", "2"})
                      .one_way("b", "a", {"3"})
                      .build());
}

TEST(Platform, RefusesWhatNoNetworkIs) {
  EXPECT_EQ(problem_of(Builder{{"a"}}.build()), "x.xml: 1 host (a network has two or more)");
  EXPECT_EQ(problem_of(Builder{{"a", "b"}}.build()),
            "x.xml: no links lead from a to b (every two hosts of a machine need some)");
  EXPECT_EQ(problem_of(Builder{{"a", "b"}}.link("1", 1e-6, 0).both_ways("a", "b", {"1"}).build()),
            "x.xml: the link 1 has a latency of 1e-06 s and 0 bytes/s (0 to 9e6 s, and more than "
            "0)");
  EXPECT_EQ(problem_of(
                Builder{{"a", "b"}}.links({"1", "2"}).both_ways("a", "b", {"1", "2", "1"}).build()),
            "x.xml: the route from a to b comes twice to one place");
}

/// Routes in which b and c, and the ends of 4, would be one place.
TEST(Platform, LinksAreApartWherePlacesWouldBeOne) {
  checked_network(Builder{{"a", "b", "c"}}
                      .links({"1", "2", "3", "4"})
                      .one_way("a", "b", {"1"})
                      .one_way("a", "c", {"1", "2"})
                      .one_way("b", "a", {"3"})
                      .one_way("b", "c", {"2", "4"})
                      .one_way("c", "a", {"4", "3"})
                      .one_way("c", "b", {"4", "1"})
                      .build());
}

TEST(Platform, RoutesGoRoundNoFailures) {
  const std::shared_ptr<const Topology> network = make_platform_network(split_cluster(4, true), "");
  Failures spare;
  spare.spares = {NodeId{1}};
  EXPECT_EQ(with_failures(network, spare)->distance(NodeId{0}, NodeId{2}), 3U);
  Failures host;
  host.nodes = {NodeId{1}};
  EXPECT_EQ(with_failures(network, host)->distance(NodeId{0}, NodeId{2}), 3U);
  for (const Failures& failures : {Failures{.nodes = {NodeId{4}}, .links = {}, .spares = {}},
                                   Failures{.nodes = {}, .links = {LinkId{0}}, .spares = {}}}) {
    EXPECT_THROW(with_failures(network, failures), InputError);
  }
  EXPECT_THROW(with_routing(network, Params::parse("kind=shortest")), InputError);
}

/// Random trees whose links are shared, split or hubs: routes are those of the tree.
TEST(Platform, RandomTreesKeepTheirRoutes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random{seed};
    const auto nodes = static_cast<std::uint32_t>(3 + random() % 10);
    std::vector<std::uint32_t> parent(nodes, 0);
    std::vector<bool> is_split(nodes);
    std::vector<std::string> hosts;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      parent[node] = node == 0 ? 0 : static_cast<std::uint32_t>(random() % node);
      is_split[node] = random() % 2 == 0;
      hosts.push_back("h" + std::to_string(node));
    }
    Builder builder{hosts};
    for (std::uint32_t node = 1; node < nodes; ++node) {
      const std::string name = std::to_string(node);
      if (is_split[node]) {
        builder.link(name + "_UP").link(name + "_DOWN");
      } else {
        builder.link(name);
      }
    }
    const auto way_up = [&](std::uint32_t node) {
      std::vector<std::uint32_t> way;
      for (; node != 0; node = parent[node]) {
        way.push_back(node);
      }
      return way;
    };
    for (std::uint32_t from = 0; from < nodes; ++from) {
      for (std::uint32_t to = 0; to < nodes; ++to) {
        std::vector<std::uint32_t> up = way_up(from);
        std::vector<std::uint32_t> down = way_up(to);
        while (!up.empty() && !down.empty() && up.back() == down.back()) {
          up.pop_back();
          down.pop_back();
        }
        std::ranges::reverse(down);
        Route route;
        for (const std::uint32_t node : up) {
          route.push_back(std::to_string(node) + (is_split[node] ? "_UP" : ""));
        }
        for (const std::uint32_t node : down) {
          route.push_back(std::to_string(node) + (is_split[node] ? "_DOWN" : ""));
        }
        builder.one_way(hosts[from], hosts[to], route);
      }
    }
    const auto network = checked_network(builder.build());
    EXPECT_EQ(network->node_count(), nodes) << "all places of a tree are hosts";
  }
}

}  // namespace
}  // namespace dcube
