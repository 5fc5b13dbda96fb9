#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "whole_flows.hpp"

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

/// By number of links, most first: how many of the nodes that may host processes have so many.
std::map<std::size_t, std::uint64_t, std::greater<>> nodes_by_links(const Topology& topology) {
  std::vector<std::size_t> links(topology.node_count(), 0);  // [node], parallel ones too
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    if (const std::optional<Link> link = topology.link(LinkId{slot})) {
      ++links[link->from.index()];
    }
  }
  std::map<std::size_t, std::uint64_t, std::greater<>> nodes;
  for (const NodeId node : usable_nodes(topology)) {
    ++nodes[std::max<std::size_t>(1, links[node.index()])];
  }
  return nodes;
}

/// Those that do not find a place on nodes with more links are on nodes with at most `links`, where
/// the busiest link carries at least value(process, links), which fewer links make no less. The
/// greatest of k values is at least the k-th of all.
template <class Value>
std::uint64_t least_at_nodes(const SearchProblem& problem, Value value) {
  const std::uint64_t processes = problem.traffic.process_count();
  std::uint64_t most = 0;
  std::uint64_t left = processes;
  for (const auto& [links, nodes] : nodes_by_links(problem.topology)) {
    std::vector<std::uint64_t> values;
    for (std::uint32_t process = 0; process < processes; ++process) {
      values.push_back(value(process, links));
    }
    const auto greatest = values.begin() + static_cast<std::ptrdiff_t>(left - 1);
    std::ranges::nth_element(values, greatest);
    most = std::max(most, *greatest);
    const std::uint64_t slots = nodes * problem.slots;
    if (slots >= left) {
      break;
    }
    left -= slots;
  }
  return most;
}

/// What a process sends, or receives, by descending bytes.
using Amounts = std::vector<std::uint64_t>;

/// Of all but the `beside` greatest, which go to processes that can share the node.
std::uint64_t sum_over_links(const Amounts& amounts, std::size_t links, std::size_t beside) {
  const auto first = static_cast<std::ptrdiff_t>(std::min(beside, amounts.size()));
  return divided_up(std::accumulate(amounts.begin() + first, amounts.end(), std::uint64_t{0}),
                    links);
}

/// Least load of the most loaded link of a node: the flows that leave the node are shared out to
/// its links, each whole, so of the k links + 1 heaviest some k + 1 are on one link; at best the
/// lightest. `beside`: how many flows at most stay inside the node.
std::uint64_t least_shared_out(const Amounts& flows, std::size_t links, std::size_t beside) {
  std::uint64_t most = 0;
  for (std::size_t last = beside, k = 0; last < flows.size(); last += links, ++k) {
    const auto end = flows.begin() + static_cast<std::ptrdiff_t>(last + 1);
    most = std::max(
        most, std::accumulate(end - static_cast<std::ptrdiff_t>(k + 1), end, std::uint64_t{0}));
  }
  return most;
}

/// Everything that a process sends, or receives, crosses the links of its node, except what it
/// exchanges with those that can share the node. A flow takes one way, so it leaves a node over one
/// link, and comes over one to another.
std::vector<CostBound> node_bounds(const SearchProblem& problem, const Partners& partners) {
  const bool is_directed = problem.sharing == LinkSharing::directed;
  const std::uint32_t processes = problem.traffic.process_count();
  std::vector<Amounts> out(processes);  // of links that both directions share, all
  std::vector<Amounts> in(processes);
  for (const Flow& flow : problem.traffic.flows()) {
    out[flow.from.index()].push_back(flow.bytes);
    (is_directed ? in : out)[flow.to.index()].push_back(flow.bytes);
  }
  std::vector<Amounts> both(is_directed ? 0 : processes);
  for (std::uint32_t process = 0; process < both.size(); ++process) {
    both[process] = mapped(partners.of(process), &Partner::weight);
  }
  for (auto* const all : {&out, &in, &both}) {
    for (Amounts& amounts : *all) {
      std::ranges::sort(amounts, std::greater{});
    }
  }
  const std::size_t beside = problem.slots - 1;
  const auto together = [&](std::uint32_t process, std::size_t links) {
    return is_directed ? std::max(sum_over_links(out[process], links, beside),
                                  sum_over_links(in[process], links, beside))
                       : sum_over_links(both[process], links, beside);
  };
  const auto whole = [&](std::uint32_t process, std::size_t links) {
    return std::max(least_shared_out(out[process], links, is_directed ? beside : 2 * beside),
                    least_shared_out(in[process], links, beside));
  };
  return {{least_at_nodes(problem, together),
           problem.slots == 1
               ? "node: what a process sends or receives, over the links of a node"
               : "node: what a process sends to other nodes or receives from them, over the links "
                 "of a node"},
          {least_at_nodes(problem, whole),
           "flows: those of a process, each whole, shared out to the links of a node"}};
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
  const std::vector<NodeId> nodes = usable_nodes(topology);
  for (const NodeId from : nodes) {
    for (const NodeId to : nodes) {
      if (from != to) {
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
      {divided_up(hops.cost, links), "mean: the least hop-bytes over all links; " + hops.source}};
  std::ranges::move(node_bounds(problem, partners), std::back_inserter(bounds));
  if (const auto bisection = bisection_bound(problem, partners)) {
    bounds.push_back(*bisection);
  }
  if (CostBound cut = cut_bound(problem, partners); cut.cost > 0) {
    bounds.push_back(std::move(cut));
  }
  if (const auto even = even_bound(problem)) {
    bounds.push_back(*even);
  }
  std::ranges::stable_sort(bounds, std::greater{}, &CostBound::cost);
  const WholeFlows whole{problem.traffic};
  std::ranges::for_each(bounds, [&](CostBound& bound) { whole.raise(bound); });
  return bounds;
}

}  // namespace dcube
