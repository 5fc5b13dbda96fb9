#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/options/options.hpp"
#include "app/terminal/progress.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"
#include "dcube/network/machine.hpp"
#include "runs/interrupt.hpp"

namespace dcube::app {

/// Traffic to be placed, as its options describe it.
struct NamedTraffic {
  std::string name;            ///< "cube:8, weights doubling", "matrix.csv"
  std::optional<Guest> guest;  ///< the shape of its processes, where it is known
  Traffic traffic;
};

/// A process shape with weights ("doubling", "halving" or a number for each dimension; empty: all
/// 1), or a file. Throws InputError that names the option, also for a shape of more processes than
/// `machine`, where it is not null, has slots, before it takes memory.
NamedTraffic traffic_option(const std::string& shape_or_file, const std::string& weights,
                            const Machine* machine = nullptr);

/// What the program's processes send each other in a run, recorded in a child process; messages of
/// the host computer are left out. Throws InputError when the run fails; nothing on SIGINT.
std::optional<NamedTraffic> recorded_traffic(Scenario& scenario, const InterruptWatch& interrupt,
                                             ProgressOutput output);

}  // namespace dcube::app
