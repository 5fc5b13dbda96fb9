#include <algorithm>
#include <bit>
#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

// Bruck, Ho, Kipnis, Upfal & Weathersby 1997, whose rotations
// are costs alone: places of blocks are final.

namespace dcube {
namespace {

std::uint32_t steps_up_to(std::uint32_t size) {
  return static_cast<std::uint32_t>(std::bit_width(size - 1));
}

/// The blocks are rotated in the end, by way of another buffer.
std::uint32_t copies_of_allgather(std::uint32_t) { return 2; }

CollectivePlan make_bruck_allgather(const CollectiveCall& call, std::uint32_t rank,
                                    std::uint32_t size) {
  const Blocks blocks = Blocks::shares(call, size);
  return plan_of_steps(steps_up_to(size), [blocks, rank, size](std::uint32_t index) {
    const std::uint64_t distance = std::uint64_t{1} << index;
    const auto known = static_cast<std::uint32_t>(std::min(distance, size - distance));
    const auto above = static_cast<std::uint32_t>((rank + distance) % size);
    const auto below = static_cast<std::uint32_t>((rank + size - distance) % size);
    return exchange_step(below, blocks.run(rank, known), above, blocks.run(above, known));
  });
}

/// A block that has yet to go up `distance` ranks is at place(distance).
CollectivePlan make_bruck_exchange(const CollectiveCall& call, std::uint32_t rank,
                                   std::uint32_t size) {
  const Blocks blocks = Blocks::equal(call.count, size);
  const auto place = [rank, size](std::uint32_t distance) {
    return distance <= rank ? rank - distance : rank + (size - distance);
  };
  CollectiveSteps steps;
  steps.add(1, [blocks, place, rank, size](std::uint32_t) {
    CollectiveStep turn = exchange_step(rank, {}, rank, {});
    turn.source = ElementBuffer::input;
    for (std::uint32_t distance = size; distance-- > 0;) {
      blocks.add(turn.sent, place(distance == 0 ? 0 : size - distance));
      blocks.add(turn.received, place(distance));
    }
    return turn;
  });
  steps.add(steps_up_to(size), [blocks, place, size](std::uint32_t index) {
    const std::uint32_t bit = 1U << index;
    ElementRanges moved;
    for (std::uint32_t distance = size; distance-- > 0;) {
      if ((distance & bit) != 0) {
        blocks.add(moved, place(distance));
      }
    }
    return exchange_step(place(size - bit), moved, place(bit), moved);
  });
  return plan_of_steps(std::move(steps));
}

}  // namespace

std::uint32_t copies_of_packing(std::uint32_t size) { return steps_up_to(size) + 2; }

const CollectiveAlgorithm allgather_bruck_algorithm{
    CollectiveKind::allgather,
    "bruck",
    "all that is known with ranks 1, 2, 4, .. above: ceil(lg p) a + n (p-1)/p b",
    {},
    make_bruck_allgather,
    nullptr,
    copies_of_allgather};
const CollectiveAlgorithm all_to_all_bruck_algorithm{
    CollectiveKind::all_to_all,
    "bruck",
    "in step s everything whose way has the bit s goes 2^s ranks up: lg p a + (n/2) lg p b",
    {},
    make_bruck_exchange,
    nullptr,
    copies_of_packing};

}  // namespace dcube
