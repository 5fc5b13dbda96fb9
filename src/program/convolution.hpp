#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dcube {

/// A square of 8-bit values, row by row: an image, a block of one, a template.
struct Square {
  std::uint32_t side = 0;
  std::vector<std::uint8_t> values;

  std::uint8_t at(std::uint64_t row, std::uint64_t column) const {
    return values[row * side + column];
  }
};

/// A value of a convolution, or a sum of some of its terms.
using Sum = std::uint64_t;

/// Result rows or columns begin .. end-1, relative to the block's first, possibly negative.
struct ResultRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

/// Terms of C2D(i, j) = sum_s sum_t I(i+s, j+t) T(s, t) [N 3] from the values of `block`, for the
/// given rows i and columns j, row by row.
std::vector<Sum> partial_convolution(const Square& block, const Square& pattern, ResultRange rows,
                                     ResultRange columns);

/// The square of `side` values that begins at row and column, cyclically.
Square cut(const Square& image, std::uint64_t row, std::uint64_t column, std::uint32_t side);

/// C2D by its definition, with indices modulo the image's side; shares no code with
/// partial_convolution(). Needs a template no larger than the image. `block_without_corner`, a
/// block's side, leaves out image values in neither the block rows nor columns of the result.
std::vector<Sum> direct_convolution(const Square& image, const Square& pattern,
                                    std::uint32_t block_without_corner = 0);

}  // namespace dcube
