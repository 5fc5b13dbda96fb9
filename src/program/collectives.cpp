#include "collectives.hpp"

#include <bit>

namespace dcube {

TreePlace::TreePlace(std::uint32_t rank, std::uint32_t size) {
  if (rank != 0) {
    parent_ = ProcessId{rank - std::bit_floor(rank)};
  }
  // 64 bits, so that a step past the last process does not wrap around.
  for (std::uint64_t step = std::uint64_t{std::bit_floor(rank)} * 2 + (rank == 0 ? 1 : 0);
       rank + step < size; step *= 2) {
    children_.emplace_back(static_cast<std::uint32_t>(rank + step));
  }
}

}  // namespace dcube
