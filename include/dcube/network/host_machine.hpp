#pragma once

#include "dcube/core/ids.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// The machine with its host computer as one more node. The host's links have a cost of their own.
/// Programs that use the host run on this machine. Needs a host. Throws InputError when there are
/// too many links.
Machine machine_with_host(const Machine& machine);

/// The host's node on that machine, given the machine without it.
inline NodeId host_node(const Machine& machine) { return NodeId{machine.topology->node_count()}; }

}  // namespace dcube
