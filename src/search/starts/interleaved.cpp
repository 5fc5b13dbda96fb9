#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "starts.hpp"

// A ring lies on a line two hops a step: out over the even places, back over the odd ones. A side
// folded in half keeps its steps; the side that takes both halves, as two layers of every place,
// has steps twice as long (Aleliunas & Rosenberg 1982).

namespace dcube {
namespace {

/// Coordinates of processes in a grid that folds change.
struct Layout {
  struct Side {
    std::uint32_t length = 1;
    bool is_cycle = false;
    std::vector<std::uint32_t> places;  ///< by process
  };
  std::vector<Side> sides;
  std::string name = "interleaved";
};

Layout layout_of(const Guest& grid) {
  Layout layout;
  std::uint32_t stride = 1;
  for (const std::uint32_t length : grid.shape()) {
    layout.sides.push_back({length, grid.kind() == Guest::Kind::torus && length > 2,
                            numbered(grid.process_count(), [&](std::uint32_t process) {
                              return process / stride % length;
                            })});
    stride *= length;
  }
  return layout;
}

/// The side in half; its halves are layers of `onto`, or a new side where that is none yet.
Layout folded(Layout layout, std::size_t number, std::size_t onto) {
  if (onto == layout.sides.size()) {
    layout.sides.push_back({1, false, std::vector<std::uint32_t>(layout.sides[0].places.size())});
  }
  Layout::Side& side = layout.sides[number];
  Layout::Side& layers = layout.sides[onto];
  const std::uint32_t half = (side.length + 1) / 2;
  for (std::size_t process = 0; process < side.places.size(); ++process) {
    std::uint32_t& place = side.places[process];
    const bool is_back = place >= half;
    place = is_back ? 2 * half - 1 - place : place;
    layers.places[process] = 2 * layers.places[process] + (is_back ? 1 : 0);
  }
  side.length = half;
  side.is_cycle = false;
  layers.length *= 2;
  layout.name += fmt::format(", {} on {}", number, onto);
  return layout;
}

std::uint32_t interleaved(std::uint32_t place, std::uint32_t length) {
  return place < (length + 1) / 2 ? 2 * place : 2 * (length - 1 - place) + 1;
}

/// Numbers of sides, the longest first.
std::vector<std::uint32_t> by_length(std::size_t count, auto length) {
  std::vector<std::uint32_t> order = numbered(count);
  std::ranges::stable_sort(order, std::greater{}, length);
  return order;
}

/// The longest side along the machine's longest; nothing where they do not fit.
std::optional<Start> placed(const Layout& layout, const Topology& grid) {
  const std::span<const std::uint32_t> shape = grid.shape();
  if (layout.sides.size() > shape.size()) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> strides(shape.size());
  std::exclusive_scan(shape.begin(), shape.end(), strides.begin(), 1U, std::multiplies{});
  const auto sides =
      by_length(layout.sides.size(), [&](std::uint32_t side) { return layout.sides[side].length; });
  const auto dimensions =
      by_length(shape.size(), [&](std::uint32_t dimension) { return shape[dimension]; });
  std::vector<std::uint32_t> nodes(layout.sides[0].places.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Layout::Side& side = layout.sides[sides[i]];
    const std::uint32_t dimension = dimensions[i];
    if (side.length > shape[dimension]) {
      return std::nullopt;
    }
    const bool closes = is_cycle(grid, dimension) && side.length == shape[dimension];
    for (std::size_t process = 0; process < nodes.size(); ++process) {
      const std::uint32_t place = side.places[process];
      nodes[process] +=
          strides[dimension] * (side.is_cycle && !closes ? interleaved(place, side.length) : place);
    }
  }
  return Start{layout.name, mapped(nodes, [](std::uint32_t node) { return NodeId{node}; })};
}

/// Layouts by one fold more.
std::vector<Layout> folds(const Layout& layout, std::size_t most_sides) {
  std::vector<Layout> result;
  for (std::size_t side = 0; side < layout.sides.size(); ++side) {
    for (std::size_t onto = 0; onto <= layout.sides.size(); ++onto) {
      if (side != onto && onto < most_sides && layout.sides[side].length > 1) {
        result.push_back(folded(layout, side, onto));
      }
    }
  }
  return result;
}

}  // namespace

std::vector<Start> interleaved_starts(const SearchProblem& problem, const Guest& guest) {
  constexpr std::uint32_t most_processes = 1U << 16U;
  constexpr std::size_t most_folds = 4;
  constexpr std::size_t most_layouts = 64;
  const bool is_grid_of_processes =
      guest.kind() == Guest::Kind::mesh || guest.kind() == Guest::Kind::torus;
  if (!is_grid_of_processes || problem.slots > 1 || problem.has_unusable_nodes() ||
      !is_grid(problem.topology) || guest.process_count() > most_processes) {
    return {};
  }
  std::vector<Start> starts;
  std::vector<Layout> layouts{layout_of(guest)};
  for (std::size_t count = 0; count <= most_folds && starts.empty(); ++count) {
    std::vector<Layout> next;
    for (const Layout& layout : layouts) {
      if (auto start = placed(layout, problem.topology)) {
        starts.push_back(*std::move(start));
      }
      if (next.size() < most_layouts) {
        std::ranges::move(folds(layout, problem.topology.shape().size()), std::back_inserter(next));
      }
    }
    layouts = std::move(next);
  }
  return starts;
}

}  // namespace dcube
