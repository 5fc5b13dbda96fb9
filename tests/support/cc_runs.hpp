#pragma once

#include <memory>
#include <string>

#include "dcube/embedding/embedding.hpp"
#include "dcube/engine/simulation.hpp"
#include "dcube/program/program.hpp"

namespace dcube::testing {

/// A CC d-cube run on a machine with hops of 1 s, from settings in the form of Params::parse.
struct CcRun {
  CcRun(const std::string& topology, const std::string& embedding, const std::string& program = "");

  /// The engine's input for this run; `this` must outlive it.
  SimulationInput input(Observer* observer = nullptr) const;
  RunReport run(Observer* observer = nullptr) const;
  /// In seconds.
  double makespan() const;
  double theory() const;

  std::shared_ptr<Machine> machine;
  std::unique_ptr<Program> program;
  std::vector<NodeId> map;
};

}  // namespace dcube::testing
