#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/search/partners.hpp"

namespace dcube {

/// Calls `visit(a, b, weight)` for every pair of processes a < b.
template <class Visit>
void for_each_pair(const Partners& partners, Visit visit) {
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (process < partner.process.index()) {
        visit(process, partner.process.index(), partner.weight);
      }
    }
  }
}

/// What all pairs of each process weigh together.
inline std::vector<std::uint64_t> pair_weights(const Partners& partners) {
  return numbered(partners.process_count(), [&](std::uint32_t process) {
    return sum_of(partners.of(process), &Partner::weight);
  });
}

/// The weights of all pairs, both ways, in `size` rows of as many: one for each process at least.
inline std::vector<std::uint64_t> weight_table(const Partners& partners, std::size_t size) {
  std::vector<std::uint64_t> weights(size * size);
  for_each_pair(partners, [&](std::size_t a, std::size_t b, std::uint64_t weight) {
    weights[a * size + b] = weights[b * size + a] = weight;
  });
  return weights;
}

/// The greatest number that divides the weights of all pairs; 1 where none weighs anything.
inline std::uint64_t common_divisor(const Partners& partners) {
  std::uint64_t divisor = 0;
  for_each_pair(partners, [&](std::uint32_t, std::uint32_t, std::uint64_t weight) {
    divisor = std::gcd(divisor, weight);
  });
  return divisor == 0 ? 1 : divisor;
}

/// Whether each process has an even number of pairs whose weights are odd times `unit`: then an
/// even number of these cross every cut.
inline bool are_cuts_even(const Partners& partners, std::uint64_t unit) {
  return std::ranges::all_of(numbered(partners.process_count()), [&](std::uint32_t process) {
    return std::ranges::count_if(
               partners.of(process),
               [&](const Partner& partner) { return partner.weight / unit % 2 == 1; }) %
               2 ==
           0;
  });
}

/// The traffic between groups of processes; that within a group is left out.
inline Traffic traffic_of_groups(const Partners& partners, std::span<const std::uint32_t> group,
                                 std::uint32_t group_count) {
  std::vector<Flow> flows;
  for_each_pair(partners.joined(group, group_count),
                [&](std::uint32_t a, std::uint32_t b, std::uint64_t weight) {
                  flows.push_back({ProcessId{a}, ProcessId{b}, weight, 1});
                });
  return Traffic{group_count, std::move(flows)};
}

/// For each index the lowest one that may be exchanged with it, whatever the others do: `pairs` has
/// `size` rows of as many.
template <class Number>
std::vector<std::uint32_t> kinds_of(const std::vector<Number>& pairs, std::size_t size) {
  return numbered(size, [&](std::uint32_t a) {
    const auto differs = [&](std::uint32_t b) {
      for (std::size_t other = 0; other < size; ++other) {
        if (other != a && other != b && pairs[a * size + other] != pairs[b * size + other]) {
          return true;
        }
      }
      return false;
    };
    std::uint32_t kind = 0;
    while (kind < a && differs(kind)) {
      ++kind;
    }
    return kind;
  });
}

}  // namespace dcube
