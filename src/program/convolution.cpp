#include "convolution.hpp"

#include <algorithm>

namespace dcube {
namespace {

/// Range of the s with i + s inside the block.
ResultRange offsets(std::int64_t i, std::int64_t pattern_side, std::int64_t block_side) {
  return {std::max<std::int64_t>(0, -i), std::min(pattern_side, block_side - i)};
}

Sum terms_at(const Square& block, const Square& pattern, std::int64_t i, std::int64_t j) {
  const ResultRange s_range = offsets(i, pattern.side, block.side);
  const ResultRange t_range = offsets(j, pattern.side, block.side);
  Sum sum = 0;
  for (std::int64_t s = s_range.begin; s < s_range.end; ++s) {
    const std::uint8_t* const row = block.values.data() + (i + s) * block.side;
    const std::uint8_t* const weights = pattern.values.data() + s * pattern.side;
    for (std::int64_t t = t_range.begin; t < t_range.end; ++t) {
      sum += Sum{row[j + t]} * weights[t];
    }
  }
  return sum;
}

}  // namespace

std::vector<Sum> partial_convolution(const Square& block, const Square& pattern, ResultRange rows,
                                     ResultRange columns) {
  std::vector<Sum> sums;
  sums.reserve(rows.size() * columns.size());
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      sums.push_back(terms_at(block, pattern, i, j));
    }
  }
  return sums;
}

Square cut(const Square& image, std::uint64_t row, std::uint64_t column, std::uint32_t side) {
  Square piece{side, {}};
  piece.values.reserve(std::size_t{side} * side);
  for (std::uint32_t i = 0; i < side; ++i) {
    for (std::uint32_t j = 0; j < side; ++j) {
      piece.values.push_back(image.at((row + i) % image.side, (column + j) % image.side));
    }
  }
  return piece;
}

std::vector<Sum> direct_convolution(const Square& image, const Square& pattern,
                                    std::uint32_t block_without_corner) {
  const std::uint64_t n = image.side;
  const std::uint64_t m = pattern.side;
  std::vector<Sum> result(n * n, 0);
  // Term by term over the whole image, unlike the result by result of the block programs.
  for (std::uint64_t s = 0; s < m; ++s) {
    for (std::uint64_t t = 0; t < m; ++t) {
      const Sum weight = pattern.at(s, t);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t x = (i + s) % n;
        const bool leaves_rows =
            block_without_corner != 0 && i % block_without_corner + s >= block_without_corner;
        for (std::uint64_t j = 0; j < n; ++j) {
          if (!leaves_rows || j % block_without_corner + t < block_without_corner) {
            result[i * n + j] += weight * image.at(x, j + t < n ? j + t : j + t - n);
          }
        }
      }
    }
  }
  return result;
}

}  // namespace dcube
