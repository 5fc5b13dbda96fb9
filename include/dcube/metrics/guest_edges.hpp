#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "dcube/core/ids.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// Calls `visit(lower, higher)`, two process labels, for every guest edge of `dimension`.
template <class Visit>
void for_each_edge(const Guest& guest, std::uint32_t dimension, Visit visit) {
  const std::uint32_t processes = guest.process_count();
  if (guest.kind() == Guest::Kind::cube) {
    const std::uint32_t bit = 1U << dimension;
    for (std::uint32_t base = 0; base < processes; base += 2 * bit) {
      for (std::uint32_t label = base; label < base + bit; ++label) {
        visit(ProcessId{label}, ProcessId{label + bit});
      }
    }
    return;
  }
  for (std::uint32_t label = 0; label < processes; ++label) {
    if (const auto partner = guest.partner(ProcessId{label}, dimension)) {
      visit(std::min(ProcessId{label}, *partner), std::max(ProcessId{label}, *partner));
    }
  }
}

/// Greatest number of edges of a cube inside nodes of `slots`. Any m processes have at most f(m)
/// edges among them, the sum of the bits of 0 .. m-1 (Harper 1964), so a process has at most the
/// greatest f(m) / m. That is k / 2 for m = 2^k and no more for smaller m.
inline std::uint64_t most_edges_inside(std::uint64_t processes, std::uint64_t slots) {
  const std::uint64_t together = std::min(slots, processes);
  const std::uint64_t first = std::bit_floor(together);
  std::uint64_t edges = first / 2 * static_cast<std::uint64_t>(std::countr_zero(first));
  std::uint64_t most = 0;
  for (std::uint64_t m = first; m <= together; ++m) {
    most = std::max(most, static_cast<std::uint64_t>(UInt128{processes} * edges / m));
    edges += static_cast<std::uint64_t>(std::popcount(m));
  }
  return most;
}

}  // namespace dcube
