#pragma once

#include <memory>
#include <optional>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// The network and one more node, the host computer, numbered after the others and joined to
/// `attached_to` or, when that is nothing, to every node.
///
/// The host is an end of routes, never on their way: between other nodes routes and distances stay
/// those of `base`, however short the way through the host would be. Its links follow those of
/// `base`, in a dimension of their own of side 1 that has no straight lines (stride 0): first the
/// links to the host, then those from it. Throws InputError when they are too many to be numbered.
std::unique_ptr<Topology> with_host(std::shared_ptr<const Topology> base,
                                    std::optional<NodeId> attached_to);

}  // namespace dcube
