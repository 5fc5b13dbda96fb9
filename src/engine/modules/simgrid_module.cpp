// Simulation on SimGrid, a module that the program loads when it simulates. All else is in the
// program.

#include "dcube/engine/simulation.hpp"

extern "C" [[gnu::visibility("default")]] void dcube_simulate_1(const dcube::SimulationInput& input,
                                                                dcube::RunReport& report) {
  report = dcube::simulate(input);
}
