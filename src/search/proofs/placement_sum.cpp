#include "placement_sum.hpp"

#include "search/objectives/hop_lengths.hpp"
#include "search/pairs.hpp"

namespace dcube {

PlacementSum::PlacementSum(const SearchProblem& of, const SlotDistances& distances) {
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

/// Whether all lengths are even between columns of one colour and odd between those of two.
bool PlacementSum::has_colours() const {
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < size(); ++b) {
      if ((lengths[a * size() + b] + lengths[a] + lengths[b]) % 2 != 0) {
        return false;
      }
    }
  }
  return true;
}

std::optional<SlotDistances> distances_of_sum(const SearchProblem& problem,
                                              std::uint64_t most_slots) {
  if (!traits_of(problem.objective).is_sum || problem.usable_slots() > most_slots) {
    return std::nullopt;
  }
  return weighs_hops(problem) ? SlotDistances::weighted(problem) : SlotDistances::of(problem);
}

}  // namespace dcube
