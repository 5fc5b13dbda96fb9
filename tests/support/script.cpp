#include "script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "dcube/collective/background.hpp"
#include "dcube/collective/calls.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/with_host.hpp"
#include "draw.hpp"
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

Machine random_machine(Draw& draw, Extent extent, std::string& description) {
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

/// Up to as many processes as there are slots, anywhere.
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

/// In one machine of three some links, and nodes without processes, fail; one time in five at the
/// end of time.
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

Step step_of(Step::Kind kind) {
  Step step;
  step.kind = kind;
  return step;
}
Step compute_step(Ticks duration) {
  Step step = step_of(Step::Kind::compute);
  step.duration = duration;
  return step;
}
Step message_step(Step::Kind kind, ProcessId peer, Tag tag = 0, std::uint64_t bytes = 0) {
  Step step = step_of(kind);
  step.peer = peer;
  step.tag = tag;
  step.bytes = bytes;
  return step;
}
Step exchange_step(ProcessId partner, std::uint64_t bytes, ExchangeMode mode) {
  Step step = message_step(Step::Kind::exchange, partner, 0, bytes);
  step.mode = mode;
  return step;
}

using Scripts = std::vector<std::vector<Step>>;

}  // namespace

ScriptCollective expanded(const std::vector<std::uint32_t>& members, const CollectiveCall& call,
                          std::uint32_t rank) {
  const auto process = [&](std::uint32_t member) {
    return member == CollectiveStep::nobody ? std::nullopt
                                            : std::optional{ProcessId{members[member]}};
  };
  CollectivePlan plan = plan_of(call, rank, static_cast<std::uint32_t>(members.size()));
  ScriptCollective of{members, call, {}, plan.copied_first, plan.copied_last};
  for (CollectiveSteps& steps : plan.ports) {
    const auto number = static_cast<std::uint32_t>(of.ports.size());
    of.ports.push_back({plan.tags.empty() ? number : plan.tags[number]});
    while (const std::optional<CollectiveStep> step = steps.next()) {
      const bool combines_in_scratch = step->in_scratch && *step->in_scratch != OnReceipt::write;
      of.ports.back().steps.push_back(
          {process(step->to), process(step->from),
           element_count(step->sent) * call.options.element_bytes,
           (step->on_receipt != OnReceipt::write ? 1U : 0U) + (combines_in_scratch ? 1U : 0U),
           step->continues, step->sent.size()});
    }
  }
  return of;
}

namespace {

/// A collective of some processes in a row, one time in eight of all: a step of each, whose peer is
/// the process itself.
std::vector<Step> random_collective(Draw& draw, const Scripts& scripts, std::uint32_t tag) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const bool is_of_all = count <= 32 && draw.one_in(8);
  const std::uint32_t size = is_of_all ? count : 1 + draw.below(std::min(count, 9U));
  std::vector<std::uint32_t> members;
  for (std::uint32_t first = draw.below(count), i = 0; i < size; ++i) {
    members.push_back((first + i) % count);
  }
  CollectiveCall call = random_call(draw, size);
  call.options.tag = tag;
  std::vector<Step> steps;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    Step step = step_of(Step::Kind::start);
    step.peer = ProcessId{members[rank]};
    step.collective = std::make_shared<const ScriptCollective>(expanded(members, call, rank));
    steps.push_back(std::move(step));
  }
  return steps;
}

/// Steps are appended in one global order, so that no process waits for a later one: no deadlock.
class RandomSteps {
 public:
  RandomSteps(Draw& draw, Extent extent, Scripts& scripts)
      : draw_{draw},
        scripts_{scripts},
        sizes_{1 + draw.below(6)},
        tags_{extent == Extent::plain || draw.one_in(2) ? 1 : 2 + draw.below(2)},
        longest_compute_{draw.one_of(std::array{1U, 3U, 10U, 1000U})},
        uses_requests_{extent != Extent::plain && draw.one_in(2)},
        uses_anyone_{extent != Extent::plain && draw.one_in(2)},
        calls_{extent != Extent::plain && draw.one_in(3) ? 1 + draw.below(3) : 0} {}

