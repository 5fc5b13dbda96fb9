#include "placement_sum.hpp"

#include <algorithm>
#include <numeric>

#include "dcube/search/partners.hpp"
#include "search/objectives/hop_lengths.hpp"

namespace dcube {
namespace {

/// For each index the lowest one that may be exchanged with it, whatever the others do.
template <class Number>
std::vector<std::uint32_t> kinds_of(const std::vector<Number>& pairs, std::size_t size) {
  std::vector<std::uint32_t> kinds;
  for (std::uint32_t a = 0; a < size; ++a) {
    std::uint32_t kind = 0;
    const auto differs = [&](std::uint32_t b) {
      for (std::size_t other = 0; other < size; ++other) {
        if (other != a && other != b && pairs[a * size + other] != pairs[b * size + other]) {
          return true;
        }
      }
      return false;
    };
    while (kind < a && differs(kind)) {
      ++kind;
    }
    kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace

PlacementSum::PlacementSum(const SearchProblem& of, const SlotDistances& distances) {
  for (std::uint32_t node = 0; node < of.topology.node_count(); ++node) {
    if (of.topology.is_usable(NodeId{node})) {
      node_of.insert(node_of.end(), of.slots, NodeId{node});
    }
  }
  const Partners partners{of.traffic, of.objective};
  weights.resize(size() * size());
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (partner.process.index() != process) {
        weights[process * size() + partner.process.index()] = partner.weight;
      }
    }
  }
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < size(); ++b) {
      lengths.push_back(distances(a / of.slots, b / of.slots));
    }
  }
  row_kinds = kinds_of(weights, size());
  column_kinds = kinds_of(lengths, size());
  find_unit();
}

/// The greatest common divisor of the weights; twice that where all lengths are even between
/// columns of one colour and odd between those of two, and odd weights meet every row an even
/// number of times.
void PlacementSum::find_unit() {
  unit = 0;
  for (const std::uint64_t weight : weights) {
    unit = std::gcd(unit, weight);
  }
  unit = std::max<std::uint64_t>(unit, 1);
  for (std::size_t a = 0; a < size(); ++a) {
    std::uint64_t odd = 0;
    for (std::size_t b = 0; b < size(); ++b) {
      odd += weights[a * size() + b] / unit % 2;
      if ((lengths[a * size() + b] + lengths[a] + lengths[b]) % 2 != 0) {
        return;
      }
    }
    if (odd % 2 != 0) {
      return;
    }
  }
  unit *= 2;
}

std::optional<SlotDistances> distances_of_sum(const SearchProblem& problem,
                                              std::uint64_t most_slots) {
  if (!traits_of(problem.objective).is_sum || problem.usable_slots() > most_slots) {
    return std::nullopt;
  }
  return weighs_hops(problem) ? SlotDistances::weighted(problem) : SlotDistances::of(problem);
}

}  // namespace dcube
