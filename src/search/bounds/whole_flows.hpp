#pragma once

#include <cstdint>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

/// Loads that links can have: a flow takes one route, so a link carries whole flows.
class WholeFlows {
 public:
  explicit WholeFlows(const Traffic& traffic);

  /// The least sum of flows that is known to be no less than `load` bytes: k flows weigh between
  /// the k lightest and the k heaviest, and a multiple of what divides all. `load` itself where no
  /// sum is as great.
  std::uint64_t at_least(std::uint64_t load) const;

  /// Raises a bound of the busiest link's bytes, and says why.
  void raise(CostBound& bound) const;

 private:
  std::uint64_t divisor_ = 0;            ///< of the bytes of every flow
  std::vector<std::uint64_t> lightest_;  ///< [k] bytes of the k + 1 lightest flows
  std::vector<std::uint64_t> heaviest_;  ///< [k] of the k + 1 heaviest; empty where flows are many
};

}  // namespace dcube
