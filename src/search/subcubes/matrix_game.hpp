#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dcube {

/// Losses of the player of the columns to that of the rows, by row and column.
struct MatrixGame {
  std::size_t rows = 0;
  std::vector<std::vector<int>> columns;  ///< each with an entry for every row
};

/// Whole shares of the columns with which the player of the columns loses nothing against any row:
/// for every row the sum of shares times entries is at most 0, and not all shares are 0. This is
/// checked in whole numbers. Nothing when there are no such shares, or none that small fractions
/// express.
std::optional<std::vector<long>> fair_shares(const MatrixGame& game);

}  // namespace dcube
