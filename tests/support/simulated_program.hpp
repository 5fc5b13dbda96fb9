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

/// Hops of 1 s, and nothing else takes time. Topologies are in the form of Params::parse.
Machine unit_machine(const std::string& topology);

/// Costs of every kind, all different and in fractions of a picosecond, so that nothing cancels by
/// chance.
Machine uneven_machine(const std::string& topology);

/// Links of the NCUBE [N 2]: 446.7 us and 2.4 us a byte per hop.
Machine ncube(std::uint32_t dimensions);

/// The costs that fit the measurements: half of a short message's time is the processors' own.
Machine fitted_ncube(std::uint32_t dimensions);

/// Makes the machine that a test needs of a usual one.
using MachineChange = std::function<void(Machine&)>;

/// What a program is made with beside its settings.
struct Surroundings {
  std::uint64_t seed = 1;
  std::filesystem::path folder{};
  MachineChange change{};  ///< before the program is made
};

/// A program on a machine, ready to run; settings are in the form of Params::parse.
struct SimulatedProgram {
  SimulatedProgram(Machine on, const std::string& embedding, const std::string& settings,
                   const Surroundings& surroundings = {});
  /// On a unit machine.
  SimulatedProgram(const std::string& topology, const std::string& embedding,
                   const std::string& settings, const Surroundings& surroundings = {});

  void place(const std::string& embedding);

  /// The engine's input for a run; `this` must outlive it.
  SimulationInput input(Observer* observer = nullptr) const;
  RunReport run(Observer* observer = nullptr) const;
  /// The same on a machine on whose links nothing queues.
  RunReport run_without_contention() const;
  /// What program->theory() says of the makespan.
  Ticks theory() const;
  /// The program's answer as "name value, name value".
  std::string answer() const;
  /// The value of one name.
  std::string answer(const std::string& name) const;

  std::unique_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

/// Who sends to whom in each stage of a run, in the order of sending.
std::vector<std::vector<std::pair<ProcessId, ProcessId>>> messages_by_stage(SimulationInput input);

/// Every embedding without settings that fits the program, and two random ones.
std::vector<std::string> embeddings_to_try(const SimulatedProgram& simulated);

/// "kind=fft,points=8"; the kind alone where there are no other settings.
std::string settings_of_kind(const std::string& kind, const std::string& others);

}  // namespace dcube::testing
