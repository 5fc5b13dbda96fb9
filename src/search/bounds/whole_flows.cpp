#include "whole_flows.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include "bounds.hpp"

namespace dcube {
namespace {

std::vector<std::uint64_t> partial_sums(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::uint64_t> sums(sizes.size());
  std::partial_sum(sizes.begin(), sizes.end(), sums.begin());
  return sums;
}

}  // namespace

WholeFlows::WholeFlows(const Traffic& traffic) {
  constexpr std::size_t most_sorted = 1'000'000;
  const bool has_few = traffic.flows().size() <= most_sorted;
  std::vector<std::uint64_t> sizes;
  for (const Flow& flow : traffic.flows()) {
    if (flow.from != flow.to && flow.bytes > 0) {
      divisor_ = std::gcd(divisor_, flow.bytes);
      if (has_few) {
        sizes.push_back(flow.bytes);
      }
    }
  }
  std::ranges::sort(sizes);
  lightest_ = partial_sums(sizes);
  std::ranges::reverse(sizes);
  heaviest_ = partial_sums(sizes);
}

std::uint64_t WholeFlows::at_least(std::uint64_t load) const {
  if (load == 0 || divisor_ == 0) {
    return load;
  }
  const auto enough = std::ranges::lower_bound(heaviest_, load);
  if (enough != heaviest_.end()) {
    load = std::max(load, lightest_[static_cast<std::size_t>(enough - heaviest_.begin())]);
  }
  return divided_up(load, divisor_) * divisor_;
}

void WholeFlows::raise(CostBound& bound) const {
  if (const std::uint64_t load = at_least(bound.cost); load > bound.cost) {
    bound.cost = load;
    bound.source += "; a link carries whole flows";
  }
}

}  // namespace dcube
