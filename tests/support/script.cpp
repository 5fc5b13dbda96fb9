#include "script.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "dcube/core/random.hpp"
#include "graph_topology.hpp"
#include "topology/with_host.hpp"

namespace dcube::testing {

namespace {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_{hash_of(seed)} {}

  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(bounded(stream_.next(), bound));
  }
  bool one_in(std::uint32_t number) { return below(number) == 0; }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& choices) {
    return choices[below(N)];
  }

 private:
  SplitMix64 stream_;
};

/// One of those in the catalogue.
std::string random_grid(Draw& draw) {
  const std::string tie = draw.one_in(2) ? ",tie=positive" : "";
  const auto side = [&draw] { return std::to_string(1 + draw.below(5)); };
  switch (draw.below(6)) {
    case 0:
      return "kind=line,nodes=" + std::to_string(2 + draw.below(15));
    case 1:
      return "kind=ring,nodes=" + std::to_string(2 + draw.below(15)) + tie;
    case 2:
      return "kind=mesh,shape=" + side() + "x" + side();
    case 3:
      return "kind=torus,shape=" + side() + "x" + side() + tie;
    case 4:
      return "kind=torus,shape=" + side() + "x" + side() + "x3" + tie;
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

std::shared_ptr<const Topology> random_topology(Draw& draw, std::string& description) {
  if (draw.one_in(100)) {
    description += "complete graph";
    return make_complete_graph(130 + draw.below(10));
  }
  if (draw.one_in(4)) {
    description += "random graph";
    return random_graph(draw);
  }
  const std::string grid = random_grid(draw);
  description += grid;
  return make_topology(Params::parse(grid));
}

/// One in six has a host computer.
std::shared_ptr<const Topology> random_network(Draw& draw, std::string& description) {
  std::shared_ptr<const Topology> topology = random_topology(draw, description);
  if (!draw.one_in(6)) {
    return topology;
  }
  const bool is_joined_to_all = draw.one_in(2);
  const NodeId node{draw.below(topology->node_count())};
  description += is_joined_to_all ? " with host" : " with host at " + std::to_string(node.index());
  return with_host(topology, is_joined_to_all ? std::nullopt : std::optional{node});
}

ExactTime ticks(std::uint32_t count) { return ExactTime{Ticks{count}}; }

TransferCost random_cost(Draw& draw) { return {ticks(draw.below(4)), ticks(draw.below(3))}; }

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

Machine random_machine(Draw& draw, std::string& description) {
  Machine machine;
  machine.name = "random";
  machine.topology = random_network(draw, description);
  const bool is_uniform = draw.one_in(2);
  const TransferCost cost = random_cost(draw);
  for (std::uint32_t d = 0; d < machine.topology->dimension_count(); ++d) {
    machine.links.per_dimension.push_back(is_uniform ? cost : random_cost(draw));
  }
  override_links(draw, machine);
  machine.links.contention = draw.one_in(4) ? Contention::off : Contention::on;
  machine.links.duplex = draw.one_in(3) ? Duplex::half : Duplex::full;
  if (draw.one_in(2)) {
    machine.endpoint = {random_cost(draw), random_cost(draw)};
  }
  return machine;
}

std::vector<NodeId> random_map(Draw& draw, std::uint32_t nodes) {
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    map.emplace_back(node);
    std::swap(map.back(), map[draw.below(node + 1)]);
  }
  if (draw.one_in(3)) {
    map.resize(1 + draw.below(nodes));
  }
  return map;
}

Step compute_step(Ticks duration) { return {Step::Kind::compute, duration, {}, 0, {}}; }
Step send_step(ProcessId to, std::uint64_t bytes) { return {Step::Kind::send, {}, to, bytes, {}}; }
Step receive_step(ProcessId from) { return {Step::Kind::receive, {}, from, 0, {}}; }
Step exchange_step(ProcessId partner, std::uint64_t bytes, ExchangeMode mode) {
  return {Step::Kind::exchange, {}, partner, bytes, mode};
}

/// Steps are appended in one global order, so that no process waits for a later one: no deadlock.
void add_random_steps(Draw& draw, std::vector<std::vector<Step>>& scripts) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const std::uint32_t sizes = 1 + draw.below(6);
  const std::uint32_t longest_compute = draw.one_of(std::array{1U, 3U, 10U, 1000U});
  for (std::uint32_t steps = draw.below(12 * count + 1); steps > 0; --steps) {
    const ProcessId a{draw.below(count)};
    const ProcessId b{draw.one_in(4) ? 0 : draw.below(count)};
    const std::uint64_t bytes = draw.below(sizes);
    switch (draw.below(4)) {
      case 0:
        scripts[a.index()].push_back(compute_step(Ticks{draw.below(longest_compute)}));
        break;
      case 1:
      case 2: {
        const ExchangeMode mode = draw.one_in(2) ? ExchangeMode::eager : ExchangeMode::rendezvous;
        scripts[a.index()].push_back(exchange_step(b, bytes, mode));
        if (a != b) {
          scripts[b.index()].push_back(exchange_step(a, draw.below(sizes), mode));
        }
        break;
      }
      default:
        scripts[a.index()].push_back(send_step(b, bytes));
        if (!draw.one_in(10)) {
          scripts[b.index()].push_back(receive_step(a));
        }
    }
  }
}

