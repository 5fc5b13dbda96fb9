#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "fabric.hpp"
#include "places.hpp"

// Dragonflies (Kim, Dally, Scott & Abts 2008): groups of routers, every two groups joined by global
// links. Dragonflies+ (Shpiner et al. 2017) have groups of leaves and spines; terminals are on
// leaves, global links on spines.
//
// Global ports of a group are numbered 0 .. P-1, `h` on each of its gateways. An arrangement
// (Camarero, Vallejo & Beivide 2014) says to which group a port leads; the n-th port of i that
// leads to k is joined with the n-th of k that leads to i. The usual way ("minimal") has at most
// one global link: that of the least port. It reaches and leaves the gateways by local links.

namespace dcube {
namespace {

enum class Arrangement { absolute, relative, circulant };

/// Routers of a group and their local links.
struct Group {
  enum class Kind { full, grid, leaves_and_spines };
  Kind kind = Kind::full;
  std::uint32_t routers = 1;
  std::uint32_t side = 1;      ///< grid: length of a row; else the number of leaves
  std::uint32_t gateways = 1;  ///< routers with global ports, the last ones

  std::uint32_t first_gateway() const { return routers - gateways; }
  bool are_linked(std::uint32_t a, std::uint32_t b) const {
    switch (kind) {
      case Kind::full:
        return a != b;
      case Kind::grid:
        return (a % side == b % side) != (a / side == b / side);
      case Kind::leaves_and_spines:
        return (a < side) != (b < side);
    }
    return false;
  }
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const {
    return a == b ? 0 : are_linked(a, b) ? 1 : 2;
  }
  /// The lowest-numbered router that is a hop nearer to another one.
  std::uint32_t next(std::uint32_t a, std::uint32_t b) const {
    if (are_linked(a, b)) {
      return b;
    }
    if (kind == Kind::grid) {
      return std::min(a / side * side + b % side, b / side * side + a % side);
    }
    return a < side ? side : 0;
  }
};

class Dragonfly final : public Fabric {
 public:
  /// Global ports of P in a group.
  struct Wiring {
    /// [i * (groups - 1) + n]: the least port of group i to the n-th other group
    std::vector<std::uint32_t> least_port;
    std::vector<std::uint32_t> link_of_port;    ///< [i * P + port]
    std::vector<std::uint32_t> gateway_behind;  ///< [i * P + port]: router at the other end
  };

  Dragonfly(std::string_view kind, FabricPlan plan, Group group, std::uint32_t terminals_each,
            std::uint32_t leaves, std::uint32_t groups, std::uint32_t ports_each, Wiring wiring)
      : Fabric{kind, std::move(plan)},
        group_{group},
        terminals_each_{terminals_each},
        leaves_{leaves},
        groups_{groups},
        ports_{group.gateways * ports_each},
        ports_each_{ports_each},
        wiring_{std::move(wiring)} {}

  std::uint32_t group_count() const override { return groups_; }
  std::uint32_t group_of(NodeId node) const override {
    expects(contains(node), "node is on this machine");
    return router_of(node) / group_.routers;
  }
  NodeId entry_of(std::uint32_t group, NodeId from) const override {
    const std::uint32_t here = group_of(from);
    expects(group < groups_ && group != here, "the group is another one of this machine");
    return NodeId{terminal_count() + wiring_.gateway_behind[port_to(here, group)]};
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    if (from == to) {
      return 0;
    }
    const std::uint32_t a = router_of(from);
    const std::uint32_t b = router_of(to);
    const std::uint32_t ends = (is_terminal(from) ? 1 : 0) + (is_terminal(to) ? 1 : 0);
    const std::uint32_t here = a / group_.routers;
    const std::uint32_t there = b / group_.routers;
    if (here == there) {
      return ends + group_.distance(a % group_.routers, b % group_.routers);
    }
    const std::uint32_t port = port_to(here, there);
    const std::uint32_t behind = wiring_.gateway_behind[port];
    return ends + 1 + group_.distance(a % group_.routers, gateway(port)) +
           group_.distance(behind % group_.routers, b % group_.routers);
  }

