#include <bit>
#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

// Reduction by halving: with the members at distances 1, 2, 4, .. each keeps half of what it had,
// so the order of ranks is kept. Then all, or the root, gather the parts.

namespace dcube {
namespace {

CollectivePlan make_rabenseifner_allreduce(const CollectiveCall& call, std::uint32_t rank,
                                           std::uint32_t size) {
  return plan_of_steps(rabenseifner_allreduce(Members::all(rank, size), call.count));
}

/// In the first pairs of ranks the odd one, or the root, goes on with the values of both.
CollectivePlan make_rabenseifner_reduce(const CollectiveCall& call, std::uint32_t rank,
                                        std::uint32_t size) {
  const std::uint32_t power = std::bit_floor(size);
  const std::uint32_t pairs = size - power;
  const std::uint32_t root = call.root;
  const auto member_of = [pairs](std::uint32_t any) {
    return any < 2 * pairs ? any / 2 : any - pairs;
  };
  const Members members{member_of(rank), power, [pairs, root](std::uint32_t member) {
                          if (member >= pairs) {
                            return member + pairs;
                          }
                          return member == root / 2 ? root : 2 * member + 1;
                        }};
  CollectiveSteps steps;
  if (rank < 2 * pairs) {
    const std::uint32_t stays = members.rank(members.own);
    if (rank != stays) {
      steps.add(send_step(stays, whole(call.count)));
      return plan_of_steps(std::move(steps));
    }
    steps.add(receive_step(rank ^ 1U, whole(call.count), combine_in_order(rank ^ 1U, rank)));
  }
  const Blocks blocks = Blocks::split(call.count, power);
  steps.append(halving_reduce_scatter(members, blocks));
  // Gather in reverse order of steps: who differs from the root in the step's bit sends its part.
  const std::uint32_t goal = member_of(root);
  for (std::uint32_t step = log2_of(power); step-- > 0;) {
    const std::uint32_t other = members.own ^ (1U << step);
    if (((members.own ^ goal) >> step & 1U) != 0) {
      steps.add(send_step(members.rank(other), kept_by_halving(blocks, members.own, step + 1)));
      break;
    }
    steps.add(receive_step(members.rank(other), kept_by_halving(blocks, other, step + 1)));
  }
  return plan_of_steps(std::move(steps));
}

}  // namespace

ElementRanges kept_by_halving(const Blocks& blocks, std::uint32_t place, std::uint32_t steps) {
  std::uint32_t first = 0;
  std::uint32_t count = blocks.size();
  for (std::uint32_t step = 0; step < steps; ++step) {
    count /= 2;
    first += (place >> step & 1U) != 0 ? count : 0;
  }
  return blocks.run(first, count);
}

CollectiveSteps halving_reduce_scatter(const Members& members, const Blocks& blocks) {
  return CollectiveSteps(log2_of(members.size), [members, blocks](std::uint32_t step) {
    const std::uint32_t other = members.own ^ (1U << step);
    const std::uint32_t rank = members.rank(other);
    return exchange_step(rank, kept_by_halving(blocks, other, step + 1), rank,
                         kept_by_halving(blocks, members.own, step + 1),
                         combine_in_order(other, members.own));
  });
}

CollectiveSteps doubling_allgather(const Members& members, const Blocks& blocks) {
  return CollectiveSteps(log2_of(members.size), [members, blocks](std::uint32_t index) {
    const std::uint32_t step = log2_of(members.size) - 1 - index;
    const std::uint32_t other = members.own ^ (1U << step);
    const std::uint32_t rank = members.rank(other);
    return exchange_step(rank, kept_by_halving(blocks, members.own, step + 1), rank,
                         kept_by_halving(blocks, other, step + 1));
  });
}

CollectiveSteps rabenseifner_allreduce(const Members& members, std::uint64_t elements) {
  return fold(members, whole(elements), [elements](const Members& folded) {
    const Blocks blocks = Blocks::split(elements, folded.size);
    CollectiveSteps steps = halving_reduce_scatter(folded, blocks);
    steps.append(doubling_allgather(folded, blocks));
    return steps;
  });
}

const CollectiveAlgorithm allreduce_rabenseifner_algorithm{
    CollectiveKind::allreduce,
    "rabenseifner",
    "reduce-scatter by halving, then allgather by doubling: 2 lg p a + 2 n (p-1)/p b + n (p-1)/p g",
    {},
    make_rabenseifner_allreduce};
const CollectiveAlgorithm reduce_rabenseifner_algorithm{
    CollectiveKind::reduce,
    "rabenseifner",
    "reduce-scatter by halving, then gather: 2 lg p a + 2 n (p-1)/p b + n (p-1)/p g",
    {},
    make_rabenseifner_reduce};

}  // namespace dcube
