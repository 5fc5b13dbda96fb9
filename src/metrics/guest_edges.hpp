#pragma once

#include <algorithm>
#include <cstdint>

#include "dcube/core/ids.hpp"
#include "dcube/embedding/embedding.hpp"

namespace dcube {

/// Calls `visit(lower, higher)` for every guest edge of `dimension`, given by its two process
/// labels.
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

}  // namespace dcube
