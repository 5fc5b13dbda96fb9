#include "places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace dcube {
namespace {

constexpr double good_shape = 1.7;  // width / height
constexpr double gap = 0.8;

double half_of(std::uint32_t count) { return (count - 1) / 2.0; }

/// Columns for the terminals of a switch: up to eight stand above each other.
std::uint32_t columns_above(std::uint32_t terminals_each) {
  constexpr std::uint32_t most_in_a_column = 8;
  return (terminals_each + most_in_a_column - 1) / most_in_a_column;
}

double pitch_of(std::uint32_t columns) { return columns == 1 ? 1 : columns + gap; }

/// Adds `count` terminals in columns around `x`, from y = 1.5 on.
void add_above(std::vector<Place>& terminals, double x, std::uint32_t count,
               std::uint32_t columns) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t row = i / columns;
    terminals.push_back({x - half_of(columns) + i % columns, 1.5 + row});
  }
}

}  // namespace

std::uint32_t columns_of(std::uint32_t parts, double width, double height) {
  std::uint32_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t columns = 1; columns <= parts; ++columns) {
    const std::uint32_t rows = (parts + columns - 1) / columns;
    const double distance = std::abs(std::log(columns * width / (rows * height) / good_shape)) +
                            static_cast<double>(columns * rows - parts) / parts;
    if (distance < least) {
      least = distance;
      best = columns;
    }
  }
  return best;
}

Panel arc_panel(std::uint32_t switches, std::uint32_t terminals_each) {
  constexpr double bend = 0.3;
  const std::uint32_t columns = columns_above(terminals_each);
  const double pitch = pitch_of(columns);
  Panel panel;
  panel.width = switches * pitch;
  panel.depth = switches > 2 ? bend * panel.width : 0;
  for (std::uint32_t i = 0; i < switches; ++i) {
    const double x = (i - half_of(switches)) * pitch;
    const double off = switches > 1 ? (i - half_of(switches)) / half_of(switches) : 0;
    panel.switches.push_back({x, -panel.depth * (1 - off * off)});
    add_above(panel.terminals, x, terminals_each, columns);
  }
  return panel;
}

Panel grid_panel(std::uint32_t columns, std::uint32_t rows, std::uint32_t terminals_each,
                 bool is_bent) {
  const auto across = static_cast<std::uint32_t>(std::ceil(std::sqrt(terminals_each)));
  const std::uint32_t down = (terminals_each + across - 1) / across;
  // Where three switches of a row would be in line, the middle one is half a unit off.
  const auto bend = [&](std::uint32_t i, std::uint32_t count, double pitch) {
    constexpr double most_of_the_side = 0.2;
    const double height =
        std::min(0.5 * half_of(count) * half_of(count), most_of_the_side * count * pitch);
    const double off = is_bent && count > 2 ? (i - half_of(count)) / half_of(count) : 0;
    return height * off * off;
  };
  const double column_pitch = across + 1.2;
  const auto down_at = [&](std::uint32_t column) { return bend(column, columns, column_pitch); };
  // Rows clear the neighbours of their ends, which are bent most.
  const double row_pitch = down + 1.2 + (columns > 1 ? down_at(0) - down_at(1) : 0);
  Panel panel;
  panel.width = columns * column_pitch + bend(0, rows, row_pitch) + 1;
  panel.depth = rows * row_pitch + down_at(0) + 0.5;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      const Place at{(column - half_of(columns)) * column_pitch + bend(row, rows, row_pitch),
                     -0.5 - (rows - 1 - row) * row_pitch - down - down_at(column)};
      panel.switches.push_back(at);
      for (std::uint32_t i = 0; i < terminals_each; ++i) {
        const std::uint32_t line = i / across;
        panel.terminals.push_back({at.x - across + i % across, at.y + 1 + line});
      }
    }
  }
  return panel;
}

Panel leaf_panel(std::uint32_t leaves, std::uint32_t spines, std::uint32_t terminals_each) {
  const std::uint32_t columns = columns_above(terminals_each);
  const double pitch = pitch_of(columns);
  Panel panel;
  panel.width = std::max(leaves * pitch, static_cast<double>(spines));
  panel.depth = std::max(2.0, 0.25 * panel.width);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    const double x = (leaf - half_of(leaves)) * panel.width / leaves;
    panel.switches.push_back({x, 0});
    add_above(panel.terminals, x, terminals_each, columns);
  }
  for (std::uint32_t spine = 0; spine < spines; ++spine) {
    panel.switches.push_back({(spine - half_of(spines)) * panel.width / spines, -panel.depth});
  }
  return panel;
}

