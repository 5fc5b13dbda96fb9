#pragma once

#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/program/program.hpp"
#include "maze_grid.hpp"

namespace dcube {

/// The maze of a file ("input") or drawn from the seed ("size", "blocked"), with its "start" and
/// "target". Throws InputError.
Maze read_maze(const Params& params, const ProgramContext& context);

std::vector<ParameterHelp> maze_input_help();

}  // namespace dcube
