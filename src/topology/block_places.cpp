#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "places.hpp"

namespace dcube {
namespace {

/// A product of the first blocks; y grows downwards.
struct Part {
  std::vector<Place> terminals{{0, 0}};
  std::vector<std::vector<Place>> switches{};  ///< [block]
  double left = -0.5;
  double right = 0.5;
  double top = -0.5;
  double bottom = 0.5;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

void include(Part& part, Place place) {
  constexpr double half = 0.5;
  part.left = std::min(part.left, place.x - half);
  part.right = std::max(part.right, place.x + half);
  part.top = std::min(part.top, place.y - half);
  part.bottom = std::max(part.bottom, place.y + half);
}

/// Rows that go back and forth, or all from the left.
std::vector<Place> rows(std::uint32_t count, std::uint32_t columns, Place pitch, bool is_winding) {
  return numbered(count, [&](std::uint32_t i) {
    const std::uint32_t row = i / columns;
    const std::uint32_t column = i % columns;
    return Place{(is_winding && row % 2 == 1 ? columns - 1 - column : column) * pitch.x,
                 row * pitch.y};
  });
}

std::vector<Place> circle(std::uint32_t count, double size) {
  const double radius = std::max(0.8, count / (2 * std::numbers::pi)) * size;
  return numbered(count, [&](std::uint32_t i) {
    const double angle = 2 * std::numbers::pi * i / count;
    return Place{radius * std::sin(angle), -radius * std::cos(angle)};
  });
}

/// Of the copies of a part that a block joins.
std::vector<Place> places_of_copies(const Topology& unit, const Part& part) {
  constexpr std::uint32_t most_in_a_row = 16;
  constexpr double longest_row = 150;
  const std::uint32_t count = unit.terminal_count();
  const bool are_single = part.terminals.size() == 1;
  const double gap = are_single ? 0 : 0.8;
  const Place pitch{part.width() + gap, part.height() + gap};
  if (unit.structure().switches > 0 && are_single && count > 4) {
    // Two rows or more, each half a place aside, so that links pass between terminals.
    const std::uint32_t columns =
        count <= most_in_a_row ? (count + 1) / 2 : columns_of(count, 1, 1);
    std::vector<Place> places = rows(count, columns, pitch, false);
    for (Place& place : places) {
      place.x += std::lround(place.y) % 2 == 1 ? 0.5 : 0;
    }
    return places;
  }
  if (unit.structure().switches > 0) {
    return rows(count, count * pitch.x <= longest_row ? count : columns_of(count, pitch.x, pitch.y),
                pitch, false);
  }
  if (!has_sides(unit)) {
    return circle(count, std::hypot(pitch.x, pitch.y) / (are_single ? std::numbers::sqrt2 : 1));
  }
  const bool is_cycle = unit.structure().lines.front() == Structure::Line::cycle;
  if (is_cycle && are_single && count <= most_in_a_row) {
    return circle(count, 1);
  }
  const std::uint32_t columns = is_cycle                 ? (count + 1) / 2
                                : count <= most_in_a_row ? count
                                                         : columns_of(count, pitch.x, pitch.y);
  return rows(count, columns, pitch, true);
}

/// Switches of all instances of a block, each level in a row; an instance has a share of the width.
std::vector<Place> switches_of_block(const Topology& unit, std::size_t instances, const Part& part,
                                     bool is_below) {
  constexpr double spacing_of_width = 0.12;
  const double spacing = std::max(part.terminals.size() <= unit.terminal_count() ? 1.2 : 2.5,
                                  spacing_of_width * part.width());
  const std::vector<Structure::SwitchRows>& levels = unit.structure().switch_rows;
  std::vector<Place> places;
  for (std::size_t instance = 0; instance < instances; ++instance) {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const double y = static_cast<double>(level + 1) * spacing - 0.5;
      for (std::uint32_t i = 0; i < levels[level].length; ++i) {
        const double share = (static_cast<double>(instance) + (i + 0.5) / levels[level].length) /
                             static_cast<double>(instances);
        places.push_back(
            {part.left + share * part.width(), is_below ? part.bottom + y : part.top - y});
      }
    }
  }
  return places;
}

}  // namespace

std::vector<Place> places_of_blocks(const std::vector<const Topology*>& units) {
  Part part;
  for (std::size_t b = 0; b < units.size(); ++b) {
    const Part inner = part;
    part = {{}, std::vector<std::vector<Place>>(b), 0, 0, 0, 0};
    for (const Place at : places_of_copies(*units[b], inner)) {
      const auto moved = [&](Place place) { return Place{place.x + at.x, place.y + at.y}; };
      std::ranges::transform(inner.terminals, std::back_inserter(part.terminals), moved);
      for (std::size_t below = 0; below < b; ++below) {
        std::ranges::transform(inner.switches[below], std::back_inserter(part.switches[below]),
                               moved);
      }
      include(part, moved({inner.left + 0.5, inner.top + 0.5}));
      include(part, moved({inner.right - 0.5, inner.bottom - 0.5}));
    }
    part.switches.push_back(switches_of_block(*units[b], inner.terminals.size(), part, b % 2 == 0));
    for (const Place place : part.switches.back()) {
      include(part, place);
    }
  }
  std::vector<Place> places = part.terminals;
  for (const std::vector<Place>& of_block : part.switches) {
    places.insert(places.end(), of_block.begin(), of_block.end());
  }
  return places;
}

}  // namespace dcube
