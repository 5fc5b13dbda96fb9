#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

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

/// One step of the trees: shares at these offsets above their ranks go `distance` up.
struct TreeStep {
  std::uint32_t distance;
  std::vector<std::uint32_t> offsets;
};

std::vector<TreeStep> tree_steps(std::uint32_t size, std::uint32_t aggregated) {
  std::vector<TreeStep> steps;
  const auto add = [&](std::uint32_t distance, std::uint32_t first, std::uint32_t period) {
    TreeStep step{distance, {}};
    for (std::uint64_t offset = first; offset + distance < size; offset += period) {
      step.offsets.push_back(static_cast<std::uint32_t>(offset));
    }
    if (!step.offsets.empty()) {
      steps.push_back(std::move(step));
    }
  };
  const std::uint32_t all = std::bit_ceil(size);
  const std::uint32_t part = std::max(1U, all / aggregated);  // offsets of a part of a tree
  for (std::uint32_t distance = all / 2; distance >= part; distance /= 2) {
    add(distance, 0, 2 * distance);
  }
  for (std::uint32_t offset = 1; offset < part; ++offset) {
    const std::uint32_t distance = offset & (0U - offset);
    add(distance, offset - distance, part);
  }
  return steps;
}

/// Shares that a message may have: as many as a segment has, a power of two.
std::uint32_t aggregated_shares(const CollectiveCall& call, std::uint32_t size) {
  const std::uint64_t share =
      std::max<std::uint64_t>(1, elements_of(call, size) / size * element_bytes_of(call));
  return std::bit_floor(static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(call.options.segment_bytes / share, 1, std::bit_ceil(size))));
}

CollectivePlan make_pat(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Blocks blocks = Blocks::shares(call, size);
  const std::vector<TreeStep> trees = tree_steps(size, aggregated_shares(call, size));
  const bool gathers = call.kind == CollectiveKind::allgather;
  CollectiveSteps steps;
  steps.add(static_cast<std::uint32_t>(trees.size()), [blocks, trees, gathers, rank,
                                                       size](std::uint32_t index) {
    // A reduce-scatter is the allgather backwards.
    const TreeStep& edges = trees[gathers ? index : trees.size() - 1 - index];
    const std::uint32_t distance = edges.distance;
    const auto ranks_below = [&](std::uint32_t more) {
      ElementRanges ranges;
      for (const std::uint32_t offset : edges.offsets) {
        const std::uint32_t below = offset + more;
        blocks.add(ranges, rank >= below ? rank - below : rank + (size - below));
      }
      return ranges;
    };
    const std::uint32_t up = distance < size - rank ? rank + distance : rank - (size - distance);
    const std::uint32_t down = rank >= distance ? rank - distance : rank + (size - distance);
    if (gathers) {
      return exchange_step(up, ranks_below(0), down, ranks_below(distance));
    }
    return exchange_step(down, ranks_below(distance), up, ranks_below(0), OnReceipt::combine_after);
  });
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm allgather_pat_algorithm{
    CollectiveKind::allgather,
    "pat",
    "binomial trees of all ranks in parallel, far ranks first, messages of A shares at most: "
    "(lg A + p/A - 1) a + n (p-1)/p b",
    {},
    make_pat};
const CollectiveAlgorithm reduce_scatter_pat_algorithm{
    CollectiveKind::reduce_scatter,
    "pat",
    "binomial trees of all ranks in parallel, near ranks first, messages of A shares at most: "
    "(lg A + p/A - 1) a + n (p-1)/p (b + g)",
    {.commutative = true},
    make_pat};

}  // namespace dcube
