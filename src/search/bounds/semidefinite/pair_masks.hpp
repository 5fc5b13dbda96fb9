#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "difference_classes.hpp"
#include "talkers.hpp"

namespace dcube {

/// Which classes the difference of each pair of talkers a < b may have, a bit each.
using PairMasks = std::vector<std::uint64_t>;

/// What follows from masks: of three processes two differences restrict the third, and processes
/// that may be exchanged are sorted by their hops to one that is not among them.
class MaskPropagation {
 public:
  static constexpr std::size_t most_classes = 64;

  MaskPropagation(const DifferenceClasses& classes, const Talkers& talkers);

  /// Every difference that there is.
  PairMasks all() const;
  std::size_t pair_of(std::size_t a, std::size_t b) const;
  /// Takes away what cannot be. False where nothing is left of a pair.
  bool restrict(PairMasks& masks) const;
  /// Classes of at most so many hops.
  std::uint64_t within(std::uint32_t hops) const;

 private:
  void find_twins();
  bool are_twins(std::size_t a, std::size_t b) const;
  bool sort_twins(PairMasks& masks, bool& has_changed) const;
  std::uint64_t third(std::uint64_t one, std::uint64_t other) const;

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  std::uint64_t known_ = 0;
  /// [first][second]: classes of b - c where a - b and a - c have these classes.
  std::vector<std::uint64_t> thirds_;
  /// Pairs, each with no fewer hops than the one before.
  std::vector<std::vector<std::size_t>> chains_;
};

}  // namespace dcube
