#include <limits>

#include "core/refuse.hpp"
#include "dcube/metrics/traffic_metrics.hpp"
#include "hop_lengths.hpp"
#include "pair_cost.hpp"

namespace dcube {
namespace {

/// Throws InputError (no place) unless sums of lengths stay within 63 bits, and routes there and
/// back weigh the same.
void check_hop_weights(const SearchProblem& problem) {
  if (!weighs_hops(problem)) {
    return;
  }
  const Topology& topology = problem.topology;
  const HopLengths lengths{topology};
  const UInt128 longest = UInt128{lengths.greatest_weight()} * topology.node_count();
  refuse_if(longest > std::numeric_limits<std::uint32_t>::max() ||
                longest * problem.traffic.total_bytes() > greatest_cost,
            "",
            "bytes times weights of hops may pass 2^63-1; use smaller weights, or a larger unit");
  if (lengths.are_symmetric()) {
    return;
  }
  constexpr std::uint32_t most_nodes = 4096;
  refuse_if(topology.usable_count() > most_nodes, "",
            "whether routes of the {} weigh the same there and back is not looked at beyond {} "
            "nodes; use the usual routing and no failures, or one weight for all classes",
            describe(topology), most_nodes);
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = from + 1; to < topology.node_count(); ++to) {
      const NodeId a{from};
      const NodeId b{to};
      const bool are_used =
          topology.is_usable(a) && topology.is_usable(b) && topology.reaches(a, b);
      refuse_if(
          are_used && lengths(a, b) != lengths(b, a), "",
          "the links from node {} to node {} weigh {} and those back {}; a search needs routes "
          "of one weight there and back",
          from, to, are_used ? lengths(a, b) : 0, are_used ? lengths(b, a) : 0);
    }
  }
}

}  // namespace

/// The sum over all flows of bytes times hops, which count as their links weigh.
const ObjectiveKind hop_bytes_objective{
    .traits = {.name = "hop-bytes",
               .quantity = "hops per byte",
               .per = [](const SearchProblem& problem) { return problem.traffic.total_bytes(); },
               .is_sum = true,
               .is_reason = true},
    .most_cost =
        [](const SearchProblem& problem) {
          return UInt128{problem.traffic.total_bytes()} * problem.topology.node_count() *
                 HopLengths{problem.topology}.greatest_weight();
        },
    .check = check_hop_weights,
    .cost =
        [](const SearchProblem& problem, std::span<const NodeId> map) {
          return measure_traffic(problem.topology, problem.traffic, map, problem.sharing).hop_bytes;
        },
    .map_cost = pair_sum_cost,
    .bounds = pair_sum_bounds,
    .least_cost = least_pair_sum,
    .weighs_hops = true};

}  // namespace dcube
