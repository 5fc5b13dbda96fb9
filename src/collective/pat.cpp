#include <algorithm>
#include <bit>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
#include "phases.hpp"

// Parallel aggregated trees [Jeaugey 2025]. The share of rank r goes to r + 1 .. r + p-1 along a
// binomial tree, the farthest first, so that long ways carry few shares. The trees of all ranks run
// at once. As long as a message has fewer than A shares, what is known doubles; then A parts of
// each tree go on in parallel, an edge of each at a time, depth first, so that few shares are on
// hold.

namespace dcube {
namespace {

/// Steps of the trees of all ranks.
class Trees {
 public:
  Trees(std::uint32_t size, std::uint32_t aggregated)
      : size_{size},
        part_{std::max(1U, std::bit_ceil(size) / aggregated)},
        doublings_{log2_of(std::bit_ceil(size)) - log2_of(part_)} {}

  std::uint32_t count() const { return doublings_ + std::min(part_, size_) - 1; }
  /// How far shares go up in a step.
  std::uint32_t distance(std::uint32_t step) const {
    return step < doublings_ ? std::bit_ceil(size_) >> (step + 1) : lowest_bit(offset(step));
  }
  /// Calls `visit` with the distances of those shares from their ranks, before.
  template <class Visit>
  void for_offsets(std::uint32_t step, Visit visit) const {
    const std::uint32_t way = distance(step);
    const std::uint64_t period = step < doublings_ ? 2 * way : part_;
    for (std::uint64_t to = step < doublings_ ? way : offset(step); to < size_; to += period) {
      visit(static_cast<std::uint32_t>(to - way));
    }
  }

 private:
  static std::uint32_t lowest_bit(std::uint32_t number) { return number & (0U - number); }
  /// Where the step leads in the first part of a tree.
  std::uint32_t offset(std::uint32_t step) const { return step - doublings_ + 1; }

  std::uint32_t size_;
  std::uint32_t part_;  ///< size of a part of a tree
  std::uint32_t doublings_;
};

/// Shares that a message may have: as many as a segment has, a power of two.
std::uint32_t aggregated_shares(const CollectiveCall& call, std::uint32_t size) {
  const std::uint64_t share =
      std::max<std::uint64_t>(1, elements_of(call, size) / size * element_bytes_of(call));
  const std::uint64_t bytes =
      call.options.segment_bytes == 0 ? usual_segment_bytes : call.options.segment_bytes;
  return std::bit_floor(
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bytes / share, 1, std::bit_ceil(size))));
}

CollectivePlan make_pat(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Blocks blocks = Blocks::shares(call, size);
  const Trees trees{size, aggregated_shares(call, size)};
  const bool gathers = call.kind == CollectiveKind::allgather;
  return plan_of_steps(trees.count(), [blocks, trees, gathers, rank, size](std::uint32_t index) {
    // A reduce-scatter is the allgather backwards.
    const std::uint32_t step = gathers ? index : trees.count() - 1 - index;
    const std::uint32_t distance = trees.distance(step);
    const auto below = [&](std::uint32_t ranks) { return rank_below(rank, ranks, size); };
    const auto shares = [&](std::uint32_t more) {
      ElementRanges ranges;
      trees.for_offsets(step,
                        [&](std::uint32_t offset) { blocks.add(ranges, below(offset + more)); });
      return ranges;
    };
    const std::uint32_t above = below(size - distance);
    return gathers ? exchange_step(above, shares(0), below(distance), shares(distance))
                   : exchange_step(below(distance), shares(distance), above, shares(0),
                                   OnReceipt::combine_after);
  });
}

}  // namespace

const CollectiveAlgorithm allgather_pat_algorithm{
    CollectiveKind::allgather,
    "pat",
    "binomial trees of all ranks in parallel, far ranks first, messages of A shares at most: "
    "(lg A + p/A - 1) a + n (p-1)/p b",
    {.segments = CollectiveNeeds::Segments::own},
    make_pat};
const CollectiveAlgorithm reduce_scatter_pat_algorithm{
    CollectiveKind::reduce_scatter,
    "pat",
    "binomial trees of all ranks in parallel, near ranks first, messages of A shares at most: "
    "(lg A + p/A - 1) a + n (p-1)/p (b + g)",
    {.commutative = true, .segments = CollectiveNeeds::Segments::own},
    make_pat};

}  // namespace dcube
