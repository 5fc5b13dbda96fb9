#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "map_cost.hpp"

namespace dcube {

/// The best map seen so far: the one of least energy, and so of least cost.
class BestMap {
 public:
  /// Whether the map is the new best one.
  bool offer(const MapCost& candidate) {
    const bool is_better =
        candidate.cost() < cost_ || (candidate.cost() == cost_ && candidate.energy() < energy_);
    if (is_better) {
      const std::span<const NodeId> map = candidate.map();
      map_.assign(map.begin(), map.end());
      cost_ = candidate.cost();
      energy_ = candidate.energy();
    }
    return is_better;
  }

  const std::vector<NodeId>& map() const { return map_; }
  std::uint64_t cost() const { return cost_; }

 private:
  std::vector<NodeId> map_;
  std::uint64_t cost_ = std::numeric_limits<std::uint64_t>::max();
  double energy_ = 0;
};

}  // namespace dcube