std::vector<Place> ring_of(const Panel& panel, std::uint32_t copies) {
  // Tangents of the ring, with some room between them, and so deep that their switches are apart.
  const double half_angle = std::numbers::pi / copies;
  const double half_width = panel.width / 2 + 0.75;
  double radius = copies > 1 ? panel.depth + 2 : 0;
  if (copies > 2) {
    radius = std::max(radius, half_width / std::tan(half_angle));
    for (const Place place : panel.switches) {
      radius = std::max(radius, (std::abs(place.x) + 0.75) / std::tan(half_angle) - place.y);
    }
  }
  std::vector<Place> places;
  for (const std::vector<Place>* const nodes : {&panel.terminals, &panel.switches}) {
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      const double angle = 2 * half_angle * copy;
      for (const auto [along, outwards] : *nodes) {
        const double distance = radius + outwards;
        places.push_back({distance * std::sin(angle) + along * std::cos(angle),
                          -distance * std::cos(angle) + along * std::sin(angle)});
      }
    }
  }
  return places;
}

std::vector<Place> places_of_switches(std::uint32_t switches, std::uint32_t terminals_each) {
  constexpr std::uint32_t most_on_a_ring = 160;
  if (switches <= most_on_a_ring) {
    return ring_of(arc_panel(1, terminals_each), switches);
  }
  const std::uint32_t columns = columns_of(switches, 1, 1);
  Panel rows = grid_panel(columns, (switches + columns - 1) / columns, terminals_each, false);
  rows.switches.resize(switches);
  rows.terminals.resize(std::size_t{switches} * terminals_each);
  return ring_of(rows, 1);
}

std::vector<Place> places_in_levels(std::span<const std::uint64_t> nodes, std::uint32_t down,
                                    std::uint32_t up) {
  constexpr double longest_row = 48;
  constexpr double least_spacing = 2;
  // Of levels, as parts of the width.
  constexpr double flattest = 0.11;
  constexpr double steepest = 0.25;
  const double groups = static_cast<double>(nodes[0]) / down;
  const auto levels = static_cast<double>(nodes.size() - 1);
  const auto width_of = [&](std::uint32_t columns) {
    return groups * (std::max(columns, up) + (columns < down || groups > 1 ? gap : 0));
  };
  const auto rows_of = [&](std::uint32_t columns) { return (down + columns - 1) / columns; };
  const auto spacing_of = [&](std::uint32_t columns) {
    const double width = width_of(columns);
    const double filling = (width / good_shape - rows_of(columns)) / levels;
    return std::max(least_spacing, std::clamp(filling, flattest * width, steepest * width));
  };
  std::uint32_t columns = down;
  if (width_of(columns) > longest_row) {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t choice = 1; choice <= down; ++choice) {
      const double height = rows_of(choice) + levels * spacing_of(choice);
      if (const double size = std::max(width_of(choice) / good_shape, height); size < least) {
        least = size;
        columns = choice;
      }
    }
  }
  const double width = width_of(columns);
  const double spacing = spacing_of(columns);
  const double pitch = width / groups;
  std::vector<Place> places;
  for (std::uint64_t terminal = 0; terminal < nodes[0]; ++terminal) {
    const std::uint64_t in_group = terminal % down;
    const std::uint64_t row = in_group / columns;
    const std::uint64_t group = terminal / down;
    places.push_back({(static_cast<double>(group) + 0.5) * pitch - half_of(columns) +
                          static_cast<double>(in_group % columns),
                      (columns == down ? least_spacing : 1.5) + static_cast<double>(row)});
  }
  for (std::size_t level = 1; level < nodes.size(); ++level) {
    for (std::uint64_t number = 0; number < nodes[level]; ++number) {
      double x = (static_cast<double>(number) + 0.5) * width / static_cast<double>(nodes[level]);
      if (level == 1) {
        const std::uint64_t group = number / up;
        x = (static_cast<double>(group) + 0.5) * pitch - half_of(up) +
            static_cast<double>(number % up);
      }
      places.push_back({x, -static_cast<double>(level - 1) * spacing});
    }
  }
  return places;
}

}  // namespace dcube
