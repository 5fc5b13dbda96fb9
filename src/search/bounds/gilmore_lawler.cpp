#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "assignment.hpp"
#include "bounds.hpp"

namespace dcube {
namespace {

constexpr const char* assignment =
    "Gilmore-Lawler: the best assignment of processes to nodes when each has its partners on the "
    "nearest slots";

/// The heaviest partners on the nearest slots.
std::uint64_t least_product(const std::vector<std::uint64_t>& weights,
                            const std::vector<std::uint32_t>& distances) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] * distances[i];
  }
  return sum;
}

}  // namespace

CostBound gilmore_lawler_bound(const SlotDistances& distances, const Partners& partners) {
  constexpr std::size_t most_steps = 50'000'000;
  const std::size_t processes = partners.process_count();
  if (processes * processes * distances.slot_count() > most_steps) {
    return {};
  }
  std::vector<std::vector<std::uint32_t>> nearest;
  for (std::size_t node = 0; node < distances.node_count(); ++node) {
    nearest.push_back(distances.nearest(node));
  }
  if (std::ranges::adjacent_find(nearest, std::not_equal_to{}) == nearest.end()) {
    return {};  // the degree bound says as much
  }
  AssignmentCosts costs{processes, distances.slot_count(), {}};
  for (std::uint32_t process = 0; process < processes; ++process) {
    std::vector<std::uint64_t> weights;
    for (const Partner& partner : partners.of(process)) {
      if (partner.process.index() != process) {
        weights.push_back(partner.weight);
      }
    }
    std::ranges::sort(weights, std::greater{});
    for (const std::vector<std::uint32_t>& from_node : nearest) {
      costs.costs.insert(costs.costs.end(), distances.slots(), least_product(weights, from_node));
    }
  }
  // Every pair is seen from both ends.
  return {divided_up(least_assignment(costs), 2), assignment};
}

}  // namespace dcube
