#include "pair_cost.hpp"

namespace dcube {

/// The hops of all flows together: the average times the number of flows.
const ObjectiveKind average_dilation_objective{
    .traits = {.name = "average-dilation",
               .quantity = "hops a flow",
               .per = [](const SearchProblem& problem) -> std::uint64_t {
                 return problem.traffic.flows().size();
               },
               .flow_weight = FlowWeight::one,
               .is_sum = true},
    .most_cost =
        [](const SearchProblem& problem) {
          return UInt128{problem.traffic.flows().size()} * problem.topology.node_count();
        },
    .cost =
        [](const SearchProblem& problem, std::span<const NodeId> map) {
          return sum_of(problem.traffic.flows(), [&](const Flow& flow) -> std::uint64_t {
            return problem.topology.distance(map[flow.from.index()], map[flow.to.index()]);
          });
        },
    .map_cost = pair_sum_cost,
    .bounds = pair_sum_bounds,
    .least_cost = least_pair_sum};

}  // namespace dcube
