#pragma once

#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/network/machine.hpp"

namespace dcube {

/// Whether the directions of a machine's links are loaded apart.
inline LinkSharing link_sharing(const Machine& machine) {
  return machine.links.duplex == Duplex::half ? LinkSharing::undirected : LinkSharing::directed;
}

}  // namespace dcube
