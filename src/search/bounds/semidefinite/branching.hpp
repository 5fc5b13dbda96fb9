#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "pair_masks.hpp"
#include "relaxation.hpp"

namespace dcube {

/// Branch and bound: a pair of processes is near or far, and each case has a bound of its own,
/// from the multipliers of the case it is part of. The case of the least bound is split first.
class Branching {
 public:
  struct Settings {
    std::uint64_t reached = 0;  ///< cost of a map; cases that reach it are closed
    std::uint64_t bound = 0;    ///< of all cases
    const std::function<bool()>& should_stop;
    std::function<void(std::uint64_t)> on_bound;  ///< called with each greater bound
  };

  /// Begins at the relaxation's state. Needs MaskPropagation::most_classes at most.
  Branching(const DifferenceClasses& classes, const Talkers& talkers, Relaxation& relaxation,
            Settings settings);

  /// Splits cases until all are closed or should_stop() ends it. The bound of all cases.
  std::uint64_t run();
  std::uint64_t cases() const { return cases_; }

 private:
  struct Case {
    std::uint64_t bound = 0;
    Int128 value = 0;
    PairMasks masks{};
    std::shared_ptr<const Relaxation::State> state{};

    /// Whether the other one is split before.
    friend bool operator<(const Case& a, const Case& b) { return a.value > b.value; }
  };
  /// Pairs that are near if the class is in `near`.
  struct Split {
    std::size_t pair = 0;
    std::uint64_t near = 0;
  };

  bool split(const Case& one);
  Split best_split(const PairMasks& masks) const;
  bool solve(Case& one);

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  Relaxation& relaxation_;
  Settings settings_;
  MaskPropagation propagation_;
  std::shared_ptr<const Relaxation::State> root_;
  std::size_t most_states_ = 0;
  std::priority_queue<Case> open_;
  std::uint64_t least_closed_ = 0;  ///< least bound of cases that no pair splits
  std::uint64_t cases_ = 0;
  bool is_over_ = false;
};

}  // namespace dcube
