#pragma once

#include <cstdint>
#include <vector>

#include "dcube/search/partners.hpp"
#include "difference_classes.hpp"

namespace dcube {

/// The processes that exchange something, ascending.
std::vector<std::uint32_t> talking_processes(const Partners& partners);

/// The processes that exchange something; all other slots of the machine hold idle ones, which are
/// alike.
struct Talkers {
  Talkers(const SearchProblem& problem, const Partners& partners, const DifferenceClasses& classes);

  std::size_t count() const { return processes.size(); }
  std::uint64_t weight(std::size_t a, std::size_t b) const { return weights[a * count() + b]; }
  /// Place of the pair a < b among all pairs in order.
  std::size_t pair_of(std::size_t a, std::size_t b) const {
    return a * count() - a * (a + 1) / 2 + b - a - 1;
  }

  std::vector<std::uint32_t> processes{};
  std::vector<std::uint64_t> weights{};  ///< of a pair, both directions together
  std::uint32_t slots = 1;
  std::uint64_t idle = 0;
  /// Every cost is a multiple: the greatest common divisor of the weights, twice that where all
  /// distances are sums of crossings of even cuts.
  std::uint64_t unit = 1;
  /// Weights are shown to the solver over 2^scale_bits.
  int scale_bits = 0;
};

}  // namespace dcube
