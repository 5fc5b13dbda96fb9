#pragma once

#include <cstdint>
#include <span>

namespace dcube {

/// XOR embedding [X III]: within dimension j, of 2^(d_j) nodes, the bits are those of the
/// coordinate, except that the second highest becomes the exclusive or of the highest two:
///
///     m_j(i) = n(i + K_j),  m_j(d_j - 2) = n(K_j + d_j - 1) xor n(K_j + d_j - 2)
///
/// On a ring, partners along the highest bit are then a quarter way apart in place of half way, so
/// d_j >= 2 has distances 1, 2, .., 2^(d_j - 3), 2^(d_j - 2), 2^(d_j - 2).
class XorMap {
 public:
  /// Needs sides that are powers of two.
  explicit XorMap(std::span<const std::uint32_t> shape) {
    std::uint32_t stride = 1;
    for (const std::uint32_t side : shape) {
      if (side >= 4) {
        second_highest_bits_ |= stride * (side / 4);
      }
      stride *= side;
    }
  }

  std::uint32_t operator()(std::uint32_t label) const {
    return label ^ ((label >> 1) & second_highest_bits_);
  }

 private:
  std::uint32_t second_highest_bits_ = 0;  ///< of every coordinate with at least two bits
};

}  // namespace dcube
