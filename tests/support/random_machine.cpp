#include "random_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/with_host.hpp"
#include "graph_topology.hpp"
#include "random_costs.hpp"

namespace dcube::testing {

namespace {

/// One of those in the catalogue.
std::string random_grid(Draw& draw) {
  const std::string tie = draw.one_in(2) ? ",tie=positive" : "";
  const auto side = [&draw] { return std::to_string(1 + draw.below(5)); };
  const auto two_sides = [&side] {
    const std::string first = side();
    return first + "x" + side();
  };
  switch (draw.below(8)) {
    case 6:
      return std::string{"kind=twisted_torus,shape="} +
             draw.one_of<const char*, 4>({"2x4", "4x2", "4x8", "2x2x4"});
    case 7: {
      const std::string wrap = draw.one_in(2) ? "true,false" : "false,true";
      return "kind=torus,shape=4x" + side() + ",wrap=[" + wrap + "]";
    }
    case 0:
      return "kind=line,nodes=" + std::to_string(2 + draw.below(15));
    case 1:
      return "kind=ring,nodes=" + std::to_string(2 + draw.below(15)) + tie;
    case 2:
      return "kind=mesh,shape=" + two_sides();
    case 3:
      return "kind=torus,shape=" + two_sides() + tie;
    case 4:
      return "kind=torus,shape=" + two_sides() + "x3" + tie;
    default:
      return "kind=hypercube,dimensions=" + std::to_string(1 + draw.below(5));
  }
}

/// A tree with some links more. Each link's directions are anywhere in a few blocks of up to three
/// dimensions.
std::shared_ptr<const Topology> random_graph(Draw& draw) {
  const std::uint32_t nodes = 2 + draw.below(15);
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t node = 1; node < nodes; ++node) {
    edges.emplace(draw.below(node), node);
  }
  for (std::uint32_t more = draw.below(nodes); more > 0; --more) {
    const std::uint32_t a = draw.below(nodes);
    const std::uint32_t b = draw.below(nodes);
    if (a != b) {
      edges.emplace(std::min(a, b), std::max(a, b));
    }
  }
  std::vector<LinkBlock> blocks(1 + draw.below(4));
  for (LinkBlock& block : blocks) {
    block.dimension = draw.below(3);
  }
  for (const auto& [a, b] : edges) {
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
      std::vector<Link>& links =
          blocks[draw.below(static_cast<std::uint32_t>(blocks.size()))].links;
      const auto place = draw.below(static_cast<std::uint32_t>(links.size()) + 1);
      links.insert(links.begin() + place, Link{NodeId{from}, NodeId{to}});
    }
  }
  return make_graph(nodes, std::move(blocks));
}

/// Terminals and switches, some with routes of their own.
std::shared_ptr<const Topology> random_fabric(Draw& draw, std::string& description) {
  const std::string settings = draw.one_of<const char*, 14>(
      {"fat_tree,down=[3,2],up=[1,2]", "fat_tree,down=[2,2,2],up=[1,2,2],parallel=[1,2,1]",
       "fat_tree,down=[2,3],up=[2,2]", "fat_tree,down=[6],up=[1]", "dragonfly,p=1,a=2,h=1",
       "dragonfly,p=2,a=3,h=1", "dragonfly,p=1,a=4,h=1,local=[2,2],arrangement=circulant",
       "dragonfly,p=1,a=2,h=2,g=3,arrangement=relative", "dragonfly_plus,p=1,leaves=2,spines=2,h=1",
       "hyperx,shape=2x3,width=[2,1],p=2", "polarfly,q=2", "jellyfish,routers=6,degree=3,p=2",
       "blocks,blocks=[switch:3,switch:2]", "blocks,blocks=[full:3,ring:3]"});
  description += settings;
  std::shared_ptr<const Topology> topology = make_topology(Params::parse("kind=" + settings));
  if (topology->group_count() > 0 && draw.one_in(3)) {
    description += ", shortest routes";
    topology = with_routing(std::move(topology), Params::parse("kind=shortest"));
  } else if (draw.one_in(3)) {
    description += ", ecmp";
    topology = with_routing(std::move(topology),
                            Params::parse("kind=ecmp,seed=" + std::to_string(draw.below(3))));
  }
  return topology;
}

std::shared_ptr<const Topology> random_topology(Draw& draw, std::string& description) {
  if (draw.one_in(100)) {
    description += "complete graph";
    return make_complete_graph(130 + draw.below(10));
  }
  if (draw.one_in(4)) {
    return random_fabric(draw, description);
  }
  if (draw.one_in(4)) {
    description += "random graph";
    return random_graph(draw);
  }
  const std::string grid = random_grid(draw);
  description += grid;
  return make_topology(Params::parse(grid));
}

