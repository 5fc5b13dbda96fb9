#include "subcube_addresses.hpp"

#include <algorithm>
#include <bit>

#include "core/mapped.hpp"
#include "dcube/core/memory.hpp"

namespace dcube {
namespace {

/// 0 for *, 1 for 0, 2 for 1.
std::uint32_t symbol(const Subcube& subcube, std::uint32_t position) {
  return (subcube.stars() >> position & 1U) != 0 ? 0 : 1 + (subcube.bits() >> position & 1U);
}

bool are_alike(std::span<const Subcube> placed, std::uint32_t a, std::uint32_t b) {
  return std::ranges::all_of(
      placed, [&](const Subcube& subcube) { return symbol(subcube, a) == symbol(subcube, b); });
}

}  // namespace

std::vector<Subcube> all_subcubes(std::uint32_t cube_dimensions, std::uint32_t dimensions) {
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

bool is_first_of_its_kind(std::span<const Subcube> placed, const Subcube& address) {
  for (std::uint32_t position = 0; position < address.cube_dimensions(); ++position) {
    const bool is_free = std::ranges::all_of(
        placed, [&](const Subcube& subcube) { return symbol(subcube, position) == 0; });
    if (is_free && symbol(address, position) == 2) {
      return false;
    }
    for (std::uint32_t lower = 0; lower < position; ++lower) {
      if (symbol(address, lower) > symbol(address, position) &&
          are_alike(placed, lower, position)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace dcube
