#pragma once

#include <cstdint>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/search/partners.hpp"

namespace dcube {

/// Upper bounds of the weight of all pairs among so many processes. They take milliseconds.
class DensestSets {
 public:
  /// For up to `most` processes; `partners` are those of the traffic.
  DensestSets(const Traffic& traffic, const Partners& partners, std::uint32_t most);

  /// The weight inside groups of at most `size`, of `processes` in all.
  std::uint64_t in_groups(std::uint32_t processes, std::uint32_t size) const;

 private:
  std::uint64_t total_weight_;
  std::vector<std::uint64_t> most_;  ///< by number of processes
};

}  // namespace dcube
