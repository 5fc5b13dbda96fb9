#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"

namespace dcube::testing {

/// A machine on which hops and endpoints cost something for every message and every byte, all
/// different. `topology` is in the form of Params::parse.
Machine costly_machine(const std::string& topology);

/// Links, endpoints and processors of the NCUBE [N 2]: 446.7 us and 2.4 us a byte per hop.
Machine ncube(std::uint32_t dimensions);

/// A program on a machine, ready to run; settings are in the form of Params::parse.
struct SimulatedProgram {
  SimulatedProgram(Machine on, const std::string& embedding, const std::string& settings,
                   std::uint64_t seed = 1, const std::filesystem::path& folder = {});

  RunReport run() const;
  /// What program->theory() says of the makespan.
  Ticks theory() const;

  std::shared_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

/// Names of the embeddings that the program can be placed with, and a random one.
std::vector<std::string> embeddings_of(const std::string& topology, const Guest& guest);

}  // namespace dcube::testing
