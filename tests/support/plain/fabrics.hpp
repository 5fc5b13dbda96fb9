#pragma once

// Networks with switches, constructed plainly from their definitions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/topology/routing.hpp"
#include "dcube/topology/topology.hpp"
#include "support/plain/paths.hpp"

namespace dcube {

using Digits = std::vector<std::uint32_t>;
/// A link: lower end, upper end, class.
using PlainLink = std::tuple<std::uint32_t, std::uint32_t, std::string>;

inline PlainLink plain_link(std::uint32_t a, std::uint32_t b, std::string of) {
  return {std::min(a, b), std::max(a, b), std::move(of)};
}

/// A network as its definition has it.
struct PlainFabric {
  std::uint32_t terminals = 0;
  std::uint32_t nodes = 0;
  std::multiset<PlainLink> links;

  reference::Graph graph() const {
    std::vector<std::set<NodeId>> beside(nodes);
    for (const auto& [a, b, of] : links) {
      beside[a].insert(NodeId{b});
      beside[b].insert(NodeId{a});
    }
    reference::Graph graph;
    for (const std::set<NodeId>& of : beside) {
      graph.emplace_back(of.begin(), of.end());
    }
    return graph;
  }
  std::uint32_t parallel(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(links, [&](const PlainLink& link) {
      return std::get<0>(link) == std::min(a, b) && std::get<1>(link) == std::max(a, b);
    }));
  }
};

inline std::multiset<PlainLink> links_of(const Topology& topology) {
  std::multiset<PlainLink> links;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const Link link = topology.link(LinkId{slot}).value();
    if (LinkId{slot} < topology.reverse(LinkId{slot})) {
      links.insert(
          plain_link(link.from.index(), link.to.index(), topology.class_name(link.dimension)));
    }
  }
  return links;
}

inline std::unique_ptr<Topology> made(const std::string& settings) {
  return make_topology(Params::parse("kind=" + settings));
}

inline std::shared_ptr<const Topology> fabric_with(const std::string& settings,
                                                   const std::string& routing) {
  return with_routing(made(settings), Params::parse("kind=" + routing));
}

/// Loads of all directed links under an all-to-all of terminals: (from, to, parallel) to messages.
using Loads = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t>;

inline Loads loads_of(const Topology& topology) {
  // The parallel number of a link: its place among those with its ends.
  std::map<std::pair<NodeId, NodeId>, std::vector<LinkId>> between;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const Link link = topology.link(LinkId{slot}).value();
    between[{link.from, link.to}].push_back(LinkId{slot});
  }
  Loads loads;
  for (std::uint32_t from = 0; from < topology.terminal_count(); ++from) {
    for (std::uint32_t to = 0; to < topology.terminal_count(); ++to) {
      for_each_link(topology, NodeId{from}, NodeId{to}, [&](LinkId id) {
        const Link link = topology.link(id).value();
        const std::vector<LinkId>& all = between[{link.from, link.to}];
        const auto place = std::ranges::find(all, id) - all.begin();
        ++loads[{link.from.index(), link.to.index(), static_cast<std::uint32_t>(place)}];
      });
    }
  }
  return loads;
}

// --- Fat trees ---

struct PlainTree {
  Digits down;
  Digits up;
  Digits parallel;

