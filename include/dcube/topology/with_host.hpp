#pragma once

#include <memory>
#include <optional>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// The network and one more node, the host computer, numbered after the others and joined to
/// `attached_to` or, without that, to every node.
///
/// Routes begin or end at the host and never pass it. Routes and distances between other nodes are
/// those of `base`, even where the host would be a short cut. The host's links are numbered after
/// those of `base`, first those to the host, then those from it. They form a dimension of side 1
/// without straight lines (stride 0). Throws InputError when there are too many to be numbered.
std::unique_ptr<Topology> with_host(std::shared_ptr<const Topology> base,
                                    std::optional<NodeId> attached_to);

/// The network given to with_host(); any other topology itself. It lives as long as `topology`.
const Topology& without_host(const Topology& topology);

}  // namespace dcube
