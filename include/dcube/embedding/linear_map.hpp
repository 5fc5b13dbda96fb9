#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace dcube {

/// Linear map of addresses over GF(2): the exclusive or of the columns of all bits that are set.
struct LinearMap {
  std::array<std::uint32_t, 32> columns{};

  std::uint32_t operator()(std::uint32_t address) const {
    std::uint32_t image = 0;
    for (; address != 0; address &= address - 1) {
      image ^= columns[static_cast<std::size_t>(std::countr_zero(address))];
    }
    return image;
  }
};

}  // namespace dcube