  std::size_t height() const { return down.size(); }
  std::string settings() const {
    const auto list = [](const Digits& digits) {
      std::string text;
      for (const std::uint32_t digit : digits) {
        text += (text.empty() ? "" : ",") + std::to_string(digit);
      }
      return "[" + text + "]";
    };
    return fmt::format("fat_tree,down={},up={},parallel={}", list(down), list(up), list(parallel));
  }
  /// Number of values of digit i (from 1) of a node of the level.
  std::uint32_t radix(std::size_t level, std::size_t i) const {
    return i <= level ? up[i - 1] : down[i - 1];
  }
  /// Digits of all nodes of a level, in the order of their numbers: digit 1 counts fastest.
  std::vector<Digits> nodes(std::size_t level) const {
    std::vector<Digits> all{{}};
    for (std::size_t i = height(); i > 0; --i) {
      std::vector<Digits> longer;
      for (const Digits& rest : all) {
        for (std::uint32_t digit = 0; digit < radix(level, i); ++digit) {
          Digits digits{digit};
          digits.insert(digits.end(), rest.begin(), rest.end());
          longer.push_back(digits);
        }
      }
      all = longer;
    }
    // b_1 fastest, .., b_l, then a_(l+1) .. a_h: the order of the loops above.
    return all;
  }
  std::map<std::pair<std::size_t, Digits>, std::uint32_t> numbers() const {
    std::map<std::pair<std::size_t, Digits>, std::uint32_t> numbers;
    for (std::size_t level = 0; level <= height(); ++level) {
      for (const Digits& node : nodes(level)) {
        const auto next = static_cast<std::uint32_t>(numbers.size());
        numbers[{level, node}] = next;
      }
    }
    return numbers;
  }
  PlainFabric fabric() const {
    const auto number = numbers();
    PlainFabric fabric;
    fabric.terminals = static_cast<std::uint32_t>(nodes(0).size());
    fabric.nodes = static_cast<std::uint32_t>(number.size());
    for (std::size_t level = 0; level < height(); ++level) {
      for (const Digits& node : nodes(level)) {
        for (std::uint32_t port = 0; port < up[level]; ++port) {
          Digits parent = node;
          parent[level] = port;
          for (std::uint32_t n = 0; n < parallel[level]; ++n) {
            fabric.links.insert(plain_link(number.at({level, node}), number.at({level + 1, parent}),
                                           fmt::format("level {}", level + 1)));
          }
        }
      }
    }
    return fabric;
  }
  /// Loads of D-Mod-K.
  Loads loads() const {
    const auto number = numbers();
    const std::vector<Digits> terminals = nodes(0);
    Loads loads;
    for (std::uint32_t s = 0; s < terminals.size(); ++s) {
      for (std::uint32_t d = 0; d < terminals.size(); ++d) {
        std::size_t turn = height();
        while (turn > 0 && terminals[s][turn - 1] == terminals[d][turn - 1]) {
          --turn;
        }
        Digits at = terminals[s];
        std::vector<std::pair<std::uint32_t, std::uint32_t>> way{{s, 0}};  // node, parallel link
        std::vector<std::uint32_t> ports;
        std::vector<std::uint32_t> planes;
        std::uint32_t product = 1;
        for (std::size_t level = 0; level < turn; ++level) {
          ports.push_back(d / product % up[level]);
          product *= up[level];
          planes.push_back(d / product % parallel[level]);
          at[level] = ports.back();
          way.emplace_back(number.at({level + 1, at}), planes.back());
        }
        for (std::size_t level = turn; level > 0; --level) {
          at[level - 1] = terminals[d][level - 1];
          way.emplace_back(number.at({level - 1, at}), planes[level - 1]);
        }
        for (std::size_t hop = 1; hop < way.size(); ++hop) {
          ++loads[{way[hop - 1].first, way[hop].first, way[hop].second}];
        }
      }
    }
    return loads;
  }
};

inline const std::vector<PlainTree> trees{{{4, 3}, {1, 2}, {1, 1}},
                                          {{3, 4}, {2, 3}, {1, 2}},
                                          {{4, 4, 2}, {1, 2, 4}, {1, 1, 1}},
                                          {{2, 3, 4}, {2, 2, 1}, {2, 1, 3}},
                                          {{2, 2, 2, 3}, {1, 2, 2, 2}, {1, 1, 1, 1}},
                                          {{3, 2, 2, 2}, {2, 1, 3, 2}, {1, 2, 1, 2}}};

// --- Dragonflies ---

