#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pair_masks.hpp"
#include "relaxation.hpp"
#include "search/proofs/open_cases.hpp"

namespace dcube {

/// Branch and bound: a pair of processes is near or far, and each case has a bound of its own,
/// from the multipliers of the case it is part of. The case of the least bound is split first.
class Branching {
 public:
  /// Begins at the relaxation's state. Needs MaskPropagation::most_classes at most.
  Branching(const DifferenceClasses& classes, const Talkers& talkers, const Relaxation& relaxation,
            const CasesSettings& settings);

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

  void split(Relaxation& relaxation, const Case& one);
  Split best_split(const Relaxation& relaxation, const PairMasks& masks) const;
  bool solve(Relaxation& relaxation, Case& one);

  const DifferenceClasses& classes_;
  const Talkers& talkers_;
  std::vector<Relaxation> relaxations_;  ///< by worker
  MaskPropagation propagation_;
  std::shared_ptr<const Relaxation::State> root_;
  std::size_t most_states_ = 0;
  CasesSettings settings_;
  OpenCases<Case> open_;
  std::atomic<std::uint64_t> cases_ = 0;
};

}  // namespace dcube