  bool weighs_usual_ways() const override { return true; }
  bool weighs_shortest_ways() const override { return false; }
  std::uint64_t weight_between(NodeId from, NodeId to,
                               std::span<const std::uint32_t> weights) const override {
    check_ends(from, to);
    if (from == to) {
      return 0;
    }
    const bool is_global = group_of(from) != group_of(to);
    const std::uint64_t local = distance(from, to) - 2 - (is_global ? 1 : 0);
    return 2 * std::uint64_t{weights[0]} + local * weights[1] + (is_global ? weights[2] : 0);
  }

  Run next_run(NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const std::uint32_t a = router_of(at);
    if (is_terminal(at)) {
      return hop(LinkId{2 * at.index()}, terminal_count() + a, 0);
    }
    const std::uint32_t b = router_of(to);
    if (a == b) {
      return hop(LinkId{2 * to.index() + 1}, to.index(), 0);
    }
    const std::uint32_t here = a / group_.routers;
    const std::uint32_t there = b / group_.routers;
    if (here == there) {
      return local_hop(a, b % group_.routers);
    }
    const std::uint32_t port = port_to(here, there);
    if (gateway(port) != a % group_.routers) {
      return local_hop(a, gateway(port));
    }
    return hop(LinkId{wiring_.link_of_port[port]}, terminal_count() + wiring_.gateway_behind[port],
               2);
  }

 private:
  /// Router of a terminal, or a router itself, numbered from 0.
  std::uint32_t router_of(NodeId node) const {
    if (!is_terminal(node)) {
      return node.index() - terminal_count();
    }
    const std::uint32_t leaf = node.index() / terminals_each_;
    return leaves_ == group_.routers ? leaf : leaf / leaves_ * group_.routers + leaf % leaves_;
  }
  /// The least port to another group, counted over all groups.
  std::uint32_t port_to(std::uint32_t here, std::uint32_t there) const {
    return here * ports_ +
           wiring_
               .least_port[std::size_t{here} * (groups_ - 1) + (there < here ? there : there - 1)];
  }
  /// The router of a port in its group.
  std::uint32_t gateway(std::uint32_t port) const {
    return group_.first_gateway() + port % ports_ / ports_each_;
  }
  Run local_hop(std::uint32_t from, std::uint32_t to_in_group) const {
    const std::uint32_t next =
        from / group_.routers * group_.routers + group_.next(from % group_.routers, to_in_group);
    const NodeId end{terminal_count() + next};
    return hop(links().link_between(NodeId{terminal_count() + from}, end).value(), end.index(), 1);
  }