struct PlainDragonfly {
  std::uint32_t p;
  std::uint32_t leaves;
  std::uint32_t spines;  ///< 0: a plain dragonfly, whose routers are leaves and spines at once
  std::uint32_t h;
  std::uint32_t g;
  std::string arrangement;
  std::uint32_t rows = 0;  ///< of routers that are linked in rows and columns; 0: all are linked
  std::uint32_t columns = 0;

  std::uint32_t routers() const { return leaves + spines; }
  std::uint32_t first_gateway() const { return spines == 0 ? 0 : leaves; }
  std::uint32_t ports() const { return (spines == 0 ? leaves : spines) * h; }
  std::string settings() const {
    return (spines == 0
                ? fmt::format("dragonfly,p={},a={},h={},g={},arrangement={}", p, leaves, h, g,
                              arrangement) +
                      (rows == 0 ? "" : fmt::format(",local=[{},{}]", rows, columns))
                : fmt::format("dragonfly_plus,p={},leaves={},spines={},h={},g={},arrangement={}", p,
                              leaves, spines, h, g, arrangement));
  }
  std::uint32_t terminals() const { return p * leaves * g; }
  std::uint32_t router(std::uint32_t group, std::uint32_t number) const {
    return terminals() + group * routers() + number;
  }
  bool are_linked(std::uint32_t a, std::uint32_t b) const {
    if (spines != 0) {
      return (a < leaves) != (b < leaves);
    }
    return a != b && (rows == 0 || a / columns == b / columns || a % columns == b % columns);
  }
  std::uint32_t led_to(std::uint32_t i, std::uint32_t port) const {
    const auto k = static_cast<std::int64_t>(port % (g - 1));
    const std::int64_t n = g;
    if (arrangement == "absolute") {
      return static_cast<std::uint32_t>(k < i ? k : k + 1);
    }
    const std::int64_t offset = arrangement == "relative" ? k + 1
                                : k % 2 == 0              ? k / 2 + 1
                                                          : -(k + 1) / 2;
    return static_cast<std::uint32_t>(((i + offset) % n + n) % n);
  }
  /// Gateways of each group's links to another, in the order of ports.
  std::vector<std::uint32_t> gateways(std::uint32_t i, std::uint32_t to) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t port = 0; port < ports(); ++port) {
      if (led_to(i, port) == to && found.size() < ports() / (g - 1)) {
        found.push_back(first_gateway() + port / h);
      }
    }
    return found;
  }
  PlainFabric fabric() const {
    PlainFabric fabric;
    fabric.terminals = terminals();
    fabric.nodes = terminals() + g * routers();
    for (std::uint32_t t = 0; t < terminals(); ++t) {
      fabric.links.insert(plain_link(t, router(t / p / leaves, t / p % leaves), "terminal"));
    }
    for (std::uint32_t i = 0; i < g; ++i) {
      for (std::uint32_t a = 0; a < routers(); ++a) {
        for (std::uint32_t b = 0; b < a; ++b) {
          if (are_linked(a, b)) {
            fabric.links.insert(plain_link(router(i, a), router(i, b), "local"));
          }
        }
      }
      for (std::uint32_t k = 0; k < i; ++k) {
        const std::vector<std::uint32_t> here = gateways(i, k);
        const std::vector<std::uint32_t> there = gateways(k, i);
        EXPECT_EQ(here.size(), ports() / (g - 1));
        for (std::size_t n = 0; n < here.size(); ++n) {
          fabric.links.insert(plain_link(router(i, here[n]), router(k, there.at(n)), "global"));
        }
      }
    }
    return fabric;
  }
  void go_local(std::vector<std::uint32_t>& way, std::uint32_t group, std::uint32_t from,
                std::uint32_t to) const {
    if (from != to && !are_linked(from, to)) {
      for (std::uint32_t over = 0; over < routers(); ++over) {
        if (are_linked(from, over) && are_linked(over, to)) {
          way.push_back(router(group, over));
          break;
        }
      }
    }
    if (from != to) {
      way.push_back(router(group, to));
    }
  }
  /// Goes on, minimally, from the router that a way has reached to another one.
  void go(std::vector<std::uint32_t>& way, std::uint32_t to) const {
    const std::uint32_t i = (way.back() - terminals()) / routers();
    const std::uint32_t k = (to - terminals()) / routers();
    std::uint32_t at = (way.back() - terminals()) % routers();
    if (i != k) {
      go_local(way, i, at, gateways(i, k).front());
      at = gateways(k, i).front();
      way.push_back(router(k, at));
    }
    go_local(way, k, at, (to - terminals()) % routers());
  }
  std::uint32_t group_of(std::uint32_t terminal) const { return terminal / p / leaves; }
  std::uint32_t router_of(std::uint32_t terminal) const {
    return router(group_of(terminal), terminal / p % leaves);
  }
  /// Nodes of the minimal way between terminals.
  std::vector<std::uint32_t> way(std::uint32_t s, std::uint32_t d) const {
    if (s == d) {
      return {s};
    }
    std::vector<std::uint32_t> way{s, router_of(s)};
    go(way, router_of(d));
    way.push_back(d);
    return way;
  }
};

