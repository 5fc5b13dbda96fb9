#include <algorithm>
#include <utility>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
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

/// Segments go from rank to rank, each passed on as soon as it has arrived.
CollectivePlan make_pipelined(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Members members = Members::from_root(rank, size, call.root);
  const Blocks blocks = Blocks::split(call.count, static_cast<std::uint32_t>(segments_of(call)));
  const std::uint32_t before =
      members.own == 0 ? CollectiveStep::nobody : members.rank(members.own - 1);
  const std::uint32_t after =
      members.own + 1 == size ? CollectiveStep::nobody : members.rank(members.own + 1);
  CollectiveSteps steps;
  steps.add(blocks.size() + 1, [blocks, before, after](std::uint32_t index) {
    CollectiveStep step;
    if (index > 0 && after != CollectiveStep::nobody) {
      step.to = after;
      step.sent = blocks[index - 1];
    }
    if (index < blocks.size() && before != CollectiveStep::nobody) {
      step.from = before;
      step.received = blocks[index];
    }
    return step;
  });
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
const CollectiveAlgorithm broadcast_pipelined_algorithm{
    CollectiveKind::broadcast,
    "pipelined",
    "k segments from rank to rank: (p + k - 2) (a + n/k b) where links carry one at a time",
    {.segments = true},
    make_pipelined};

}  // namespace dcube