/// Everybody sends to one process at once, which asks for the messages in an unlucky order.
void add_storm(Draw& draw, std::vector<std::vector<Step>>& scripts) {
  const auto count = static_cast<std::uint32_t>(scripts.size());
  const ProcessId target{draw.below(count)};
  const std::uint32_t rounds = 1 + draw.below(4);
  for (std::uint32_t sender = 0; sender < count; ++sender) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      scripts[sender].push_back(send_step(target, draw.below(3)));
    }
  }
  for (std::uint32_t sender = count; sender-- > 0;) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      scripts[target.index()].push_back(receive_step(ProcessId{sender}));
    }
  }
}

void lose_a_step(Draw& draw, std::vector<std::vector<Step>>& scripts) {
  std::vector<Step>& script = scripts[draw.below(static_cast<std::uint32_t>(scripts.size()))];
  if (!script.empty()) {
    script.erase(script.begin() + draw.below(static_cast<std::uint32_t>(script.size())));
  }
}

}  // namespace

ScriptCase random_case(std::uint64_t seed) {
  Draw draw{seed};
  ScriptCase result;
  result.description = "seed " + std::to_string(seed) + ": ";
  result.machine = random_machine(draw, result.description);
  result.map = random_map(draw, result.machine.topology->node_count());
  result.scripts.resize(result.map.size());
  add_random_steps(draw, result.scripts);
  if (draw.one_in(10)) {
    add_storm(draw, result.scripts);
  }
  if (draw.one_in(8)) {
    lose_a_step(draw, result.scripts);
  }
  return result;
}

Task<> run_script(Process& process, const std::vector<Step>& script) {
  for (const Step& step : script) {
    switch (step.kind) {
      case Step::Kind::compute:
        co_await process.compute(step.duration);
        break;
      case Step::Kind::send:
        process.send(step.peer, Payload::of_size(step.bytes));
        break;
      case Step::Kind::receive:
        co_await process.receive(step.peer);
        break;
      case Step::Kind::exchange:
        co_await process.exchange(step.peer, Payload::of_size(step.bytes), step.mode);
        break;
    }
  }
}

SimulationInput input_of(const ScriptCase& scripted, Observer* observer) {
  return {.machine = scripted.machine,
          .map = scripted.map,
          .body =
              [&scripted](Process& process) {
                return run_script(process, scripted.scripts[process.rank().index()]);
              },
          .stage_count = 0,
          .execution = Execution::automatic,
          .observer = observer,
          .progress = {}};
}

}  // namespace dcube::testing
