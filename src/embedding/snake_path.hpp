#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dcube {

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
  explicit SnakePath(std::span<const std::uint32_t> shape) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : shape) {
      digits_.push_back({side, stride});
      stride *= side;
    }
    // Of equal sides the last, which also changes least in the order of node numbers.
    const auto slowest =
        std::max_element(digits_.rbegin(), digits_.rend(), [](const Digit& a, const Digit& b) {
          return std::pair{a.side % 2 == 0, a.side} < std::pair{b.side % 2 == 0, b.side};
        });
    std::rotate(slowest.base() - 1, slowest.base(), digits_.end());
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
};

}  // namespace dcube