inline const std::vector<PlainDragonfly> dragonflies{
    {2, 4, 0, 2, 9, "absolute"},       {2, 4, 0, 2, 9, "relative"},
    {2, 4, 0, 2, 9, "circulant"},      {1, 3, 0, 1, 4, "circulant"},
    {1, 4, 0, 2, 5, "absolute"},       {2, 4, 0, 2, 4, "relative"},
    {1, 4, 0, 2, 3, "circulant"},      {1, 4, 0, 3, 6, "circulant"},
    {1, 6, 0, 2, 7, "absolute", 2, 3}, {2, 6, 0, 1, 6, "relative", 3, 2},
    {2, 3, 2, 2, 5, "absolute", 0, 0}, {1, 2, 4, 1, 4, "relative", 0, 0},
    {2, 2, 3, 2, 4, "circulant", 0, 0}};

// --- Others ---

inline std::uint32_t power(std::uint64_t base, std::uint32_t exponent, std::uint32_t q) {
  std::uint64_t result = 1;
  while (exponent-- > 0) {
    result = result * base % q;
  }
  return static_cast<std::uint32_t>(result);
}

inline void add_terminals(PlainFabric& fabric, std::uint32_t routers, std::uint32_t p) {
  fabric.terminals = routers * p;
  fabric.nodes = fabric.terminals + routers;
  for (std::uint32_t t = 0; t < fabric.terminals; ++t) {
    fabric.links.insert(plain_link(t, fabric.terminals + t / p, "terminal"));
  }
}

inline PlainFabric plain_slim_fly(std::uint32_t q, std::uint32_t p) {
  std::uint32_t root = 2;
  const auto order = [&] {
    std::uint32_t n = 1;
    while (power(root, n, q) != 1) {
      ++n;
    }
    return n;
  };
  while (order() != q - 1) {
    ++root;
  }
  std::set<std::uint32_t> first;
  std::set<std::uint32_t> second;
  if (q % 4 == 1) {
    for (std::uint32_t n = 0; n <= q - 3; n += 2) {
      first.insert(power(root, n, q));
      second.insert(power(root, n + 1, q));
    }
  } else {
    const std::uint32_t w = (q + 1) / 4;
    for (std::uint32_t n = 0; n <= 2 * w - 2; n += 2) {
      first.insert(power(root, n, q));
    }
    for (std::uint32_t n = 2 * w - 1; n <= 4 * w - 3; n += 2) {
      first.insert(power(root, n, q));
    }
    for (const std::uint32_t x : first) {
      second.insert(x * root % q);
    }
  }
  PlainFabric fabric;
  add_terminals(fabric, 2 * q * q, p);
  const auto router = [&](std::uint32_t s, std::uint32_t x, std::uint32_t y) {
    return fabric.terminals + s * q * q + x * q + y;
  };
  for (std::uint32_t x = 0; x < q; ++x) {
    for (std::uint32_t y = 0; y < q; ++y) {
      for (std::uint32_t other = 0; other < y; ++other) {
        if (first.contains(y - other)) {
          fabric.links.insert(plain_link(router(0, x, y), router(0, x, other), "local"));
        }
        if (second.contains(y - other)) {
          fabric.links.insert(plain_link(router(1, x, y), router(1, x, other), "local"));
        }
      }
      for (std::uint32_t m = 0; m < q; ++m) {
        for (std::uint32_t c = 0; c < q; ++c) {
          if (y == (m * x + c) % q) {
            fabric.links.insert(plain_link(router(0, x, y), router(1, m, c), "global"));
          }
        }
      }
    }
  }
  return fabric;
}

