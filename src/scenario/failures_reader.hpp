#pragma once

#include <memory>
#include <vector>

#include "link_reader.hpp"

namespace dcube {

/// Reads "failed": the network as it is at the start, and its later failures. A node that fails
/// later forwards messages until then, and hosts no process.
std::shared_ptr<const Topology> with_failures_of(const Params& document, const LinksByEnds& network,
                                                 std::shared_ptr<const Topology> routed,
                                                 std::vector<Fault>& faults);

}  // namespace dcube
