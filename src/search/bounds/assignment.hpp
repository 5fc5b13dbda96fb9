#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dcube {

/// Cost of each row in each column.
struct AssignmentCosts {
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< at least as many
  std::vector<std::uint64_t> costs;

  std::uint64_t operator()(std::size_t row, std::size_t column) const {
    return costs[row * columns + column];
  }
};

/// The least sum of costs when every row has a column of its own, by shortest augmenting paths
/// (Kuhn 1955, Munkres 1957, Tomizawa 1971). Whole numbers throughout. The least sum must be below
/// 2^64. O(rows^2 * columns).
std::uint64_t least_assignment(const AssignmentCosts& costs);

}  // namespace dcube
