#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// Why a path there and back through the machine cannot place the guest, or nothing.
std::optional<std::string> snake_obstacle(const EmbeddingTask& task);

// Path through all nodes of a mesh or torus that turns round at every end (4x4):
//
//      0 -  1 -  2 -  3
//                     |
//      7 -  6 -  5 -  4
//      |
//      8 -  9 - 10 - 11
//                     |
//     15 - 14 - 13 - 12
//
// It is the reflected Gray code of mixed radices (Knuth, TAOCP 7.2.1.1), whose slowest digit
// belongs to the longest even side. When that digit is at its last value, the others are back at
// their first, so on a torus its wrap-around link closes a Hamiltonian ring; on a twisted torus,
// too, whose long sides have untwisted wraps. If all sides are odd, the last hop is longer.
class SnakePath {
 public:
  /// `dimension`: that of the slowest digit, if another is wanted.
  explicit SnakePath(std::span<const std::uint32_t> shape,
                     std::optional<std::size_t> dimension = std::nullopt) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : shape) {
      digits_.push_back({side, stride});
      stride *= side;
    }
    // Of equal sides the last, which also changes least in the order of node numbers.
    auto slowest =
        std::max_element(
            digits_.rbegin(), digits_.rend(),
            [](const Digit& a, const Digit& b) {
              return std::pair{a.side % 2 == 0, a.side} < std::pair{b.side % 2 == 0, b.side};
            })
            .base() -
        1;
    if (dimension) {
      slowest = digits_.begin() + static_cast<std::ptrdiff_t>(*dimension);
    }
    std::rotate(slowest, slowest + 1, digits_.end());
    rows_ = digits_.back().side;
    columns_ = stride / rows_;
  }

  /// Side of the slowest digit, and how many nodes have each value of it.
  std::uint32_t rows() const { return rows_; }
  std::uint32_t columns() const { return columns_; }
  /// Node of a row; neighbours in a row or in a column are neighbours.
  std::uint32_t at(std::uint32_t row, std::uint32_t column) const {
    return (*this)(row * columns_ + (row % 2 == 0 ? column : columns_ - 1 - column));
  }

  /// Node at a place of the path.
  std::uint32_t operator()(std::uint32_t place) const {
    std::uint32_t node = 0;
    for (const Digit& digit : digits_) {
      const std::uint32_t rest = place % digit.side;
      place /= digit.side;
      node += (place % 2 == 0 ? rest : digit.side - 1 - rest) * digit.stride;
    }
    return node;
  }

 private:
  /// Dimension of the machine.
  struct Digit {
    std::uint32_t side;
    std::uint32_t stride;
  };

  std::vector<Digit> digits_;  ///< fastest first
  std::uint32_t rows_ = 0;
  std::uint32_t columns_ = 0;
};

}  // namespace dcube