/// Some have shortest routes in place of their own.
std::shared_ptr<const Topology> with_other_routes(Draw& draw,
                                                  std::shared_ptr<const Topology> topology,
                                                  std::string& description) {
  if (!draw.one_in(6)) {
    return topology;
  }
  description += ", shortest routes";
  return with_routing(std::move(topology), Params::parse("kind=shortest"));
}

/// Some have failures. Nodes that are cut off fail, too.
std::shared_ptr<const Topology> with_something_failed(Draw& draw,
                                                      std::shared_ptr<const Topology> topology,
                                                      std::string& description) {
  if (!draw.one_in(6)) {
    return topology;
  }
  Failures failures;
  for (std::uint32_t count = draw.below(4); count > 0; --count) {
    const LinkId link{draw.below(std::max(1U, topology->link_slots()))};
    if (link.index() < topology->link_slots() && topology->link(link)) {
      failures.links.push_back(link);
    }
  }
  if (draw.one_in(2) && topology->node_count() > 2) {
    failures.nodes.emplace_back(draw.below(topology->node_count()));
  }
  for (std::vector<NodeId> cut_off{NodeId{0}}; !cut_off.empty();) {
    cut_off = cut_off_nodes(*with_failures(topology, failures));
    failures.nodes.insert(failures.nodes.end(), cut_off.begin(), cut_off.end());
  }
  description +=
      fmt::format(", {} nodes and {} links failed", failures.nodes.size(), failures.links.size());
  return with_failures(std::move(topology), std::move(failures));
}

/// One in six has a host computer.
std::shared_ptr<const Topology> random_network(Draw& draw, std::string& description) {
  std::shared_ptr<const Topology> topology = random_topology(draw, description);
  topology = with_other_routes(draw, std::move(topology), description);
  topology = with_something_failed(draw, std::move(topology), description);
  if (!draw.one_in(6)) {
    return topology;
  }
  const bool is_joined_to_all = draw.one_in(2);
  NodeId node{draw.below(topology->terminal_count())};
  while (!topology->is_alive(node)) {
    node = NodeId{draw.below(topology->terminal_count())};
  }
  description += is_joined_to_all ? " with host" : " with host at " + std::to_string(node.index());
  return with_host(topology, is_joined_to_all ? std::nullopt : std::optional{node});
}

ExactTime ticks(std::uint32_t count) { return ExactTime{Ticks{count}}; }

Injection random_injection(Draw& draw) {
  const TransferCost cost = random_cost(draw);
  switch (draw.below(4)) {
    case 0:
      return {cost, random_cost(draw)};
    case 1:
      return {cost, std::nullopt};
    case 2:
      return {std::nullopt, cost};
    default:
      return cost;
  }
}

/// Some links, or all of them, cost what no other of their dimension does. Costs are small, so that
/// sums of different costs often meet at one instant.
void override_links(Draw& draw, Machine& machine) {
  const std::uint32_t slots = machine.topology->link_slots();
  const bool is_every_link = draw.one_in(6);
  for (std::uint32_t slot = 0; is_every_link && slot < slots; ++slot) {
    if (machine.topology->link(LinkId{slot})) {
      machine.links.overrides[LinkId{slot}] = {ticks(1 + draw.below(9)), ticks(draw.below(3))};
    }
  }
  for (std::uint32_t count = draw.one_in(3) ? draw.below(9) : 0; count > 0; --count) {
    const LinkId link{draw.below(std::max(1U, slots))};
    if (link.index() < slots && machine.topology->link(link)) {
      machine.links.overrides[link] = random_cost(draw);
    }
  }
}

/// Makes some costs halves or thirds of picoseconds.
void divide_costs(Draw& draw, Machine& machine) {
  const std::int64_t divisor = 2 + draw.below(2);
  const auto divide = [&](ExactTime& time) {
    if (draw.one_in(2)) {
      time = {time.numerator(), time.denominator() * divisor};
    }
  };
  for_each_cost_of_messages(machine, divide);
  for_each_cost_of_collectives(machine.endpoint, divide);
}