  Group group_;
  std::uint32_t terminals_each_;  ///< of a router with terminals
  std::uint32_t leaves_;          ///< routers of a group with terminals, the first ones
  std::uint32_t groups_;
  std::uint32_t ports_;  ///< global ports of a group
  std::uint32_t ports_each_;
  Wiring wiring_;
};

/// Group, of `groups`, that port `port` of group `i` leads to.
std::uint32_t group_behind(Arrangement arrangement, std::uint32_t i, std::uint32_t port,
                           std::uint32_t groups) {
  const std::uint32_t k = port % (groups - 1);
  switch (arrangement) {
    case Arrangement::absolute:
      return k < i ? k : k + 1;
    case Arrangement::relative:
      return static_cast<std::uint32_t>((std::uint64_t{i} + k + 1) % groups);
    case Arrangement::circulant:
      return static_cast<std::uint32_t>(
          (k % 2 == 0 ? std::uint64_t{i} + k / 2 + 1 : std::uint64_t{i} + groups - (k + 1) / 2) %
          groups);
  }
  return 0;
}

/// Settings that both kinds share.
struct Plan {
  std::uint32_t terminals_each = 1;
  std::uint32_t leaves = 1;
  std::uint32_t ports_each = 1;
  Group group;
};

/// A group in a drawing.
Panel panel_of(const Plan& read) {
  const Group& group = read.group;
  switch (group.kind) {
    case Group::Kind::grid:
      return grid_panel(group.side, group.routers / group.side, read.terminals_each, true);
    case Group::Kind::leaves_and_spines:
      return leaf_panel(read.leaves, group.gateways, read.terminals_each);
    case Group::Kind::full:
      break;
  }
  return arc_panel(group.routers, read.terminals_each);
}

std::unique_ptr<Topology> build(std::string_view kind, const Plan& read, Params details,
                                const Params& params) {
  static const std::array<std::string, 3> names{"absolute", "relative", "circulant"};
  const Group& group = read.group;
  const std::uint64_t all_ports = std::uint64_t{group.gateways} * read.ports_each;
  refuse_if(all_ports >= std::uint64_t{1} << 31, params.place(), "{} global ports are too many",
            all_ports);
  const auto ports = static_cast<std::uint32_t>(all_ports);
  const std::uint32_t groups = params.has("g") ? read_count(params, "g") : ports + 1;
  refuse_if(groups > ports + 1, params.place_of("g"),
            "{} groups are more than the {} global ports of a group reach (at most {})", groups,
            ports, ports + 1);
  const std::string name = params.choice("arrangement", names, names[0]);
  const auto arrangement = static_cast<Arrangement>(std::ranges::find(names, name) - names.begin());
  const std::uint32_t links_each = groups > 1 ? ports / (groups - 1) : 0;

  FabricPlan plan{std::uint64_t{groups} * read.leaves * read.terminals_each,
                  std::uint64_t{groups} * group.routers, params.place()};
  const std::uint32_t first = plan.terminals();
  const auto router = [&](std::uint32_t of, std::uint32_t number) {
    return first + of * group.routers + number;
  };
  plan.begin_class("terminal", first);
  for (std::uint32_t terminal = 0; terminal < first; ++terminal) {
    const std::uint32_t leaf = terminal / read.terminals_each;
    plan.add_link(terminal, router(leaf / read.leaves, leaf % read.leaves));
  }
  std::uint64_t local = 0;
  for (std::uint32_t a = 0; a < group.routers; ++a) {
    for (std::uint32_t b = a + 1; b < group.routers; ++b) {
      local += group.are_linked(a, b) ? 1 : 0;
    }
  }
  plan.begin_class("local", local * groups);
  for (std::uint32_t of = 0; of < groups; ++of) {
    for (std::uint32_t a = 0; a < group.routers; ++a) {
      for (std::uint32_t b = a + 1; b < group.routers; ++b) {
        if (group.are_linked(a, b)) {
          plan.add_link(router(of, a), router(of, b));
        }
      }
    }
  }
  plan.begin_class("global", std::uint64_t{groups} * (groups - 1) / 2 * links_each);
  const std::size_t pairs = groups > 1 ? std::size_t{groups} * (groups - 1) : 0;
  const auto pair = [&](std::uint32_t i, std::uint32_t k) {
    return std::size_t{i} * (groups - 1) + (k < i ? k : k - 1);
  };
  // [pair]: its ports, in order
  std::vector<std::uint32_t> ports_to(pairs * links_each);
  std::vector<std::uint32_t> found(pairs);
  Dragonfly::Wiring wiring;
  wiring.least_port.resize(pairs);
  wiring.link_of_port.resize(std::size_t{groups} * ports);
  wiring.gateway_behind.resize(std::size_t{groups} * ports);
  for (std::uint32_t i = 0; i < groups && groups > 1; ++i) {
    for (std::uint32_t port = 0; port < ports; ++port) {
      const std::size_t of = pair(i, group_behind(arrangement, i, port, groups));
      if (found[of] < links_each) {
        ports_to[of * links_each + found[of]++] = port;
      }
    }
  }
  for (std::uint32_t i = 0; i < groups; ++i) {
    for (std::uint32_t k = i + 1; k < groups; ++k) {
      for (std::uint32_t n = 0; n < links_each; ++n) {
        const std::array<std::uint32_t, 2> own{ports_to[pair(i, k) * links_each + n],
                                               ports_to[pair(k, i) * links_each + n]};
        const std::array<std::uint32_t, 2> of{i, k};
        for (std::size_t end = 0; end < 2; ++end) {
          const std::size_t port = std::size_t{of[end]} * ports + own[end];
          wiring.link_of_port[port] = plan.next_link() + static_cast<std::uint32_t>(end);
          wiring.gateway_behind[port] =
              of[1 - end] * group.routers + group.first_gateway() + own[1 - end] / read.ports_each;
          if (n == 0) {
            wiring.least_port[pair(of[end], of[1 - end])] = own[end];
          }
        }
        plan.add_link(router(i, group.first_gateway() + own[0] / read.ports_each),
                      router(k, group.first_gateway() + own[1] / read.ports_each));
      }
    }
  }
  if (plan.is_drawn()) {
    plan.structure.places = ring_of(panel_of(read), groups);
  }
  plan.structure.switch_rows = {{NodeId{first}, group.routers, "group", 0}};
  plan.structure.routings = {"minimal", "shortest",         "ecmp", "valiant_group",
                             "ugal",    "minimal_adaptive", "table"};
  plan.structure.are_routes_shortest = false;
  details.set("g", number_setting(groups));
  if (arrangement != Arrangement::absolute) {
    details.set("arrangement", name);
  }
  plan.details = std::move(details);
  return std::make_unique<Dragonfly>(kind, std::move(plan), group, read.terminals_each, read.leaves,
                                     groups, read.ports_each, std::move(wiring));
}

std::unique_ptr<Topology> make_dragonfly(const Params& params) {
  Plan read;
  read.terminals_each = read_count(params, "p");
  read.ports_each = read_count(params, "h");
  read.group.routers = read_count(params, "a");
  constexpr std::uint32_t most_routers = 65536;
  refuse_if(read.group.routers > most_routers, params.place_of("a"),
            "{} routers are too many for a group (at most {})", read.group.routers, most_routers);
  Params details;
  details.set("p", number_setting(read.terminals_each));
  details.set("a", number_setting(read.group.routers));
  details.set("h", number_setting(read.ports_each));
  if (params.has("local")) {
    const std::vector<std::uint32_t> sides =
        params.positive_ints("local", "a number of routers (a positive integer)");
    refuse_if(sides.size() != 2 || std::uint64_t{sides[0]} * sides[1] != read.group.routers,
              params.place_of("local"),
              "{} is no grid of the {} routers of a group (rows, columns)",
              params.find("local")->describe(), read.group.routers);
    read.group.kind = Group::Kind::grid;
    read.group.side = sides[1];
    details.set("local", numbers_setting(sides));
  }
  read.group.gateways = read.group.routers;
  read.leaves = read.group.routers;
  return build("dragonfly", read, std::move(details), params);
}

std::unique_ptr<Topology> make_dragonfly_plus(const Params& params) {
  constexpr std::uint32_t most_routers = 65536;
  Plan read;
  read.terminals_each = read_count(params, "p");
  read.ports_each = read_count(params, "h");
  read.leaves = read_count(params, "leaves");
  read.group.gateways = read_count(params, "spines");
  refuse_if(read.leaves > most_routers || read.group.gateways > most_routers, params.place(),
            "more than {} leaves or spines are too many for a group", most_routers);
  read.group.kind = Group::Kind::leaves_and_spines;
  read.group.side = read.leaves;
  read.group.routers = read.leaves + read.group.gateways;
  Params details;
  details.set("p", number_setting(read.terminals_each));
  details.set("leaves", number_setting(read.leaves));
  details.set("spines", number_setting(read.group.gateways));
  details.set("h", number_setting(read.ports_each));
  return build("dragonfly_plus", read, std::move(details), params);
}

const ParameterHelp ports_help{"h", "global ports of a router", ""};
const ParameterHelp groups_help{"g", "groups, at most one more than a group has global ports",
                                "as many as that"};
const ParameterHelp arrangement_help{
    "arrangement", "which group a global port leads to: absolute, relative or circulant",
    "absolute"};

}  // namespace

const TopologyKind dragonfly_kind{
    "dragonfly",
    "groups of routers, every two groups joined by global links",
    "p=2,a=3,h=1",
    {{"p", "terminals of a router", ""},
     {"a", "routers of a group", ""},
     ports_help,
     groups_help,
     arrangement_help,
     {"local", "rows and columns of routers that are linked within: [6, 16]", "all are linked"}},
    make_dragonfly};

const TopologyKind dragonfly_plus_kind{
    "dragonfly_plus",
    "groups of leaves and spines, every two groups joined by links of spines",
    "p=2,leaves=2,spines=2,h=1",
    {{"p", "terminals of a leaf", ""},
     {"leaves", "switches of a group with terminals", ""},
     {"spines", "switches of a group with global ports, linked to all its leaves", ""},
     {"h", "global ports of a spine", ""},
     groups_help,
     arrangement_help},
    make_dragonfly_plus};

}  // namespace dcube
