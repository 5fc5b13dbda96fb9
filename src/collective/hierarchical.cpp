#include <algorithm>
#include <utility>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// The first rank of every node reduces its node's values, these ranks do an allreduce, and each
/// broadcasts on its node. All phases keep the order of ranks.
CollectivePlan make_hierarchical(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  const std::uint32_t node_size = std::min(call.options.node_size, size);
  const std::uint32_t leader = rank - rank % node_size;
  const Members node{rank - leader, std::min(node_size, size - leader),
                     [leader](std::uint32_t member) { return leader + member; }};
  const ElementRanges elements = whole(call.count);
  CollectiveSteps steps = binomial_reduce(node, elements);
  if (rank == leader) {
    const Members leaders{rank / node_size, (size - 1) / node_size + 1,
                          [node_size](std::uint32_t member) { return member * node_size; }};
    if (automatic_algorithm(call, leaders.size) == "rabenseifner") {
      steps.append(rabenseifner_allreduce(leaders, call.count));
    } else {
      steps.append(fold(leaders, elements, [&elements](const Members& members) {
        return recursive_doubling_allreduce(members, elements);
      }));
    }
  }
  steps.append(binomial_broadcast(node, elements));
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm allreduce_hierarchical_algorithm{
    CollectiveKind::allreduce,
    "hierarchical",
    "within nodes, then between their first ranks, then within nodes",
    {},
    make_hierarchical};

}  // namespace dcube
