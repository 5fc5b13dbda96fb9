#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Lines, rings, meshes, tori and hypercubes are products of paths and cycles; they share one
// implementation, a grid, and differ in what is said here.

/// Whether the last node of a dimension is linked to its first. A side of two has one link either
/// way.
enum class Ends { open, joined };

/// The way between two nodes half way round: the one that does not cross the wrap-around link
/// [X II.A], or upwards.
enum class Tie { no_wrap, positive };

/// What makes a grid one kind or another.
struct GridForm {
  std::string_view kind;  ///< a literal: the grid keeps the view
  Ends ends = Ends::open;
  Tie tie = Tie::no_wrap;
};

/// A grid with `shape` positive sides. Throws InputError at `key`, the setting that gave the shape,
/// when its links outnumber the link numbers.
std::unique_ptr<Topology> make_grid(const GridForm& form, std::vector<std::uint32_t> shape,
                                    const Params& params, std::string_view key);

/// The setting "tie", for grids with joined ends.
ParameterHelp tie_help();
Tie read_tie(const Params& params);

/// The setting "shape", for grids of several dimensions.
ParameterHelp shape_help();
std::vector<std::uint32_t> read_shape(const Params& params);

}  // namespace dcube