inline PlainFabric plain_polarfly(std::uint32_t q, std::uint32_t p) {
  std::vector<std::array<std::uint32_t, 3>> points;
  for (std::uint32_t y = 0; y < q; ++y) {
    for (std::uint32_t z = 0; z < q; ++z) {
      points.push_back({1, y, z});
    }
  }
  for (std::uint32_t z = 0; z < q; ++z) {
    points.push_back({0, 1, z});
  }
  points.push_back({0, 0, 1});
  PlainFabric fabric;
  add_terminals(fabric, static_cast<std::uint32_t>(points.size()), p);
  for (std::uint32_t a = 0; a < points.size(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      const auto& [x, y, z] = points[a];
      if ((x * points[b][0] + y * points[b][1] + z * points[b][2]) % q == 0) {
        fabric.links.insert(plain_link(fabric.terminals + a, fabric.terminals + b, "fabric"));
      }
    }
  }
  return fabric;
}

inline PlainFabric plain_hyperx(const Digits& shape, const Digits& width, std::uint32_t p) {
  std::uint32_t routers = 1;
  for (const std::uint32_t side : shape) {
    routers *= side;
  }
  PlainFabric fabric;
  add_terminals(fabric, routers, p);
  for (std::uint32_t a = 0; a < routers; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      std::vector<std::size_t> differing;
      std::uint32_t stride = 1;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (a / stride % shape[d] != b / stride % shape[d]) {
          differing.push_back(d);
        }
        stride *= shape[d];
      }
      for (std::uint32_t n = 0; differing.size() == 1 && n < width[differing.front()]; ++n) {
        fabric.links.insert(plain_link(fabric.terminals + a, fabric.terminals + b,
                                       fmt::format("dimension {}", differing.front())));
      }
    }
  }
  return fabric;
}

struct NamedFabric {
  std::string settings;
  PlainFabric fabric;
};

inline std::vector<NamedFabric> all_fabrics() {
  std::vector<NamedFabric> fabrics;
  for (const PlainTree& tree : trees) {
    fabrics.push_back({tree.settings(), tree.fabric()});
  }
  for (const PlainDragonfly& dragonfly : dragonflies) {
    fabrics.push_back({dragonfly.settings(), dragonfly.fabric()});
  }
  for (const std::uint32_t q : {5U, 7U, 11U, 13U}) {
    fabrics.push_back({fmt::format("slim_fly,q={}", q), plain_slim_fly(q, 1)});
  }
  fabrics.push_back({"slim_fly,q=5,p=3", plain_slim_fly(5, 3)});
  for (const std::uint32_t q : {2U, 3U, 5U, 7U}) {
    fabrics.push_back({fmt::format("polarfly,q={},p=2", q), plain_polarfly(q, 2)});
  }
  fabrics.push_back({"hyperx,shape=4x3,p=2", plain_hyperx({4, 3}, {1, 1}, 2)});
  fabrics.push_back({"hyperx,shape=2x3x4,width=[3,1,2]", plain_hyperx({2, 3, 4}, {3, 1, 2}, 1)});
  return fabrics;
}

}  // namespace dcube
