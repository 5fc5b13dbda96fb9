#include <bit>
#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// Exchanges with members at distances p/2, p/4, .., 1. If the ranks are no power of two, the first
/// ones form pairs, and the odd one acts for both.
CollectivePlan make_recursive_halving(const CollectiveCall& call, std::uint32_t rank,
                                      std::uint32_t size) {
  const std::uint32_t power = std::bit_floor(size);
  const std::uint32_t pairs = size - power;
  const Blocks blocks = Blocks::shares(call, size);
  const bool is_paired = rank < 2 * pairs;
  CollectiveSteps steps;
  if (is_paired && rank % 2 == 0) {
    steps.add(send_step(rank + 1, blocks.all()));
    steps.add(receive_step(rank + 1, blocks[rank]));
    return plan_of_steps(std::move(steps));
  }
  if (is_paired) {
    steps.add(receive_step(rank - 1, blocks.all(), OnReceipt::combine_before));
  }
  const Blocks merged = blocks.folded();
  const std::uint32_t own = is_paired ? rank / 2 : rank - pairs;
  steps.add(log2_of(power), [merged, own, power, pairs](std::uint32_t index) {
    const std::uint32_t distance = power >> (index + 1);
    const std::uint32_t other = own ^ distance;
    const std::uint32_t other_rank = other < pairs ? 2 * other + 1 : other + pairs;
    return exchange_step(other_rank, merged.run(other & ~(distance - 1), distance), other_rank,
                         merged.run(own & ~(distance - 1), distance), combine_in_order(other, own));
  });
  if (is_paired) {
    steps.add(send_step(rank - 1, blocks[rank - 1]));
  }
  return plan_of_steps(std::move(steps));
}

/// Round i sends to rank + i and receives from rank - i. If the order matters, values of ranks
/// above, the highest first, are combined in `scratch` until all have come.
CollectivePlan make_pairwise_reduction(const CollectiveCall& call, std::uint32_t rank,
                                       std::uint32_t size) {
  const bool is_commutative = call.options.is_commutative;
  const Blocks blocks = Blocks::shares(call, size);
  CollectiveSteps steps;
  steps.add(size - 1, [blocks, rank, size, is_commutative](std::uint32_t index) {
    const std::uint32_t round = index + 1;
    const std::uint32_t to = rank_above(rank, round, size);
    const std::uint32_t from = rank_below(rank, round, size);
    CollectiveStep step =
        exchange_step(to, blocks[to], from, blocks[rank], OnReceipt::combine_before);
    if (!is_commutative && from > rank) {
      step.target = ElementBuffer::scratch;
      step.on_receipt = from + 1 == size ? OnReceipt::write : OnReceipt::combine_before;
    }
    return step;
  });
  if (!is_commutative && rank + 1 < size) {
    CollectiveStep last =
        exchange_step(rank, blocks[rank], rank, blocks[rank], OnReceipt::combine_after);
    last.source = ElementBuffer::scratch;
    steps.add(std::move(last));
  }
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm reduce_scatter_recursive_halving_algorithm{
    CollectiveKind::reduce_scatter,
    "recursive_halving",
    "halves of what is left with ranks at distances p/2, .., 2, 1: lg p a + n (p-1)/p (b + g)",
    {.commutative = true},
    make_recursive_halving};
const CollectiveAlgorithm reduce_scatter_pairwise_algorithm{
    CollectiveKind::reduce_scatter,
    "pairwise",
    "in round i to rank + i, from rank - i: (p-1) a + n (p-1)/p (b + g)",
    {},
    make_pairwise_reduction};

}  // namespace dcube