/// All costs are whole picoseconds.
Machine machine_of_whole_costs(Draw& draw, Extent extent, std::string& description) {
  Machine machine;
  machine.name = "random";
  machine.topology = random_network(draw, description);
  const bool is_uniform = draw.one_in(2);
  const TransferCost cost = random_cost(draw);
  for (std::uint32_t d = 0; d < machine.topology->class_count(); ++d) {
    machine.links.per_dimension.push_back(is_uniform ? cost : random_cost(draw));
  }
  override_links(draw, machine);
  machine.links.contention = draw.one_in(4) ? Contention::off : Contention::on;
  machine.links.duplex = draw.one_in(3) ? Duplex::half : Duplex::full;
  machine.endpoint = random_endpoint(draw);
  if (draw.one_in(3)) {
    machine.links.injection = random_injection(draw);
    machine.links.interfaces = static_cast<std::uint32_t>(1 + draw.below(3));
  }
  if (extent == Extent::plain) {
    machine.endpoint.eager_limit_bytes.reset();
    return machine;
  }
  if (draw.one_in(2)) {
    machine.node.slots = 1 + draw.below(3);
    machine.node.local = random_cost(draw);
    if (draw.one_in(2)) {
      machine.node.cores = 1 + draw.below(machine.node.slots);
    }
  }
  if (extent == Extent::all && draw.one_in(2)) {
    machine.links.switching = draw.one_of(std::array{Switching::pipelined, Switching::cut_through});
  }
  if (extent == Extent::all && draw.one_in(3)) {
    machine.links.packet_bytes = 1 + draw.below(3);
    if (machine.links.contention == Contention::on && draw.one_in(2)) {
      machine.links.service = Service::round_robin;
    }
  }
  if (extent == Extent::all && draw.one_in(2)) {
    machine.links.routing = {
        draw.one_of(std::array{Routing::random_order, Routing::valiant, Routing::minimal_adaptive}),
        draw.below(9)};
    if (!has_coordinates(without_host(*machine.topology)) &&
        machine.links.routing.kind == Routing::random_order) {
      machine.links.routing.kind = Routing::valiant;
    }
    const Topology& network = without_host(*machine.topology);
    if (network.group_count() > 0 && draw.one_in(2)) {
      machine.links.routing.kind =
          draw.one_of(std::array{Routing::valiant_group, Routing::ugal, Routing::ugal});
      machine.links.routing.threshold = draw.one_in(2) ? 0 : draw.below(6);
      machine.links.routing.sight = draw.one_in(2) ? Sight::way : Sight::first_link;
    } else if (machine.topology->are_routes_by_flow() && draw.one_in(2)) {
      machine.links.routing.kind = Routing::ecmp;
    }
    if (machine.links.routing.kind == Routing::minimal_adaptive &&
        machine.topology->routing() == "minimal") {
      machine.links.routing.kind = Routing::fixed;
    }
  }
  const LinkModel& links = machine.links;
  description += fmt::format(
      ", switching {}, routing {}, packets {}{}, {} duplex, {}{}",
      static_cast<int>(links.switching), static_cast<int>(links.routing.kind),
      links.packet_bytes.value_or(0), links.service == Service::round_robin ? " in turn" : "",
      links.duplex == Duplex::full ? "full" : "half",
      links.contention == Contention::on ? "contention" : "no contention",
      links.injection ? fmt::format(", injection at {}", links.interfaces) : "");
  return machine;
}

}  // namespace

Machine random_machine(Draw& draw, Extent extent, std::string& description) {
  Machine machine = machine_of_whole_costs(draw, extent, description);
  if (draw.one_in(6)) {
    divide_costs(draw, machine);
    description += ", fractions of picoseconds";
  }
  return machine;
}

std::vector<NodeId> random_map(Draw& draw, const Machine& machine) {
  std::vector<NodeId> slots;
  for (std::uint32_t node = 0; node < machine.topology->node_count(); ++node) {
    if (machine.topology->is_usable(NodeId{node})) {
      slots.insert(slots.end(), machine.node.slots, NodeId{node});
    }
  }
  const auto count = static_cast<std::uint32_t>(slots.size());
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    std::swap(slots[slot], slots[draw.below(slot + 1)]);
  }
  if (draw.one_in(3)) {
    slots.resize(1 + draw.below(count));
  }
  return slots;
}

void add_faults(Draw& draw, ScriptCase& scripted) {
  const std::shared_ptr<const Topology> topology = scripted.machine.topology;
  LinkModel& links = scripted.machine.links;
  if (links.contention == Contention::off || topology->kind() == "with_host" || !draw.one_in(3)) {
    return;
  }
  Failures failures;
  Ticks at{0};
  for (std::uint32_t count = 1 + draw.below(3); count > 0; --count) {
    at += Ticks{1 + draw.below(40)};
    for (std::uint32_t i = 1 + draw.below(3); i > 0; --i) {
      const LinkId link{draw.below(std::max(1U, topology->link_slots()))};
      if (link.index() < topology->link_slots() && topology->link(link)) {
        failures.links.push_back(link);
      }
    }
    const NodeId node{draw.below(topology->node_count())};
    if (std::ranges::find(scripted.map, node) == scripted.map.end()) {
      failures.nodes.push_back(node);
    }
    links.faults.push_back({draw.one_in(5) ? Ticks::max() : at, with_failures(topology, failures)});
    if (links.faults.back().at == Ticks::max()) {
      break;
    }
  }
  scripted.description += fmt::format(", {} faults", links.faults.size());
}

}  // namespace dcube::testing
