#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/collective/plan.hpp"

namespace dcube {

/// A part of something that is divided in proportion to weights.
struct Portion {
  std::uint64_t before = 0;  ///< weights of earlier parts
  std::uint64_t own = 1;
  std::uint64_t all = 1;

  /// Elements of it, of so many. Portions next to each other leave nothing out.
  ElementRange of(std::uint64_t elements) const;
};

/// Division of a buffer's elements into blocks, one for each process.
class Blocks {
 public:
  /// Blocks of equal size, the first `elements` mod `blocks` of them larger by one.
  static Blocks split(std::uint64_t elements, std::uint32_t blocks);
  /// split() of the port's piece, where the ports' pieces are a split() of all elements.
  static Blocks split_piece(std::uint64_t elements, std::uint32_t port, std::uint32_t ports,
                            std::uint32_t blocks);
  /// split() of the portion of all elements.
  static Blocks split_portion(std::uint64_t elements, const Portion& portion, std::uint32_t blocks);
  static Blocks equal(std::uint64_t each, std::uint32_t blocks);
  static Blocks unequal(std::span<const std::uint64_t> counts);
  /// The processes' shares.
  static Blocks shares(const CollectiveCall& call, std::uint32_t size);

  std::uint32_t size() const { return count_; }
  /// Blocks that are part `part` of the `parts` of each block of this.
  Blocks part(std::uint32_t part, std::uint32_t parts) const;
  /// Blocks that are that portion of each block of this.
  Blocks part(const Portion& portion) const;
  /// Block i of the result is block i + by of this, modulo size().
  Blocks rotated(std::uint32_t by) const;
  /// Joins the first blocks in pairs, so that the number of blocks is a power of two, the largest.
  Blocks folded() const;

  ElementRanges operator[](std::uint32_t block) const { return run(block, 1); }
  /// Elements of consecutive blocks, modulo size().
  ElementRanges run(std::uint32_t first, std::uint32_t count) const;
  ElementRanges all() const { return run(0, count_); }
  /// Elements of those blocks, in that order.
  ElementRanges of(const std::vector<std::uint32_t>& blocks) const;
  void add(ElementRanges& ranges, std::uint32_t block) const { add_run(ranges, block, block + 1); }

 private:
  std::uint64_t begin_of(std::uint64_t base) const;
  std::uint32_t unfolded(std::uint32_t block) const {
    return block < pairs_ ? 2 * block : block + pairs_;
  }
  /// Adds blocks `first` .. `end`-1, without going around.
  void add_run(ElementRanges& ranges, std::uint32_t first, std::uint32_t end) const;
  void add_base_run(ElementRanges& ranges, std::uint32_t first, std::uint32_t end) const;

  std::uint32_t count_ = 1;  ///< blocks, after folding
  std::uint32_t base_ = 1;   ///< blocks before folding
  std::uint64_t first_ = 0;  ///< first element
  std::uint64_t each_ = 0;
  std::uint64_t larger_ = 0;  ///< blocks with one element more
  std::shared_ptr<const std::vector<std::uint64_t>> begins_;
  std::uint32_t pairs_ = 0;
  std::uint32_t rotation_ = 0;
  std::uint32_t part_ = 0;
  std::uint32_t parts_ = 1;
  std::shared_ptr<const Portion> portion_;
};

}  // namespace dcube
