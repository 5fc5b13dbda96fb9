#pragma once

#include "dcube/core/ids.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// The machine with its host computer as one more node, for programs that use the host. The host's
/// links have a cost of their own. Needs a host. Throws InputError when there are too many links.
Machine machine_with_host(const Machine& machine);

/// The host's node on machine_with_host(machine).
inline NodeId host_node(const Machine& machine) { return NodeId{machine.topology->node_count()}; }

}  // namespace dcube
