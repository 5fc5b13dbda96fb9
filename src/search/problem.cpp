#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/with_host.hpp"
#include "search/objectives/objective_kind.hpp"
#include "search/sums/place_costs.hpp"

namespace dcube {
namespace {

void check_pins(const SearchProblem& problem) {
  if (problem.pins.empty()) {
    return;
  }
  expects(problem.pins.size() == problem.traffic.process_count(), "every process may have a pin");
  std::vector<std::uint32_t> taken(problem.topology.node_count());
  for (std::uint32_t process = 0; process < problem.pins.size(); ++process) {
    const std::optional<NodeId> node = problem.pins[process];
    if (!node) {
      continue;
    }
    expects(problem.topology.contains(*node), "processes are pinned to nodes of the machine");
    refuse_if(!problem.topology.is_usable(*node), "", "process {} is pinned to node {}, which {}",
              process, node->index(),
              !problem.topology.is_alive(*node)     ? "has failed"
              : problem.topology.is_terminal(*node) ? "is to host no process"
                                                    : "is a switch");
    const std::uint32_t there = ++taken[node->index()];
    refuse_if(there > problem.slots, "", "{} processes are pinned to node {}, which hosts {}",
              there, node->index(),
              problem.slots == 1 ? "one" : fmt::format("{} at most", problem.slots));
  }
}

/// An estimate of the memory that a search takes beside the traffic: maps, partners, loads of
/// links.
std::uint64_t search_bytes(const SearchProblem& problem) {
  constexpr std::uint64_t node_bytes = 300;  // and of a process
  constexpr std::uint64_t slot_bytes = 8;
  constexpr std::uint64_t link_bytes = 12;
  constexpr std::uint64_t flow_bytes = 160;
  const std::uint64_t nodes = problem.topology.node_count();
  return node_bytes * std::max<std::uint64_t>(nodes, problem.traffic.process_count()) +
         8 * problem.rates.units.size() + slot_bytes * (problem.slot_count() - nodes) +
         link_bytes * problem.topology.link_slots() + flow_bytes * problem.traffic.flows().size();
}

}  // namespace

bool SearchProblem::has_pins() const {
  return std::ranges::any_of(pins, [](const auto& pin) { return pin.has_value(); });
}

bool SearchProblem::has_many_a_node() const {
  return usable_slots() > most_tabled_places &&
         traffic.process_count() >= many_processes * topology.usable_count();
}

bool SearchProblem::has_choice() const {
  std::vector<std::uint32_t> taken(has_pins() ? topology.node_count() : 0);
  std::uint32_t movable = traffic.process_count();
  for (const std::optional<NodeId>& pin : pins) {
    if (pin) {
      ++taken[pin->index()];
      --movable;
    }
  }
  const auto full = static_cast<std::uint32_t>(std::ranges::count(taken, slots));
  return movable > 0 && topology.usable_count() > full + 1;
}

LinkId SearchProblem::server_of(LinkId link) const {
  return sharing == LinkSharing::undirected ? std::min(link, topology.reverse(link)) : link;
}

SearchProblem SearchProblem::with_objective(Objective other) const {
  SearchProblem problem = *this;
  problem.objective = other;
  problem.terms.clear();
  problem.scale = 1;
  return problem;
}

SearchProblem SearchProblem::with(const Topology& machine, const Traffic& renumbered) const {
  return {.topology = machine,
          .traffic = renumbered,
          .objective = objective,
          .slots = slots,
          .sharing = sharing,
          .cc_compute = cc_compute,
          .cc_hop = cc_hop,
          .cc_local = cc_local,
          .terms = terms,
          .scale = scale,
          .rates = rates};
}

std::optional<std::vector<std::uint64_t>> cube_weights(const Traffic& traffic) {
  return Partners{traffic, FlowWeight::bytes}.cube_weights();
}

void weigh_by_bounds(SearchProblem& problem) {
  std::vector<double> bounds;
  for (const ObjectiveTerm& term : problem.terms) {
    const std::uint64_t bound = cost_bounds(problem.with_objective(term.objective)).front().cost;
    refuse_if(bound == 0, "",
              "the bound of {} is 0, which no weight can be relative to; give weights without %",
              to_string(term.objective));
    bounds.push_back(static_cast<double>(bound));
  }
  const auto most = static_cast<std::size_t>(std::ranges::max_element(bounds) - bounds.begin());
  std::string sum;
  for (std::size_t i = 0; i < problem.terms.size(); ++i) {
    const double weight = static_cast<double>(problem.terms[i].weight) /
                          static_cast<double>(problem.terms[most].weight) * bounds[most] /
                          bounds[i];
    int digits = 3;
    for (double rest = weight; rest >= 10 && digits > 0; rest /= 10) {
      --digits;
    }
    for (double rest = weight; rest < 1; rest *= 10) {
      ++digits;
    }
    sum += fmt::format("{}{:.{}f}*{}", i == 0 ? "" : "+", weight, digits,
                       to_string(problem.terms[i].objective));
  }
  const Goal goal = parse_goal(sum);
  problem.terms = goal.terms;
  problem.scale = goal.scale;
  check_problem(problem);
}

void check_routes(const Topology& topology) {
  const std::string_view routing = topology.routing();
  const Failures failed = failures_of(without_host(topology));
  const bool is_detoured = routing == "minimal" && !(failed.nodes.empty() && failed.links.empty());
  if (routing != "table" && routing != "simgrid" && !is_detoured) {
    return;
  }
  constexpr std::uint32_t most_nodes = 4096;
  refuse_if(is_detoured && topology.usable_count() > most_nodes, "",
            "whether detours of the {} are as long there and back is not looked at beyond {} "
            "nodes; use the routing `shortest`",
            describe(topology), most_nodes);
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = from + 1; to < topology.node_count(); ++to) {
      const NodeId a{from};
      const NodeId b{to};
      if (topology.is_terminal(a) && topology.is_terminal(b) && topology.reaches(a, b) &&
          topology.distance(a, b) != topology.distance(b, a)) {
        throw InputError(
            "", fmt::format("the {} routes node {} to node {} over {} and back over {}; a "
                            "search needs routes of one length there and back",
                            routing == "table" ? routing : "network", from, to,
                            counted(topology.distance(a, b), "link"), topology.distance(b, a)));
      }
    }
  }
}

