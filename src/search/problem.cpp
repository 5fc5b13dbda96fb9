#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"

namespace dcube {
namespace {

constexpr UInt128 most_cost = std::numeric_limits<std::int64_t>::max();

void check_cc(const SearchProblem& problem) {
  const std::uint32_t processes = problem.traffic.process_count();
  // Flows of no bytes are exchanges too.
  const auto weights = Partners{problem.traffic, Objective::cc_time}.cube_weights();
  if (!cube_weights(problem.traffic) || !weights || std::ranges::count(*weights, 0U) > 0) {
    throw InputError("",
                     "cc-time is the time of a cube's exchanges along all dimensions, and the "
                     "traffic is no such cube's");
  }
  const auto stages = static_cast<std::uint32_t>(std::countr_zero(processes));
  const UInt128 message =
      std::max(static_cast<UInt128>(problem.cc_hop.count()) * problem.topology.node_count(),
               static_cast<UInt128>(problem.cc_local.count()));
  const UInt128 stage = static_cast<UInt128>(problem.cc_compute.count()) + message;
  if (stage * stages > most_cost) {
    throw InputError("", "the time may pass 63 bits of picoseconds; use shorter stages and hops");
  }
}

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
    if (!problem.topology.is_usable(*node)) {
      throw InputError(
          "",
          fmt::format("process {} is pinned to node {}, which {}", process, node->index(),
                      problem.topology.is_alive(*node) ? "is to host no process" : "has failed"));
    }
    if (++taken[node->index()] > problem.slots) {
      throw InputError(
          "", fmt::format("{} processes are pinned to node {}, which hosts {}",
                          taken[node->index()], node->index(),
                          problem.slots == 1 ? "one" : fmt::format("{} at most", problem.slots)));
    }
  }
}

/// No map costs more.
UInt128 most_cost_of(const SearchProblem& problem, Objective objective) {
  const UInt128 bytes = problem.traffic.total_bytes();
  // No route has as many hops as there are nodes.
  const UInt128 nodes = problem.topology.node_count();
  switch (objective) {
    case Objective::average_dilation:
      return problem.traffic.flows().size() * nodes;
    case Objective::longest_dilation:
      return nodes;
    case Objective::link_load:
      return bytes;
    case Objective::hop_bytes:
      return bytes * nodes;
    case Objective::link_time: {
      const UInt128 units = bytes * problem.rates.most();
      return units > most_cost ? units
                               : units * static_cast<UInt128>(problem.rates.unit.numerator()) /
                                         static_cast<UInt128>(problem.rates.unit.denominator()) +
                                     1;
    }
    case Objective::cc_time: {
      const UInt128 message = std::max(static_cast<UInt128>(problem.cc_hop.count()) * nodes,
                                       static_cast<UInt128>(problem.cc_local.count()));
      return (static_cast<UInt128>(problem.cc_compute.count()) + message) *
             static_cast<std::uint32_t>(std::bit_width(problem.traffic.process_count()));
    }
    case Objective::makespan:
    case Objective::weighted_sum:
      break;
  }
  return 0;
}

/// Every sum of loads, of hops and of terms is within 63 bits.
void check_sums(const SearchProblem& problem) {
  if (most_cost_of(problem, Objective::hop_bytes) > most_cost) {
    throw InputError("", "bytes times hops may pass 2^63-1; use a larger unit");
  }
  if (problem.minimises(Objective::link_time)) {
    expects(problem.rates.units.size() == problem.topology.link_slots(),
            "link-time comes with the rates of all links");
    const UInt128 units = UInt128{problem.traffic.total_bytes()} * problem.rates.most();
    if (units > most_cost / problem.topology.node_count() ||
        most_cost_of(problem, Objective::link_time) > most_cost) {
      throw InputError("",
                       "the bytes' times on a link may pass 2^63-1; use a larger unit of bytes");
    }
  }
  expects((problem.objective == Objective::weighted_sum) == !problem.terms.empty(),
          "a weighted sum has terms");
  UInt128 sum = 0;
  for (const ObjectiveTerm& term : problem.terms) {
    expects(term.weight > 0 && term.objective != Objective::makespan &&
                term.objective != Objective::weighted_sum,
            "terms are costs of maps, with weights");
    const UInt128 most = most_cost_of(problem, term.objective);
    if (most > most_cost / term.weight || (sum += most * term.weight) > most_cost) {
      throw InputError("",
                       fmt::format("the term {} of the sum may pass 2^63-1; use fewer digits in "
                                   "its weights, or a larger unit of bytes",
                                   to_string(term.objective)));
    }
  }
}

