#include <bit>

#include "catalog.hpp"
#include "phases.hpp"

// In step s a member exchanges all that it has with the member whose number differs in bit s. Then
// it has the values of 2^(s+1) consecutive members, so their order is kept.

namespace dcube {
namespace {

CollectivePlan make_doubling_allreduce(const CollectiveCall& call, std::uint32_t rank,
                                       std::uint32_t size) {
  const ElementRanges elements = whole(call.count);
  return plan_of_steps(
      fold(Members::all(rank, size), elements, [&elements](const Members& members) {
        return recursive_doubling_allreduce(members, elements);
      }));
}

CollectivePlan make_doubling_allgather(const CollectiveCall& call, std::uint32_t rank,
                                       std::uint32_t size) {
  return plan_of_steps(
      recursive_doubling_allgather(Members::all(rank, size), Blocks::shares(call, size)));
}

/// MPICH's scan: `scratch` is what is passed on, `work` the answer.
CollectivePlan make_doubling_scan(const CollectiveCall& call, std::uint32_t rank,
                                  std::uint32_t size) {
  const bool is_exclusive = call.kind == CollectiveKind::exscan;
  const auto steps_to_all = static_cast<std::uint32_t>(std::bit_width(size - 1));
  return plan_of_steps(
      steps_to_all, [rank, size, is_exclusive, elements = whole(call.count)](std::uint32_t index) {
        const std::uint32_t other = rank ^ (1U << index);
        if (other >= size) {
          return CollectiveStep{};
        }
        CollectiveStep step =
            exchange_step(other, elements, other, elements, combine_in_order(other, rank));
        step.source = ElementBuffer::scratch;
        if (other > rank) {
          step.target = ElementBuffer::scratch;
          return step;
        }
        step.in_scratch = OnReceipt::combine_before;
        const bool knows_nothing = is_exclusive && (rank & ((1U << index) - 1)) == 0;
        step.on_receipt = knows_nothing ? OnReceipt::write : step.on_receipt;
        return step;
      });
}

}  // namespace

CollectiveSteps recursive_doubling_allreduce(const Members& members,
                                             const ElementRanges& elements) {
  return CollectiveSteps(log2_of(members.size), [members, elements](std::uint32_t index) {
    const std::uint32_t other = members.own ^ (1U << index);
    const std::uint32_t rank = members.rank(other);
    return exchange_step(rank, elements, rank, elements, combine_in_order(other, members.own));
  });
}

/// If the members are no power of two, the first ones form pairs, and the odd one acts for both.
CollectiveSteps recursive_doubling_allgather(const Members& members, const Blocks& blocks) {
  const std::uint32_t power = std::bit_floor(members.size);
  const std::uint32_t pairs = members.size - power;
  const std::uint32_t own = members.own;
  const bool is_paired = own < 2 * pairs;
  CollectiveSteps steps;
  if (is_paired && own % 2 == 0) {
    const std::uint32_t neighbour = members.rank(own + 1);
    steps.add(send_step(neighbour, blocks[own]));
    steps.add(receive_step(neighbour, blocks.run(own + 1, members.size - 1)));
    return steps;
  }
  if (is_paired) {
    steps.add(receive_step(members.rank(own - 1), blocks[own - 1]));
  }
  const Blocks merged = pairs > 0 ? blocks.folded() : blocks;
  const std::uint32_t place = is_paired ? own / 2 : own - pairs;
  steps.add(log2_of(power), [merged, place, pairs, rank_of = members.rank](std::uint32_t index) {
    const std::uint32_t distance = 1U << index;
    const std::uint32_t other = place ^ distance;
    const std::uint32_t rank = rank_of(other < pairs ? 2 * other + 1 : other + pairs);
    return exchange_step(rank, merged.run(place & ~(distance - 1), distance), rank,
                         merged.run(other & ~(distance - 1), distance));
  });
  if (is_paired) {
    steps.add(send_step(members.rank(own - 1), blocks.run(own, members.size - 1)));
  }
  return steps;
}

const CollectiveAlgorithm allreduce_recursive_doubling_algorithm{
    CollectiveKind::allreduce,
    "recursive_doubling",
    "all values with ranks at distances 1, 2, 4, ..: lg p (a + n b + n g)",
    {},
    make_doubling_allreduce};
const CollectiveAlgorithm allgather_recursive_doubling_algorithm{
    CollectiveKind::allgather,
    "recursive_doubling",
    "all that is known with ranks at distances 1, 2, 4, ..: lg p a + n (p-1)/p b",
    {},
    make_doubling_allgather};
const CollectiveAlgorithm scan_recursive_doubling_algorithm{
    CollectiveKind::scan,
    "recursive_doubling",
    "partial results with ranks at distances 1, 2, 4, ..: lg p (a + n b + 2 n g)",
    {},
    make_doubling_scan};
const CollectiveAlgorithm exscan_recursive_doubling_algorithm{
    CollectiveKind::exscan,
    "recursive_doubling",
    "partial results with ranks at distances 1, 2, 4, ..: lg p (a + n b + 2 n g) at most",
    {},
    make_doubling_scan};

}  // namespace dcube