  void add() {
    if (calls_ > 0 && draw_.one_in(6)) {
      call();
      return;
    }
    const ProcessId a = any_process();
    const ProcessId b = draw_.one_in(4) ? ProcessId{0} : any_process();
    switch (draw_.below(uses_requests_ ? 7 : 4)) {
      case 0:
        script(a).push_back(compute_step(Ticks{draw_.below(longest_compute_)}));
        return;
      case 1:
      case 2: {
        const ExchangeMode mode = draw_.one_in(2) ? ExchangeMode::eager : ExchangeMode::rendezvous;
        script(a).push_back(exchange_step(b, bytes(), mode));
        if (a != b) {
          script(b).push_back(exchange_step(a, bytes(), mode));
        }
        return;
      }
      case 3:
        script(a).push_back(random_message(Step::Kind::send, b));
        if (!draw_.one_in(10)) {
          receive(b, a, script(a).back().tag, Step::Kind::receive);
        }
        return;
      case 4:
      case 5:
        script(a).push_back(
            random_message(draw_.one_in(2) ? Step::Kind::post_send : Step::Kind::send, b));
        if (draw_.one_in(4)) {
          script(a).back().send_mode = draw_.one_in(2) ? SendMode::eager : SendMode::rendezvous;
        }
        script(a).back().send_end = draw_.one_in(3) ? SendEnd::arrived : SendEnd::left;
        receive(b, a, script(a).back().tag, Step::Kind::post_receive);
        return;
      default:
        wait(a);
    }
  }

 private:
  ProcessId any_process() {
    return ProcessId{draw_.below(static_cast<std::uint32_t>(scripts_.size()))};
  }
  std::vector<Step>& script(ProcessId process) { return scripts_[process.index()]; }
  std::uint64_t bytes() { return draw_.below(sizes_); }

  Step random_message(Step::Kind kind, ProcessId peer) {
    const Tag tag = draw_.below(tags_);
    return message_step(kind, peer, tag, bytes());
  }

  void receive(ProcessId receiver, ProcessId from, Tag sent, Step::Kind kind) {
    const ProcessId asked = uses_anyone_ && draw_.one_in(3) ? anyone : from;
    script(receiver).push_back(message_step(kind, asked, draw_.one_in(4) ? any_tag : sent));
  }

  void call() {
    for (Step& step : random_collective(draw_, scripts_, --calls_)) {
      step.kind = Step::Kind::call;
      script(step.peer).push_back(std::move(step));
    }
  }

  /// Waits for some of the requests that the process has posted, or tests one.
  void wait(ProcessId process) {
    std::vector<std::size_t> posted;
    for (std::size_t i = 0; i < script(process).size(); ++i) {
      const Step::Kind kind = script(process)[i].kind;
      if ((kind == Step::Kind::post_send || kind == Step::Kind::post_receive) && !draw_.one_in(3)) {
        posted.push_back(i);
      }
    }
    Step step = step_of(
        draw_.one_of(std::array{Step::Kind::wait_all, Step::Kind::wait_any, Step::Kind::test}));
    step.requests = std::move(posted);
    if (step.kind == Step::Kind::wait_any && draw_.one_in(2)) {
      step.duration = Ticks{1 + draw_.below(longest_compute_)};
      step.meanwhile =
          draw_.one_of(std::array{Activity::waiting, Activity::compute, Activity::endpoint});
    }
    script(process).push_back(std::move(step));
  }

  Draw& draw_;
  Scripts& scripts_;
  std::uint32_t sizes_;
  std::uint32_t tags_;
  std::uint32_t longest_compute_;
  bool uses_requests_;
  bool uses_anyone_;
  std::uint32_t calls_;  ///< left
};

/// Everybody sends to one process at once, which asks for the messages in an unlucky order.
void add_storm(Draw& draw, Extent extent, Scripts& scripts) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const ProcessId target{draw.below(count)};
  const std::uint32_t rounds = 1 + draw.below(4);
  const bool is_from_anyone = extent != Extent::plain && draw.one_in(2);
  for (std::uint32_t sender = 0; sender < count; ++sender) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      scripts[sender].push_back(message_step(Step::Kind::send, target, 0, draw.below(3)));
    }
  }
  for (std::uint32_t sender = count; sender-- > 0;) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      scripts[target.index()].push_back(
          message_step(Step::Kind::receive, is_from_anyone ? anyone : ProcessId{sender}));
    }
  }
}

void lose_a_step(Draw& draw, Scripts& scripts) {
  std::vector<Step>& script = scripts[draw.below(static_cast<std::uint32_t>(scripts.size()))];
  if (!script.empty()) {
    script[draw.below(static_cast<std::uint32_t>(script.size()))] = compute_step(Ticks{0});
  }
}

