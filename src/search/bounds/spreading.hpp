#pragma once

#include <cstdint>
#include <vector>

#include "dcube/search/partners.hpp"

namespace dcube {

/// Least sums of the distances between processes, wherever these are placed. Index k is about k
/// processes; past the end the sum is 0.
struct SpreadingNeeds {
  std::uint32_t of_pair = 0;            ///< between any two processes
  std::vector<std::uint64_t> from_one;  ///< from one of k processes to the others
  std::vector<std::uint64_t> among;     ///< between all of k processes, both ways of each pair
};

/// A lower bound of the sum of weight times distance over all pairs, by the linear programme of
/// spreading metrics (Even, Naor, Rao & Schieber 2000). The distances of any map satisfy it, so its
/// least value is a bound, and so is every solution of its dual, one of which is checked and valued
/// in whole numbers. The more work (some millions a second) may be done, the greater the bound.
/// Work is counted, so the bound does not depend on the computer's speed.
std::uint64_t spreading_bound(const Partners& partners, const SpreadingNeeds& needs,
                              std::uint64_t most_work);

}  // namespace dcube
