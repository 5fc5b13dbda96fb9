#pragma once

#include <cstdint>
#include <span>

#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// What a map costs a program's traffic before anything runs.
struct TrafficMetrics {
  /// Sum over all flows of bytes times distance.
  std::uint64_t hop_bytes = 0;
  /// Hops that an average byte makes: hop_bytes over all bytes.
  double average_hops = 0;
  /// Hops of an average flow, all flows alike.
  double average_dilation = 0;
  std::uint32_t longest_dilation = 0;
  LoadSummary link_bytes;  ///< over each directed link (`undirected`: both directions together)
};

/// `map` is the node of each process, an injection. Throws InputError (no place) when hop-bytes
/// pass 63 bits. O(flows x dimensions + links).
TrafficMetrics measure_traffic(const Topology& topology, const Traffic& traffic,
                               std::span<const NodeId> map, LinkSharing sharing);

}  // namespace dcube
