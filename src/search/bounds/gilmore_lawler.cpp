#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "bounds.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"

namespace dcube {
namespace {

constexpr const char* assignment =
    "Gilmore-Lawler: the best assignment of processes to nodes when each has its partners on the "
    "nearest slots";

}  // namespace

std::uint64_t least_assignment(const AssignmentCosts& costs) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  const Int128 far = Int128{std::numeric_limits<std::int64_t>::max()} << 32;
  // Prices keep every cost at or above the price of its row plus that of its column, and equal to
  // it where a row has its column.
  std::vector<Int128> row_price(costs.rows);
  std::vector<Int128> column_price(costs.columns);
  std::vector<std::size_t> row_of(costs.columns, none);
  std::vector<Int128> distance(costs.columns);
  std::vector<std::size_t> from(costs.columns);  // the column before on the path; none at its start
  std::vector<std::size_t> open(costs.columns);  // columns whose distance is not final yet
  for (std::size_t first = 0; first < costs.rows; ++first) {
    std::fill(distance.begin(), distance.end(), far);
    std::iota(open.begin(), open.end(), std::size_t{0});
    std::size_t open_count = costs.columns;
    std::vector<std::size_t> closed;
    std::size_t row = first;
    std::size_t last = none;
    Int128 reached = 0;
    while (true) {
      std::size_t nearest = 0;
      for (std::size_t i = 0; i < open_count; ++i) {
        const std::size_t column = open[i];
        const Int128 through = reached + costs(row, column) - row_price[row] - column_price[column];
        if (through < distance[column]) {
          distance[column] = through;
          from[column] = last;
        }
        if (distance[column] < distance[open[nearest]]) {
          nearest = i;
        }
      }
      last = open[nearest];
      reached = distance[last];
      open[nearest] = open[--open_count];
      if (row_of[last] == none) {
        break;
      }
      closed.push_back(last);
      row = row_of[last];
    }
    row_price[first] += reached;
    for (const std::size_t column : closed) {
      row_price[row_of[column]] += reached - distance[column];
      column_price[column] -= reached - distance[column];
    }
    for (std::size_t column = last; column != none;) {
      const std::size_t before = from[column];
      row_of[column] = before == none ? first : row_of[before];
      column = before;
    }
  }
  std::uint64_t sum = 0;
  for (std::size_t column = 0; column < costs.columns; ++column) {
    sum += row_of[column] == none ? 0 : costs(row_of[column], column);
  }
  return sum;
}

CostBound gilmore_lawler_bound(const SlotDistances& distances, const Partners& partners) {
  constexpr std::size_t most_steps = 50'000'000;
  const std::size_t processes = partners.process_count();
  if (processes * processes * distances.slot_count() > most_steps) {
    return {};
  }
  const std::vector<std::vector<std::uint32_t>> nearest =
      numbered(distances.node_count(), [&](std::size_t node) { return distances.nearest(node); });
  if (std::ranges::adjacent_find(nearest, std::not_equal_to{}) == nearest.end()) {
    return {};  // the degree bound says as much
  }
  AssignmentCosts costs{processes, distances.slot_count(), {}};
  for (std::uint32_t process = 0; process < processes; ++process) {
    std::vector<std::uint64_t> weights = mapped(partners.of(process), &Partner::weight);
    std::ranges::sort(weights, std::greater{});
    for (const std::vector<std::uint32_t>& from_node : nearest) {
      // The heaviest partners on the nearest slots.
      costs.costs.insert(
          costs.costs.end(), distances.slots(),
          std::inner_product(weights.begin(), weights.end(), from_node.begin(), std::uint64_t{0}));
    }
  }
  // Every pair is seen from both ends.
  return {divided_up(least_assignment(costs), 2), assignment};
}

}  // namespace dcube
