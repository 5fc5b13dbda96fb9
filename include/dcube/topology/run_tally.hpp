#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Adds amounts to all links of a run in O(1): a mark where the run begins, one where it has ended,
/// and one prefix sum along each direction's stride at the end. Amounts may wrap around in between;
/// sums that fit come out exact.
template <class Amount>
class RunTally {
 public:
  explicit RunTally(const Topology& topology) {
    std::size_t slots = 0;
    for (const LinkDirection& direction : topology.link_directions()) {
      // A mark past the last link of a line falls on the next line, where the running sum is due to
      // change by just that much; past the block's end it falls into this margin.
      const auto margin = static_cast<std::size_t>(std::abs(std::int64_t{direction.stride}));
      const std::size_t before = direction.stride < 0 ? margin : 0;
      blocks_.push_back({direction, slots + before});
      slots += direction.count + margin;
    }
    marks_.assign(slots, Amount{0});
  }

  /// `direction`: the position in link_directions() of the block that holds `first`.
  void add(std::size_t direction, LinkId first, std::uint32_t hops, Amount amount) {
    const Block& block = blocks_[direction];
    const std::size_t begin = block.offset + (first.index() - block.direction.first.index());
    marks_[begin] += amount;
    if (block.direction.stride != 0) {
      marks_[begin + static_cast<std::size_t>(std::int64_t{block.direction.stride} * hops)] -=
          amount;
    }
  }

  /// The sum on every link number.
  std::vector<Amount> totals(std::uint32_t link_slots) const {
    std::vector<Amount> sums(link_slots, Amount{0});
    for (const Block& block : blocks_) {
      const std::int64_t count = block.direction.count;
      const std::int64_t stride = block.direction.stride;
      Amount* const out = sums.data() + block.direction.first.index();
      const Amount* const marks = marks_.data() + block.offset;
      for (std::int64_t step = 0; step < count; ++step) {
        const std::int64_t i = stride < 0 ? count - 1 - step : step;
        const std::int64_t previous = i - stride;
        const bool continues = stride != 0 && previous >= 0 && previous < count;
        out[i] = marks[i] + (continues ? out[previous] : Amount{0});
      }
    }
    return sums;
  }

 private:
  struct Block {
    LinkDirection direction;
    std::size_t offset;  ///< of the block's first link among the marks
  };

  std::vector<Block> blocks_;
  std::vector<Amount> marks_;
};

}  // namespace dcube
