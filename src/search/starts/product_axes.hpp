#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/search/partners.hpp"

namespace dcube {

/// Processes that can be reached from process 0 over pairs that count, the nearest first. A pair is
/// told by the number of one of its ends, among the partners of all.
template <typename Counts>
std::vector<std::uint32_t> reached(const Partners& partners, const Counts& counts) {
  std::vector<bool> is_reached(partners.process_count());
  std::vector<std::uint32_t> order{0};
  is_reached[0] = true;
  for (std::size_t next = 0; next < order.size(); ++next) {
    std::size_t end = partners.first(order[next]);
    for (const Partner& partner : partners.of(order[next])) {
      const std::uint32_t other = partner.process.index();
      if (counts(end++) && !is_reached[other]) {
        is_reached[other] = true;
        order.push_back(other);
      }
    }
  }
  return order;
}

/// The axes of a Cartesian product of graphs that the pairs of processes form: of each partner of
/// each process, in the order of Partners, numbered in the order of the partners of process 0.
/// Nothing where the processes are in parts, have more than 255 axes, or form no product; not every
/// graph that is none is found out.
std::optional<std::vector<std::uint8_t>> product_axes(const Partners& partners);

}  // namespace dcube
