#pragma once

// Draws machines for scripts, and where their processes are.

#include <string>
#include <vector>

#include "draw.hpp"
#include "script.hpp"

namespace dcube::testing {

/// Any topology with any costs, as far as `extent` goes. What it is goes to the description.
Machine random_machine(Draw& draw, Extent extent, std::string& description);

/// Up to as many processes as there are slots, anywhere.
std::vector<NodeId> random_map(Draw& draw, const Machine& machine);

/// In one machine of three some links, and nodes without processes, fail; one time in five at the
/// end of time.
void add_faults(Draw& draw, ScriptCase& scripted);

}  // namespace dcube::testing
