#include "dcube/metrics/traffic_metrics.hpp"
#include "pair_sums.hpp"

namespace dcube {

/// The sum over all flows of bytes times hops.
const ObjectiveKind hop_bytes_objective{
    .traits = {.name = "hop-bytes",
               .quantity = "hops per byte",
               .per = [](const SearchProblem& problem) { return problem.traffic.total_bytes(); },
               .is_sum = true,
               .is_reason = true},
    .most_cost =
        [](const SearchProblem& problem) {
          return UInt128{problem.traffic.total_bytes()} * problem.topology.node_count();
        },
    .cost =
        [](const SearchProblem& problem, std::span<const NodeId> map) {
          return measure_traffic(problem.topology, problem.traffic, map, problem.sharing).hop_bytes;
        },
    .map_cost = pair_sum_cost,
    .bounds = pair_sum_bounds,
    .least_cost = least_pair_sum};

}  // namespace dcube
