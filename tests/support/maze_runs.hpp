#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"
#include "program/maze_grid.hpp"

namespace dcube::testing {

/// Hops of 1 s, and nothing else takes time.
std::shared_ptr<Machine> unit_machine(const std::string& topology);

/// Costs of every kind, in fractions of a picosecond, so that nothing cancels by chance.
std::shared_ptr<Machine> uneven_machine(const std::string& topology);

/// A run of the maze program on an uneven machine, from settings in the form of Params::parse.
struct MazeRun {
  MazeRun(const std::string& topology, std::string settings, std::uint64_t seed = 1,
          std::filesystem::path folder = {});

  /// Anew, for a machine that has changed; placed by the standard embedding.
  void make();
  void place(const std::string& embedding);
  RunReport run() const;
  Ticks theory() const;
  /// The named result as text.
  std::string answer(const std::string& name) const;
  /// The maze that the program was given.
  Maze maze() const;

  std::string settings;
  std::uint64_t seed;
  std::filesystem::path folder;
  std::shared_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

}  // namespace dcube::testing
