#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <string>

#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/search/search.hpp"
#include "partners.hpp"

namespace dcube {
namespace {

const std::array<std::string, 6> names{"average-dilation", "longest-dilation", "link-load",
                                       "hop-bytes",        "cc-time",          "makespan"};

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
  constexpr std::uint64_t node_bytes = 150;  // and of a process
  constexpr std::uint64_t slot_bytes = 8;
  constexpr std::uint64_t link_bytes = 12;
  constexpr std::uint64_t flow_bytes = 60;
  const std::uint64_t nodes = problem.topology.node_count();
  return node_bytes * std::max<std::uint64_t>(nodes, problem.traffic.process_count()) +
         slot_bytes * (problem.slot_count() - nodes) + link_bytes * problem.topology.link_slots() +
         flow_bytes * problem.traffic.flows().size();
}

}  // namespace

std::span<const std::string> objective_names() { return names; }

std::string_view to_string(Objective objective) {
  return names[static_cast<std::size_t>(objective)];
}

std::optional<std::vector<std::uint64_t>> cube_weights(const Traffic& traffic) {
  return Partners{traffic, Objective::hop_bytes}.cube_weights();
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
  // No route has as many hops as there are nodes.
  if (UInt128{problem.traffic.total_bytes()} * problem.topology.node_count() > most_cost) {
    throw InputError("", "bytes times hops may pass 2^63-1; use a larger unit");
  }
  if (problem.objective == Objective::cc_time) {
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
    case Objective::makespan:
      break;
  }
  throw ContractViolation("a makespan comes from a simulation");
}

}  // namespace dcube