void check_problem(const SearchProblem& problem) {
  const std::uint32_t nodes = problem.topology.usable_count();
  const std::uint32_t processes = problem.traffic.process_count();
  expects(problem.slots > 0 && problem.slot_count() < std::uint64_t{1} << 32U,
          "slots have numbers of 32 bits");
  refuse_if(processes > problem.usable_slots() && problem.slots == 1, "",
            "the traffic has {} processes, the {} {} nodes (a node hosts at most one)", processes,
            describe(problem.topology), nodes);
  refuse_if(processes > problem.usable_slots(), "",
            "the traffic has {} processes, the {} has {} slots on {} nodes", processes,
            describe(problem.topology), problem.usable_slots(), nodes);
  refuse_if(processes == 0, "", "the traffic has no processes");
  expect_fits_in_memory("the search", search_bytes(problem));
  check_pins(problem);
  refuse_if(UInt128{problem.traffic.total_bytes()} * problem.topology.node_count() > greatest_cost,
            "", "bytes times hops may pass 2^63-1; use a larger unit");
  const ObjectiveKind& kind = kind_of(problem.objective);
  expects(kind.traits.is_composed == !problem.terms.empty(), "a weighted sum has terms");
  kind.check(problem);
  check_routes(problem.topology);
}

bool is_usable(const SearchProblem& problem) {
  try {
    kind_of(problem.objective).check(problem);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::uint64_t cost_of(const SearchProblem& problem, std::span<const NodeId> map) {
  const ObjectiveKind& kind = kind_of(problem.objective);
  expects(!kind.traits.is_simulated, "a makespan comes from a simulation");
  return kind.cost(problem, map);
}

Simulated<std::uint64_t> costs_of(const SearchProblem& problem,
                                  std::span<const std::vector<NodeId>> maps) {
  if (traits_of(problem.objective).is_simulated) {
    return problem.simulate(maps);
  }
  return {mapped(
      maps, [&](const std::vector<NodeId>& map) { return std::optional{cost_of(problem, map)}; })};
}

}  // namespace dcube