/// Everybody exchanges a message with the next, and waits for both.
void add_round(Draw& draw, Scripts& scripts) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const std::uint64_t bytes = draw.below(4);
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    std::vector<Step>& script = scripts[rank];
    script.push_back(message_step(Step::Kind::post_receive, ProcessId{(rank + count - 1) % count}));
    script.push_back(message_step(Step::Kind::post_send, ProcessId{(rank + 1) % count}, 0, bytes));
    Step wait = step_of(Step::Kind::wait_all);
    wait.requests = {script.size() - 2, script.size() - 1};
    script.push_back(std::move(wait));
  }
}

}  // namespace

ScriptCase random_overlap(std::uint64_t seed) {
  ScriptCase result = random_case(seed);
  Draw draw{seed + 1};
  Scripts scripts(result.scripts.size());
  const auto count = static_cast<std::uint32_t>(scripts.size());
  std::vector<std::vector<std::size_t>> started(count);  // steps
  const std::uint32_t longest = draw.one_of(std::array{3U, 30U, 300U});
  const auto add_computing = [&] {
    for (std::vector<Step>& script : scripts) {
      if (!draw.one_in(3)) {
        script.push_back(compute_step(Ticks{draw.below(longest)}));
      }
    }
  };
  const auto finish = [&](std::uint32_t rank, std::size_t place) {
    Step wait = step_of(Step::Kind::finish);
    wait.requests = {started[rank][place]};
    started[rank].erase(started[rank].begin() + static_cast<std::ptrdiff_t>(place));
    scripts[rank].push_back(std::move(wait));
  };
  for (std::uint32_t number = 1 + draw.below(4); number > 0; --number) {
    add_computing();
    for (Step& step : random_collective(draw, scripts, number)) {
      const std::uint32_t member = step.peer.index();
      started[member].push_back(scripts[member].size());
      scripts[member].push_back(std::move(step));
    }
    add_computing();
    if (draw.one_in(3)) {
      add_round(draw, scripts);
    }
    for (std::uint32_t rank = 0; rank < count; ++rank) {
      if (!started[rank].empty() && draw.one_in(3)) {
        finish(rank, draw.below(static_cast<std::uint32_t>(started[rank].size())));
      }
    }
  }
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    while (!started[rank].empty()) {
      finish(rank, draw.below(static_cast<std::uint32_t>(started[rank].size())));
    }
  }
  if (draw.one_in(8)) {
    // A process ends early, and others wait for it.
    std::vector<Step>& script = scripts[draw.below(count)];
    script.resize(script.size() / 2);
  }
  result.scripts = std::move(scripts);
  result.description += ", overlap";
  return result;
}

ScriptCase random_case(std::uint64_t seed, Extent extent) {
  Draw draw{seed};
  ScriptCase result;
  result.description = "seed " + std::to_string(seed) + ": ";
  result.machine = random_machine(draw, extent, result.description);
  result.map = random_map(draw, result.machine);
  result.scripts.resize(result.map.size());
  if (extent == Extent::all) {
    add_faults(draw, result);
  }
  RandomSteps steps{draw, extent, result.scripts};
  for (auto count = draw.below(12 * static_cast<std::uint32_t>(result.map.size()) + 1); count > 0;
       --count) {
    steps.add();
  }
  if (draw.one_in(10)) {
    add_storm(draw, extent, result.scripts);
  }
  if (draw.one_in(8)) {
    lose_a_step(draw, result.scripts);
  }
  if (extent != Extent::plain && draw.one_in(5)) {
    result.jitter = {.part = Jitter::whole / (1 + draw.below(8)), .seed = seed};
    result.jitter.part -= 1;
    result.description += ", jitter";
  }
  return result;
}

namespace {

/// A script as it runs: its requests by the steps that posted them.
class ScriptRun {
 public:
  ScriptRun(Process& process, const std::vector<Step>& script,
            std::vector<Observation>* observations)
      : process_{process},
        script_{script},
        observations_{observations},
        posted_(script.size()),
        background_{process} {}

