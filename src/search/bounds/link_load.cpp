#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

/// The bytes that cross between the halves of a machine that a cube fills. They are at least those
/// of the cube's lightest dimension.
std::optional<CostBound> bisection_bound(const SearchProblem& problem, const Partners& partners) {
  const auto weights = partners.cube_weights();
  const std::uint64_t nodes = problem.topology.node_count();
  if (!weights || weights->empty() || partners.process_count() != problem.slot_count() ||
      !is_grid(problem.topology)) {
    return std::nullopt;
  }
  const std::uint64_t bytes = std::ranges::min(*weights) * (partners.process_count() / 2);
  CostBound bound{0,
                  "bisection: a half of a cube exchanges at least what its lightest dimension "
                  "does (Harper 1964)"};
  for (std::size_t d = 0; d < problem.topology.dimension_count(); ++d) {
    const std::uint32_t side = problem.topology.shape()[d];
    if (side % 2 == 0) {
      const std::uint64_t links = nodes / side * (is_cycle(problem.topology, d) ? 2 : 1);
      const std::uint64_t servers = problem.sharing == LinkSharing::directed ? 2 * links : links;
      bound.cost = std::max(bound.cost, divided_up(bytes, servers));
    }
  }
  return bound;
}

/// The amounts but for the `left_out` greatest, together.
std::uint64_t sum_without_greatest(std::vector<std::uint64_t>& amounts, std::uint32_t left_out) {
  const auto first = static_cast<std::ptrdiff_t>(std::min<std::size_t>(left_out, amounts.size()));
  std::ranges::nth_element(amounts, amounts.begin() + first, std::greater{});
  return std::accumulate(amounts.begin() + first, amounts.end(), std::uint64_t{0});
}

std::size_t most_links_of_a_node(const Topology& topology) {
  std::vector<std::size_t> links(topology.node_count(), 0);  // [node], parallel ones too
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    if (const std::optional<Link> link = topology.link(LinkId{slot})) {
      ++links[link->from.index()];
    }
  }
  return std::max<std::size_t>(1, *std::ranges::max_element(links));
}

/// Everything that a process sends, or receives, crosses the links of its node, except what it
/// exchanges with those that can share the node.
CostBound node_bound(const SearchProblem& problem, const Partners& partners) {
  std::vector<std::vector<std::uint64_t>> out(problem.traffic.process_count());
  std::vector<std::vector<std::uint64_t>> in(problem.traffic.process_count());
  for (const Flow& flow : problem.traffic.flows()) {
    out[flow.from.index()].push_back(flow.bytes);
    in[flow.to.index()].push_back(flow.bytes);
  }
  const std::size_t links = most_links_of_a_node(problem.topology);
  std::uint64_t most = 0;
  const std::uint32_t beside = problem.slots - 1;
  for (std::uint32_t process = 0; process < out.size(); ++process) {
    if (problem.sharing == LinkSharing::directed) {
      most = std::max({most, sum_without_greatest(out[process], beside),
                       sum_without_greatest(in[process], beside)});
    } else {
      auto both = mapped(partners.of(process), &Partner::weight);
      most = std::max(most, sum_without_greatest(both, beside));
    }
  }
  return {divided_up(most, links),
          problem.slots == 1
              ? "node: what the busiest process sends or receives, over the links of a node"
              : "node: what the busiest process sends to other nodes or receives from them, over "
                "the links of a node"};
}

/// Least load of the most loaded link of a node: the flows that leave the node are shared out to
/// its links, each whole, so of the k links + 1 heaviest some k + 1 are on one link; at best the
/// lightest. `beside`: how many flows at most stay inside the node.
std::uint64_t least_shared_out(std::vector<std::uint64_t> flows, std::size_t links,
                               std::size_t beside) {
  std::ranges::sort(flows, std::greater{});
  flows.erase(flows.begin(),
              flows.begin() + static_cast<std::ptrdiff_t>(std::min(beside, flows.size())));
  std::uint64_t most = 0;
  for (std::size_t k = 0; k * links < flows.size(); ++k) {
    const auto end = flows.begin() + static_cast<std::ptrdiff_t>(k * links + 1);
    most = std::max(
        most, std::accumulate(end - static_cast<std::ptrdiff_t>(k + 1), end, std::uint64_t{0}));
  }
  return most;
}

/// A flow takes one way, so it leaves a node over one link, and comes over one to another.
CostBound whole_flows_bound(const SearchProblem& problem) {
  const bool is_directed = problem.sharing == LinkSharing::directed;
  std::vector<std::vector<std::uint64_t>> out(problem.traffic.process_count());
  std::vector<std::vector<std::uint64_t>> in(problem.traffic.process_count());
  for (const Flow& flow : problem.traffic.flows()) {
    out[flow.from.index()].push_back(flow.bytes);
    (is_directed ? in : out)[flow.to.index()].push_back(flow.bytes);
  }
  const std::size_t links = most_links_of_a_node(problem.topology);
  const std::size_t beside = std::size_t{problem.slots - 1} * (is_directed ? 1 : 2);
  CostBound bound{0, "flows: those of a process, each whole, shared out to the links of a node"};
  for (auto* const flows : {&out, &in}) {
    for (std::vector<std::uint64_t>& of_process : *flows) {
      bound.cost = std::max(bound.cost, least_shared_out(std::move(of_process), links, beside));
    }
  }
  return bound;
}

/// Where the processes fill all slots and each sends to every other, the least flow goes between
/// any two slots, whatever the map, so its load of every link is known.
std::optional<CostBound> even_bound(const SearchProblem& problem) {
  constexpr std::uint32_t most_nodes = 512;
  const Topology& topology = problem.topology;
  const std::uint64_t processes = problem.traffic.process_count();
  const auto flows = problem.traffic.flows();
  if (processes != problem.usable_slots() || flows.empty() ||
      flows.size() != processes * (processes - 1) || topology.node_count() > most_nodes ||
      topology.are_routes_by_flow()) {
    return std::nullopt;
  }
  std::vector<std::pair<NodeId, NodeId>> routes;
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      if (from != to && topology.is_usable(NodeId{from}) && topology.is_usable(NodeId{to})) {
        routes.emplace_back(from, to);
      }
    }
  }
  const std::uint64_t least = std::ranges::min(flows, {}, &Flow::bytes).bytes;
  const std::uint64_t most = max_link_load(topology, routes, problem.sharing);
  return CostBound{least * problem.slots * problem.slots * most,
                   "even: the least that any process sends to another, between all nodes"};
}

}  // namespace

std::vector<CostBound> link_bounds(const SearchProblem& problem, const Partners& partners) {
  const CostBound hops =
      problem.hop_bytes_bound ? *problem.hop_bytes_bound : greatest(sum_bounds(problem, partners));
  const std::uint64_t links =
      problem.topology.link_count() * (problem.sharing == LinkSharing::directed ? 2 : 1);
  std::vector<CostBound> bounds{
      {divided_up(hops.cost, links), "mean: the least hop-bytes over all links; " + hops.source},
      node_bound(problem, partners),
      whole_flows_bound(problem)};
  if (const auto bisection = bisection_bound(problem, partners)) {
    bounds.push_back(*bisection);
  }
  if (CostBound cut = cut_bound(problem, partners); cut.cost > 0) {
    bounds.push_back(std::move(cut));
  }
  if (const auto even = even_bound(problem)) {
    bounds.push_back(*even);
  }
  return bounds;
}

}  // namespace dcube
