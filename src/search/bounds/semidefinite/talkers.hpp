#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/mapped.hpp"
#include "difference_classes.hpp"
#include "search/pairs.hpp"

namespace dcube {

/// The processes that exchange something, ascending.
inline std::vector<std::uint32_t> talking_processes(const Partners& partners) {
  return kept(numbered(partners.process_count()), [&](std::uint32_t process) {
    return std::ranges::any_of(partners.of(process),
                               [](const Partner& partner) { return partner.weight > 0; });
  });
}

/// The processes that exchange something; all other slots of the machine hold idle ones, which are
/// alike.
struct Talkers {
  Talkers(const SearchProblem& problem, const Partners& partners, const DifferenceClasses& classes)
      : processes{talking_processes(partners)},
        weights(count() * count()),
        slots{problem.slots},
        idle{problem.slot_count() - processes.size()},
        unit{common_divisor(partners)} {
    std::vector<std::size_t> index(partners.process_count());
    for (std::size_t a = 0; a < count(); ++a) {
      index[processes[a]] = a;
    }
    double squares = 0;
    for_each_pair(partners, [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
      if (weight > 0) {
        weights[index[a] * count() + index[b]] = weights[index[b] * count() + index[a]] = weight;
      }
    });
    for (const std::uint64_t weight : weights) {
      squares += static_cast<double>(weight) * static_cast<double>(weight);
    }
    // On a machine without odd cycles, hops are even if and only if both ends have one colour, so
    // costs are even where the odd weights cross every cut an even number of times.
    if (classes.is_bipartite && are_cuts_even(partners, unit)) {
      unit *= 2;
    }
    scale_bits = squares > 0 ? std::max(0, std::ilogb(std::sqrt(squares) / 2)) : 0;
  }

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
