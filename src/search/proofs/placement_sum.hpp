#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/bounds/slot_distances.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/pairs.hpp"

namespace dcube {

/// A sum of weights times distances of rows on columns.
struct PlacementSum {
  PlacementSum(const SearchProblem& of, const SlotDistances& distances) {
    for (const NodeId node : usable_nodes(of.topology)) {
      node_of.insert(node_of.end(), of.slots, node);
    }
    const Partners partners{of.traffic, of.objective};
    weights = weight_table(partners, size());
    unit = common_divisor(partners);
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        lengths.push_back(distances(a / of.slots, b / of.slots));
      }
    }
    row_kinds = kinds_of(weights, size());
    column_kinds = kinds_of(lengths, size());
    if (has_colours() && are_cuts_even(partners, unit)) {
      unit *= 2;
    }
  }

  std::size_t size() const { return node_of.size(); }
  bool is_silent(std::size_t row) const {
    const auto of_row = weights.begin() + static_cast<std::ptrdiff_t>(row * size());
    return std::all_of(of_row, of_row + static_cast<std::ptrdiff_t>(size()),
                       [](std::uint64_t weight) { return weight == 0; });
  }
  std::vector<std::uint64_t> weights{};  ///< of two rows, both directions together
  std::vector<std::uint32_t> lengths{};  ///< of two columns
  std::vector<NodeId> node_of{};         ///< by column
  std::vector<std::uint32_t> row_kinds{};
  std::vector<std::uint32_t> column_kinds{};  ///< slots of a node are of one kind
  std::uint64_t unit = 1;                     ///< divides every cost

 private:
  /// Whether all lengths are even between columns of one colour and odd between those of two.
  bool has_colours() const {
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        if ((lengths[a * size() + b] + lengths[a] + lengths[b]) % 2 != 0) {
          return false;
        }
      }
    }
    return true;
  }
};

/// Lengths between the slots of a sum of weights times distances; nothing where the objective is
/// none, where there are more slots, and where some do not reach each other.
inline std::optional<SlotDistances> distances_of_sum(const SearchProblem& problem,
                                                     std::uint64_t most_slots) {
  if (!traits_of(problem.objective).is_sum || problem.usable_slots() > most_slots) {
    return std::nullopt;
  }
  return weighs_hops(problem) ? SlotDistances::weighted(problem) : SlotDistances::of(problem);
}

}  // namespace dcube
