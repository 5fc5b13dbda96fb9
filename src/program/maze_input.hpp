#pragma once

#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"
#include "maze_grid.hpp"

namespace dcube {

/// Reads the maze from a file or draws it, with start and target. Throws InputError.
Maze read_maze(const Params& params, const ProgramContext& context);

std::vector<ParameterHelp> maze_input_help();

}  // namespace dcube
