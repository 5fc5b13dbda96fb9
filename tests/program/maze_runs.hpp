#pragma once

#include <string>
#include <utility>

#include "program/maze_input.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {

/// A search in a maze, placed by the standard embedding.
struct MazeRun : SimulatedProgram {
  MazeRun(Machine on, const std::string& others, Surroundings around = {})
      : SimulatedProgram{std::move(on), "standard", settings_of_kind("maze", others), around},
        settings{settings_of_kind("maze", others)},
        surroundings{std::move(around)} {}
  /// On an uneven machine.
  MazeRun(const std::string& topology, const std::string& others, Surroundings around = {})
      : MazeRun{uneven_machine(topology), others, std::move(around)} {}

  /// The maze that the program was given.
  Maze maze() const {
    return read_maze(Params::parse(settings), {*machine, surroundings.seed, surroundings.folder});
  }

  std::string settings;
  Surroundings surroundings;
};

}  // namespace dcube::testing