  Task<> run() {
    for (step_ = 0; step_ < script_.size(); ++step_) {
      const Step& step = script_[step_];
      switch (step.kind) {
        case Step::Kind::compute:
          co_await background_.compute(step.duration);
          break;
        case Step::Kind::call:
          co_await run_collective(process_.world().subgroup(step.collective->members),
                                  step.collective->call);
          break;
        case Step::Kind::start:
          started_[step_] = co_await background_.start(
              process_.world().subgroup(step.collective->members), step.collective->call);
          break;
        case Step::Kind::finish:
          co_await background_.wait(started_.at(step.requests.front()));
          break;
        case Step::Kind::send:
          process_.send(step.peer, Payload::of_size(step.bytes), step.tag, step.send_mode);
          break;
        case Step::Kind::post_send:
          posted_[step_] = process_.post_send(step.peer, Payload::of_size(step.bytes), step.tag,
                                              step.send_mode, step.send_end);
          break;
        case Step::Kind::post_receive:
          posted_[step_] = process_.post_receive(step.peer, step.tag);
          break;
        case Step::Kind::receive:
          if (step.peer == anyone) {
            note(0, co_await process_.receive_any(step.tag));
          } else {
            note(0, {step.peer, 0, co_await process_.receive(step.peer, step.tag)});
          }
          break;
        case Step::Kind::exchange:
          note(0, {step.peer, 0,
                   co_await process_.exchange(step.peer, Payload::of_size(step.bytes), step.mode)});
          break;
        default:
          co_await wait(step);
      }
    }
  }

 private:
  Task<> wait(const Step& step) {
    std::vector<std::size_t> steps;
    std::vector<Request> requests;
    for (const std::size_t posted : step.requests) {
      if (posted_[posted]) {
        steps.push_back(posted);
        requests.push_back(*posted_[posted]);
      }
    }
    if (step.kind == Step::Kind::wait_all) {
      const std::vector<Received> messages = co_await background_.wait_all(requests);
      for (std::size_t i = 0; i < steps.size(); ++i) {
        note(steps[i], messages[i]);
        posted_[steps[i]].reset();
      }
    } else if (!requests.empty() && step.kind == Step::Kind::wait_any) {
      const Completed completed = co_await (
          step.duration == Ticks{0}
              ? process_.wait_any(requests)
              : process_.wait_any(requests, process_.now() + step.duration, step.meanwhile));
      if (completed.index == requests.size()) {
        note(script_.size(), {});
      } else {
        note(steps[completed.index], completed.message);
        posted_[steps[completed.index]].reset();
      }
    } else if (!requests.empty()) {
      const bool is_complete = co_await process_.test(requests.front());
      note(is_complete ? 1 : 0, {});
    }
  }

  void note(std::size_t request, const Received& received) {
    if (observations_ != nullptr) {
      observations_->push_back({process_.rank(), step_, process_.now(), request, received.source,
                                received.tag, received.payload.size_bytes()});
    }
  }

  Process& process_;
  const std::vector<Step>& script_;
  std::vector<Observation>* observations_;
  std::size_t step_ = 0;
  std::vector<std::optional<Request>> posted_;
  Background background_;
  std::map<std::size_t, Background::Started> started_;  ///< by step
};

}  // namespace

namespace {

template <class Has>
bool any_step(const ScriptCase& scripted, Has has) {
  return std::ranges::any_of(scripted.scripts, [&](const std::vector<Step>& script) {
    return std::ranges::any_of(script, has);
  });
}

}  // namespace

bool has_calls(const ScriptCase& scripted) {
  return any_step(scripted, [](const Step& step) { return step.kind == Step::Kind::call; });
}
bool has_several_ports(const ScriptCase& scripted) {
  return any_step(scripted, [](const Step& step) {
    return step.kind == Step::Kind::call && step.collective->ports.size() > 1;
  });
}
bool has_rendezvous(const ScriptCase& scripted) {
  return scripted.machine.endpoint.eager_limit_bytes || any_step(scripted, [](const Step& step) {
           return step.send_mode == SendMode::rendezvous ||
                  (step.collective && step.collective->call.options.sends_block);
         });
}

Task<> run_script(Process& process, const std::vector<Step>& script,
                  std::vector<Observation>* observations) {
  ScriptRun run{process, script, observations};
  co_await run.run();
}

SimulationInput input_of(const ScriptCase& scripted, Observer* observer,
                         std::vector<Observation>* observations) {
  return {.machine = scripted.machine,
          .map = scripted.map,
          .body =
              [&scripted, observations](Process& process) {
                return run_script(process, scripted.scripts[process.rank().index()], observations);
              },
          .stage_count = 0,
          .execution = Execution::automatic,
          .observer = observer,
          .jitter = scripted.jitter};
}

}  // namespace dcube::testing
