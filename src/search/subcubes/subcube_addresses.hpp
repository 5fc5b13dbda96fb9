#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/embedding/subcube.hpp"

namespace dcube {

/// All subcubes of the cube with so many dimensions; those with * at the same positions follow each
/// other. Throws MemoryError when there are too many.
inline std::vector<Subcube> all_subcubes(std::uint32_t cube_dimensions, std::uint32_t dimensions) {
  const std::uint32_t nodes = std::uint32_t{1} << cube_dimensions;
  const std::vector<std::uint32_t> masks = kept(numbered(nodes), [&](std::uint32_t stars) {
    return static_cast<std::uint32_t>(std::popcount(stars)) == dimensions;
  });
  const std::uint64_t count = masks.size() * (std::uint64_t{nodes} >> dimensions);
  expect_fits_in_memory("the list of all subcubes", count * sizeof(Subcube), "use a smaller cube");
  std::vector<Subcube> all;
  all.reserve(count);
  for (const std::uint32_t stars : masks) {
    const std::uint32_t fixed = (nodes - 1) & ~stars;
    std::uint32_t bits = 0;
    do {
      all.emplace_back(cube_dimensions, stars, bits);
      bits = (bits - fixed) & fixed;  // the next that is 0 at every *
    } while (bits != 0);
  }
  return all;
}

/// Whether `address` represents its class under the symmetries of the cube that keep every one of
/// `placed`. Positions at which all of `placed` hold the same symbols can be permuted: there the
/// representative has * first, then 0, then 1. Where all of `placed` hold *, or nothing is placed,
/// 0 and 1 can be exchanged, and the representative has 0.
inline bool is_first_of_its_kind(std::span<const Subcube> placed, const Subcube& address) {
  // 0 for *, 1 for 0, 2 for 1.
  const auto symbol = [](const Subcube& subcube, std::uint32_t position) {
    return (subcube.stars() >> position & 1U) != 0 ? 0 : 1 + (subcube.bits() >> position & 1U);
  };
  const auto are_alike = [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::all_of(
        placed, [&](const Subcube& subcube) { return symbol(subcube, a) == symbol(subcube, b); });
  };
  for (std::uint32_t position = 0; position < address.cube_dimensions(); ++position) {
    const bool is_free = std::ranges::all_of(
        placed, [&](const Subcube& subcube) { return symbol(subcube, position) == 0; });
    if (is_free && symbol(address, position) == 2) {
      return false;
    }
    for (std::uint32_t lower = 0; lower < position; ++lower) {
      if (symbol(address, lower) > symbol(address, position) && are_alike(lower, position)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace dcube
