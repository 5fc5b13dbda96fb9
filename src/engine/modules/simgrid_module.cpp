// What runs on SimGrid, for a program that loads it when it simulates. The rest of the library is
// the program's own.

#include "dcube/engine/simulation.hpp"

extern "C" [[gnu::visibility("default")]] void dcube_simulate_1(const dcube::SimulationInput& input,
                                                                dcube::RunReport& report) {
  report = dcube::simulate(input);
}
