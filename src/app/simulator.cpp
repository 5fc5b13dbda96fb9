// simulate() of a program that loads SimGrid when it needs it: loading takes more time than most
// other work of the program.

#include "dcube/engine/simulator.hpp"

#include "dcube/engine/simulation.hpp"
#include "dcube/workload/module.hpp"

namespace dcube {
namespace {

using Simulate = void (*)(const SimulationInput&, RunReport&);

Simulate loaded() {
  static const auto simulate =
      reinterpret_cast<Simulate>(load_module({.purpose = "simulate",
                                              .file = "dcube-simgrid.so",
                                              .function = "dcube_simulate_1",
                                              .packages = "libsimgrid-dev"}));
  return simulate;
}

}  // namespace

void load_simulator() { loaded(); }

RunReport simulate(const SimulationInput& input) {
  RunReport report;
  loaded()(input, report);
  return report;
}

}  // namespace dcube
