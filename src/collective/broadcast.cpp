#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

CollectivePlan make_scatter_allgather(const CollectiveCall& call, std::uint32_t rank,
                                      std::uint32_t size) {
  const Members members = Members::from_root(rank, size, call.root);
  const Blocks blocks = Blocks::split(call.count, size);
  CollectiveSteps steps = binomial_scatter(members, blocks);
  steps.append(recursive_doubling_allgather(members, blocks));
  return plan_of_steps(std::move(steps));
}

CollectivePlan make_scatter_ring(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  const Members members = Members::from_root(rank, size, call.root);
  const Blocks blocks = Blocks::split(call.count, size);
  CollectiveSteps steps = binomial_scatter(members, blocks);
  steps.append(ring_allgather(
      members, [blocks](std::uint32_t member) { return blocks[member]; }, Around::up));
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm broadcast_scatter_allgather_algorithm{
    CollectiveKind::broadcast,
    "scatter_allgather",
    "binomial scatter, then recursive doubling: 2 lg p a + 2 n (p-1)/p b",
    {},
    make_scatter_allgather};
const CollectiveAlgorithm broadcast_scatter_ring_algorithm{
    CollectiveKind::broadcast,
    "scatter_ring",
    "binomial scatter, then around the ring: (lg p + p-1) a + 2 n (p-1)/p b",
    {},
    make_scatter_ring};

}  // namespace dcube
