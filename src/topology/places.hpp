#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/topology/topology.hpp"

// Places of terminals and switches in drawings. The unit is the distance of neighbours in a grid.

namespace dcube {

using Place = Structure::Place;

/// A part of a machine; (0, 0) is its middle at the side of the terminals, and y grows towards
/// them, outwards in a ring.
struct Panel {
  std::vector<Place> terminals;
  std::vector<Place> switches;
  double width = 1;  ///< around x = 0
  double depth = 0;  ///< of the switches, below y = 0
};

/// Switches that are all linked, on an arc, and the terminals of each in columns above it.
Panel arc_panel(std::uint32_t switches, std::uint32_t terminals_each);
/// Switches in rows of `columns` that are bent, so that links of a row lie beside each other, each
/// with its terminals at its lower left.
Panel grid_panel(std::uint32_t columns, std::uint32_t rows, std::uint32_t terminals_each,
                 bool is_bent);
/// A row of leaves below their terminals, and one of spines.
Panel leaf_panel(std::uint32_t leaves, std::uint32_t spines, std::uint32_t terminals_each);

/// Copies of a panel on a ring with the terminals outside, the first on top: first all terminals,
/// then all switches.
std::vector<Place> ring_of(const Panel& panel, std::uint32_t copies);

/// Switches that form no groups: on a ring, or in rows where they are many.
std::vector<Place> places_of_switches(std::uint32_t switches, std::uint32_t terminals_each);

/// Levels are rows, the highest on top. Terminals are in one row, or in columns below their
/// switches where the row would be too long. `nodes`: of each level, terminals first; `down` and
/// `up`: ports of the lowest level.
std::vector<Place> places_in_levels(std::span<const std::uint64_t> nodes, std::uint32_t down,
                                    std::uint32_t up);

/// Of equal parts, how many to put side by side for a picture of a good shape.
std::uint32_t columns_of(std::uint32_t parts, double width, double height);

/// Places of terminals in a product of blocks, then of the switches, block by block. Copies of what
/// is inside of a block are panels; its switches are in rows below them, those of the next block
/// above, and so on.
std::vector<Place> places_of_blocks(const std::vector<const Topology*>& units);

}  // namespace dcube
