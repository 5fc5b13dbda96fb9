#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/collective/plan.hpp"

namespace dcube {

/// How the elements of a buffer are divided among processes.
class Blocks {
 public:
  /// As equal as can be, the first ones larger by one where they are not.
  static Blocks split(std::uint64_t elements, std::uint32_t blocks);
  /// The same of what a port has of all elements: one piece of as many as there are ports.
  static Blocks split_piece(std::uint64_t elements, std::uint32_t port, std::uint32_t ports,
                            std::uint32_t blocks);
  /// All of one size.
  static Blocks equal(std::uint64_t each, std::uint32_t blocks);
  static Blocks unequal(std::span<const std::uint64_t> counts);
  /// The shares of the processes.
  static Blocks shares(const CollectiveCall& call, std::uint32_t size);

  std::uint32_t size() const { return count_; }
  /// Of every block only the part `part` of `parts`, of what this gives.
  Blocks part(std::uint32_t part, std::uint32_t parts) const;
  /// Block i is block i + by, once around.
  Blocks rotated(std::uint32_t by) const;
  /// The first blocks are two each, so that so many are left: the largest power of two.
  Blocks folded() const;

  ElementRanges operator[](std::uint32_t block) const { return run(block, 1); }
  /// Consecutive blocks, once around.
  ElementRanges run(std::uint32_t first, std::uint32_t count) const;
  ElementRanges all() const { return run(0, count_); }
  void add(ElementRanges& ranges, std::uint32_t block) const { add_run(ranges, block, block + 1); }

 private:
  std::uint64_t begin_of(std::uint64_t base) const;
  std::uint32_t unfolded(std::uint32_t block) const {
    return block < pairs_ ? 2 * block : block + pairs_;
  }
  /// Neither goes around nor past the end.
  void add_run(ElementRanges& ranges, std::uint32_t first, std::uint32_t end) const;
  void add_base_run(ElementRanges& ranges, std::uint32_t first, std::uint32_t end) const;

  std::uint32_t count_ = 1;  ///< of blocks, once folded
  std::uint32_t base_ = 1;   ///< of blocks before
  std::uint64_t first_ = 0;  ///< element
  std::uint64_t each_ = 0;
  std::uint64_t larger_ = 0;  ///< so many have one more
  std::shared_ptr<const std::vector<std::uint64_t>> begins_;
  std::uint32_t pairs_ = 0;
  std::uint32_t rotation_ = 0;
  std::uint32_t part_ = 0;
  std::uint32_t parts_ = 1;
};

}  // namespace dcube
