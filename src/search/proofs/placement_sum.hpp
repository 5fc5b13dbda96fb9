#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/search/search.hpp"
#include "search/bounds/slot_distances.hpp"

namespace dcube {

/// A sum of weights times distances of rows on columns.
struct PlacementSum {
  PlacementSum(const SearchProblem& of, const SlotDistances& distances);

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
  bool has_colours() const;
};

/// Lengths between the slots of a sum of weights times distances; nothing where the objective is
/// none, where there are more slots, and where some do not reach each other.
std::optional<SlotDistances> distances_of_sum(const SearchProblem& problem,
                                              std::uint64_t most_slots);

}  // namespace dcube
