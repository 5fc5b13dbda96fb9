#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Adds amounts to all links of a run in O(1).
///
/// A run of h hops from link l adds its amount at mark l and subtracts it at mark l + h * stride. A
/// running sum along the stride then turns marks into totals:
///
///     ring of 8, run 1 -> 4     link    0  1  2  3  4  5  6  7 (8: margin)
///                               marks   .  +1 .  .  -1 .  .  .  .
///                               totals  0  1  1  1  0  0  0  0
///
/// The sum needs no line boundaries: a run that ends with the last link of its line leaves its -1
/// at the start of the next line, or, in the last line, in the margin of one stride. Links of a
/// block without a stride are counted one by one.
///
/// Amounts may wrap around in between; totals that fit come out exact.
template <class Amount>
class RunTally {
 public:
  /// O(link slots) memory. Blocks for which `counts` is false get no runs and take no memory.
  explicit RunTally(
      const Topology& topology, const std::function<bool(const LinkDirection&)>& counts =
                                    [](const LinkDirection&) { return true; }) {
    std::size_t slots = 0;
    for (const LinkDirection& direction : topology.link_directions()) {
      const auto margin = static_cast<std::size_t>(std::abs(std::int64_t{direction.stride}));
      const std::size_t before = direction.stride < 0 ? margin : 0;
      const bool is_counted = counts(direction);
      blocks_.push_back({direction, is_counted, slots + before});
      slots += is_counted ? direction.count + margin : 0;
    }
    marks_.assign(slots, Amount{0});
  }

  /// Marks of a run; the same one twice in a block without a stride.
  struct Ends {
    Amount* begin;
    Amount* end;
  };
  /// `direction`: the position in link_directions() of the block that holds `first`.
  Ends ends_of(std::size_t direction, LinkId first, std::uint32_t hops) {
    const Block& block = blocks_.data()[direction];
    Amount* const begin =
        marks_.data() + block.offset + (first.index() - block.direction.first.index());
    return {begin, begin + std::int64_t{block.direction.stride} * hops};
  }
  void add(std::size_t direction, LinkId first, std::uint32_t hops, Amount amount) {
    const Ends ends = ends_of(direction, first, hops);
    *ends.begin += amount;
    if (ends.end != ends.begin) {
      *ends.end -= amount;
    }
  }

  /// Turns the marks into totals in place: once, after the last run.
  void sum_up() {
    for (const Block& block : blocks_) {
      if (block.is_counted) {
        sum(block, marks_.data() + block.offset);
      }
    }
  }
  /// Needs sum_up().
  Amount total(std::size_t direction, LinkId link) const {
    const Block& block = blocks_.data()[direction];
    return marks_.data()[block.offset + (link.index() - block.direction.first.index())];
  }

  /// Totals by link number so far, without sum_up().
  std::vector<Amount> totals(std::uint32_t link_slots) const {
    std::vector<Amount> sums(link_slots, Amount{0});
    for (const Block& block : blocks_) {
      if (block.is_counted) {
        Amount* const out = sums.data() + block.direction.first.index();
        std::copy_n(marks_.data() + block.offset, block.direction.count, out);
        sum(block, out);
      }
    }
    return sums;
  }

 private:
  struct Block {
    LinkDirection direction;
    bool is_counted;
    std::size_t offset;  ///< of the block's first link among the marks
  };

  /// Turns the marks of the block's links into totals.
  static void sum(const Block& block, Amount* links) {
    const std::int64_t count = block.direction.count;
    const std::int64_t stride = block.direction.stride;
    if (stride > 0) {
      for (std::int64_t i = stride; i < count; ++i) {
        links[i] += links[i - stride];
      }
    } else if (stride < 0) {
      for (std::int64_t i = count + stride; i-- > 0;) {
        links[i] += links[i - stride];
      }
    }
  }

  std::vector<Block> blocks_;
  std::vector<Amount> marks_;
};

}  // namespace dcube
