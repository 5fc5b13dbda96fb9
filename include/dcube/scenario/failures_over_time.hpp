#pragma once

#include <span>
#include <vector>

#include "dcube/network/machine.hpp"

namespace dcube {

/// Nodes and links that fail at one instant.
struct FailuresAt {
  Ticks at{0};                ///< 0: it has failed from the start
  std::vector<NodeId> nodes;  ///< ascending
  std::vector<Link> links;    ///< in one direction; those that fail with a node are left out
};

/// Failures in order of time; instants at which nothing fails are left out.
std::vector<FailuresAt> failures_over_time(const Topology& topology,
                                           std::span<const Fault> faults = {});

}  // namespace dcube
