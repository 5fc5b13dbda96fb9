#include "dcube/metrics/traffic_metrics.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "hop_lengths.hpp"
#include "pair_cost.hpp"

namespace dcube {

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
