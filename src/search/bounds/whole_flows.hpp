#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "bounds.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// Loads that links can have: a flow takes one route, so a link carries whole flows.
class WholeFlows {
 public:
  explicit WholeFlows(const Traffic& traffic) {
    constexpr std::size_t most_sorted = 1'000'000;
    for (const Flow& flow : traffic.flows()) {
      if (flow.from != flow.to && flow.bytes > 0) {
        divisor_ = std::gcd(divisor_, flow.bytes);
        if (traffic.flows().size() <= most_sorted) {
          lightest_.push_back(flow.bytes);
        }
      }
    }
    heaviest_ = lightest_;
    std::ranges::sort(lightest_);
    std::ranges::sort(heaviest_, std::greater{});
    std::partial_sum(lightest_.begin(), lightest_.end(), lightest_.begin());
    std::partial_sum(heaviest_.begin(), heaviest_.end(), heaviest_.begin());
  }

  /// The least sum of flows that is known to be no less than `load` bytes: k flows weigh between
  /// the k lightest and the k heaviest, and a multiple of what divides all. `load` itself where no
  /// sum is as great.
  std::uint64_t at_least(std::uint64_t load) const {
    if (load == 0 || divisor_ == 0) {
      return load;
    }
    const auto enough = std::ranges::lower_bound(heaviest_, load);
    if (enough != heaviest_.end()) {
      load = std::max(load, lightest_[static_cast<std::size_t>(enough - heaviest_.begin())]);
    }
    return divided_up(load, divisor_) * divisor_;
  }

  /// Raises a bound of the busiest link's bytes, and says why.
  void raise(CostBound& bound) const {
    if (const std::uint64_t load = at_least(bound.cost); load > bound.cost) {
      bound.cost = load;
      bound.source += "; a link carries whole flows";
    }
  }

 private:
  std::uint64_t divisor_ = 0;            ///< of the bytes of every flow
  std::vector<std::uint64_t> lightest_;  ///< [k] bytes of the k + 1 lightest flows
  std::vector<std::uint64_t> heaviest_;  ///< [k] of the k + 1 heaviest; empty where flows are many
};

}  // namespace dcube
