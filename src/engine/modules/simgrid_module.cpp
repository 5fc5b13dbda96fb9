// Module with the code on SimGrid, which the program loads when it simulates.

#include "dcube/engine/simulation.hpp"

extern "C" [[gnu::visibility("default")]] void dcube_simulate_1(const dcube::SimulationInput& input,
                                                                dcube::RunReport& report) {
  report = dcube::simulate(input);
}