/// Costs of pairs count one distance for both ways.
void check_routes(const Topology& topology) {
  if (topology.routing() != "table") {
    return;
  }
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = from + 1; to < topology.node_count(); ++to) {
      const NodeId a{from};
      const NodeId b{to};
      if (topology.reaches(a, b) && topology.distance(a, b) != topology.distance(b, a)) {
        throw InputError(
            "", fmt::format("the table routes node {} to node {} over {} links and back over {}; a "
                            "search needs routes of one length there and back",
                            from, to, topology.distance(a, b), topology.distance(b, a)));
      }
    }
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

/// Of both directions together where these share a link.
std::uint64_t slowest_link_time(const SearchProblem& problem, std::span<const NodeId> map) {
  std::vector<std::uint64_t> units(problem.topology.link_slots());
  for (const Flow& flow : problem.traffic.flows()) {
    for_each_link(problem.topology, map[flow.from.index()], map[flow.to.index()], [&](LinkId link) {
      const LinkId server = problem.sharing == LinkSharing::undirected
                                ? std::min(link, problem.topology.reverse(link))
                                : link;
      units[server.index()] += flow.bytes * problem.rates.units[link.index()];
    });
  }
  return problem.rates.time_of(units.empty() ? 0 : *std::ranges::max_element(units));
}

}  // namespace

bool SearchProblem::has_pins() const {
  return std::ranges::any_of(pins, [](const auto& pin) { return pin.has_value(); });
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

bool SearchProblem::minimises(Objective part) const {
  return objective == part ||
         std::ranges::find(terms, part, &ObjectiveTerm::objective) != terms.end();
}

SearchProblem SearchProblem::with_objective(Objective other) const {
  SearchProblem problem = *this;
  problem.objective = other;
  problem.terms.clear();
  problem.scale = 1;
  return problem;
}

std::optional<std::vector<std::uint64_t>> cube_weights(const Traffic& traffic) {
  return Partners{traffic, Objective::hop_bytes}.cube_weights();
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

void check_problem(const SearchProblem& problem) {
  const std::uint32_t nodes = problem.topology.usable_count();
  const std::uint32_t processes = problem.traffic.process_count();
  expects(problem.slots > 0 && problem.slot_count() < std::uint64_t{1} << 32U,
          "slots have numbers of 32 bits");
  if (processes > problem.usable_slots()) {
    throw InputError(
        "",
        problem.slots == 1
            ? fmt::format("the traffic has {} processes, the {} {} nodes (a node hosts at "
                          "most one)",
                          processes, describe(problem.topology), nodes)
            : fmt::format("the traffic has {} processes, the {} has {} slots on {} nodes",
                          processes, describe(problem.topology), problem.usable_slots(), nodes));
  }
  if (processes == 0) {
    throw InputError("", "the traffic has no processes");
  }
  expect_fits_in_memory("the search", search_bytes(problem));
  check_pins(problem);
  check_sums(problem);
  if (problem.minimises(Objective::cc_time)) {
    check_cc(problem);
  }
  check_routes(problem.topology);
  expects(problem.objective != Objective::makespan || problem.simulate,
          "a makespan comes with its simulation");
}

std::uint64_t cost_of(const SearchProblem& problem, std::span<const NodeId> map) {
  const auto metrics = [&] {
    return measure_traffic(problem.topology, problem.traffic, map, problem.sharing);
  };
  switch (problem.objective) {
    case Objective::average_dilation: {
      const auto flows = problem.traffic.flows();
      return std::accumulate(
          flows.begin(), flows.end(), std::uint64_t{0}, [&](std::uint64_t sum, const Flow& flow) {
            return sum + problem.topology.distance(map[flow.from.index()], map[flow.to.index()]);
          });
    }
    case Objective::longest_dilation:
      return metrics().longest_dilation;
    case Objective::link_load:
      return metrics().link_bytes.max;
    case Objective::hop_bytes:
      return metrics().hop_bytes;
    case Objective::cc_time:
      return static_cast<std::uint64_t>(
          predict_cc(problem.topology, map, problem.cc_compute, problem.cc_hop, problem.cc_local)
              .makespan.count());
    case Objective::link_time:
      return slowest_link_time(problem, map);
    case Objective::weighted_sum:
      return std::accumulate(
          problem.terms.begin(), problem.terms.end(), std::uint64_t{0},
          [&](std::uint64_t sum, const ObjectiveTerm& term) {
            return sum + term.weight * cost_of(problem.with_objective(term.objective), map);
          });
    case Objective::makespan:
      break;
  }
  throw ContractViolation("a makespan comes from a simulation");
}

}  // namespace dcube
