#include "search/parts.hpp"

#include <algorithm>

#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "starts.hpp"
#include "traffic_grid.hpp"

namespace dcube {
namespace {

using Sides = std::vector<std::uint32_t>;

/// Sides of boxes of so many nodes that divide those of the machine, the shortest longest first.
std::vector<Sides> sides_of_boxes(std::span<const std::uint32_t> shape, std::uint32_t nodes) {
  constexpr std::size_t most = 12;
  std::vector<Sides> found = boxes_in(shape, nodes);
  std::ranges::stable_sort(found, {},
                           [](const Sides& box) { return *std::ranges::max_element(box); });
  found.resize(std::min(found.size(), most));
  return found;
}

/// The best structured map of a part, which may form a grid, onto a box.
FoundMap best_map(const SearchProblem& problem, const Traffic& part,
                  const std::optional<TrafficGrid>& grid, const Topology& box) {
  return best_start({.topology = box,
                     .traffic = part,
                     .objective = usual_objective,
                     .slots = problem.slots,
                     .guest = grid ? std::optional{grid->guest} : std::nullopt});
}

}  // namespace

std::optional<Start> parts_in_boxes(const SearchProblem& problem) {
  if (!has_coordinates(problem.topology) || problem.has_unusable_nodes()) {
    return std::nullopt;
  }
  const std::vector<TrafficPart> parts = parts_of(problem.traffic);
  if (parts.size() < 2) {
    return std::nullopt;
  }
  const auto size = static_cast<std::uint32_t>(parts.front().size());
  if (size % problem.slots != 0 || size / problem.slots < 2 ||
      std::ranges::any_of(parts, [&](const TrafficPart& part) { return part.size() != size; })) {
    return std::nullopt;
  }
  const std::vector<Traffic> traffic = traffic_of_parts(parts, problem.traffic);
  const std::optional<TrafficGrid> first_grid = traffic_grid(traffic.front());
  if (!first_grid) {
    return std::nullopt;
  }
  std::optional<Sides> best;
  std::uint64_t least = 0;
  for (const Sides& sides : sides_of_boxes(problem.topology.shape(), size / problem.slots)) {
    const Box box = box_at(problem.topology, sides, 0);
    const FoundMap found = best_map(problem, traffic.front(), first_grid, *box.topology);
    if (!best || found.cost < least) {
      best = sides;
      least = found.cost;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  Start start{"parts in " + joined(*best, "x"),
              std::vector<NodeId>(problem.traffic.process_count())};
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    const Box box = box_at(problem.topology, *best, part);
    const FoundMap found =
        best_map(problem, traffic[part], traffic_grid(traffic[part]), *box.topology);
    for (std::uint32_t i = 0; i < size; ++i) {
      start.map[parts[part][i]] = box.nodes[found.map[i].index()];
    }
  }
  return start;
}

}  // namespace dcube
