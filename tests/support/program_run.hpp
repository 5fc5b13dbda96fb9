#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"

namespace dcube::testing {

/// What a test's machine has beside hops of 1 s and free computing.
using MachineChange = std::function<void(Machine&)>;

/// A program on a machine, from settings in the form of Params::parse.
struct ProgramRun {
  ProgramRun(const std::string& topology, const std::string& embedding, const std::string& settings,
             const MachineChange& change = {}, std::uint64_t seed = 1,
             const std::filesystem::path& folder = {});

  RunReport run();
  /// In seconds.
  double makespan();
  Ticks theory() const;
  /// The program's answer as "name value, name value".
  std::string answer() const;

  std::shared_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

/// Every embedding without settings that fits, and two random ones.
std::vector<std::string> embeddings_to_try(const std::string& topology, const Guest& guest);

}  // namespace dcube::testing
