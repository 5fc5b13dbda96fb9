#pragma once

#include <cstdint>
#include <span>

#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// What a program's traffic costs under a map, before anything runs.
struct TrafficMetrics {
  /// Sum over all flows of bytes times distance.
  std::uint64_t hop_bytes = 0;
  /// hop_bytes over all bytes: the hops of an average byte.
  double average_hops = 0;
  /// The hops of an average flow, whatever its bytes.
  double average_dilation = 0;
  std::uint32_t longest_dilation = 0;
  LoadSummary link_bytes;  ///< over each directed link (`undirected`: both directions together)
};

/// `map` is the node of each process; bytes between two processes of a node make no hops. Throws
/// InputError (no place) when hop-bytes pass 63 bits, MemoryError when the links are too many for
/// this computer. O(flows x dimensions + links).
TrafficMetrics measure_traffic(const Topology& topology, const Traffic& traffic,
                               std::span<const NodeId> map, LinkSharing sharing);

}  // namespace dcube
