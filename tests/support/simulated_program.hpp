#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"

namespace dcube::testing {

/// Machine with hops of 1 s and no other costs. `topology` is in the form of Params::parse.
Machine unit_machine(const std::string& topology);

/// Machine with costs of every kind, all different and in fractions of a picosecond, so that
/// nothing cancels by chance.
Machine uneven_machine(const std::string& topology);

/// Machine with links of the NCUBE [N 2]: 446.7 us and 2.4 us a byte per hop.
Machine ncube(std::uint32_t dimensions);

/// Machine with costs that fit the measurements: half of a short message's time is the processors'.
Machine fitted_ncube(std::uint32_t dimensions);

/// Change of a usual machine for a test.
using MachineChange = std::function<void(Machine&)>;

/// Context in which a program is made.
struct Surroundings {
  std::uint64_t seed = 1;
  std::filesystem::path folder{};
  MachineChange change{};  ///< applied before the program is made
};

/// A program on a machine, ready to run; `settings` are in the form of Params::parse.
struct SimulatedProgram {
  SimulatedProgram(Machine on, const std::string& embedding, const std::string& settings,
                   const Surroundings& surroundings = {});
  /// Uses a unit machine.
  SimulatedProgram(const std::string& topology, const std::string& embedding,
                   const std::string& settings, const Surroundings& surroundings = {});

  void place(const std::string& embedding);

  /// The engine's input for a run; `this` must outlive it.
  SimulationInput input(Observer* observer = nullptr) const;
  RunReport run(Observer* observer = nullptr) const;
  /// Runs on a machine without contention.
  RunReport run_without_contention() const;
  /// Makespan of program->theory().
  Ticks theory() const;
  /// The program's answer as "name value, name value".
  std::string answer() const;
  /// Value of one name.
  std::string answer(const std::string& name) const;

  std::unique_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

/// Sender and receiver of each message in each stage, in the order of sending.
std::vector<std::vector<std::pair<ProcessId, ProcessId>>> messages_by_stage(SimulationInput input);

/// Every embedding without settings that fits the program, and two random ones.
std::vector<std::string> embeddings_to_try(const SimulatedProgram& simulated);

/// "kind=fft,points=8"; the kind alone without other settings.
std::string settings_of_kind(const std::string& kind, const std::string& others);

}  // namespace dcube::testing
