#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/scenario/task_graph.hpp"
#include "dcube/search/subcubes.hpp"

namespace dcube::app {

// The machine of --machine, on whose nodes the nodes of a cube are. Its nodes that have failed or
// are kept free host nothing, so a mapping leaves out the nodes of the cube that would be there.

/// Settings of the exchange of the tasks on the machine. Throws InputError.
ExchangeScenario exchange_on(const std::string& machine, const SubcubeProblem& problem);

/// The nodes of a cube that host nothing on the machine; none when `machine` is empty or none has
/// failed. Throws InputError.
std::vector<NodeId> left_out_on(const std::string& machine, std::uint32_t dimensions);

/// Dimensions of the largest cube that has room on the machine; 0 when `machine` is empty. Throws
/// InputError.
std::uint32_t largest_cube_of(const std::string& machine);

}  // namespace dcube::app
