#pragma once

#include <cstdint>
#include <span>

#include "dcube/embedding/traffic.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Costs of a program's traffic under a map, without a run.
struct TrafficMetrics {
  /// Sum over all flows of bytes times distance.
  std::uint64_t hop_bytes = 0;
  /// Hops of an average byte.
  double average_hops = 0;
  /// Hops of an average flow, whatever its bytes.
  double average_dilation = 0;
  std::uint32_t longest_dilation = 0;
  LoadSummary link_bytes;  ///< over each directed link (`undirected`: both directions together)
};

/// Whether hop-bytes count hops as their links weigh (hop_weights_of), or all alike.
enum class HopWeights : std::uint8_t { counted, ignored };

/// `map`: node of each process; bytes between two processes of a node make no hops. Throws
/// InputError (no place) when hop-bytes pass 63 bits, MemoryError when link loads do not fit in
/// memory. O(flows x dimensions + links).
TrafficMetrics measure_traffic(const Topology& topology, const Traffic& traffic,
                               std::span<const NodeId> map, LinkSharing sharing,
                               HopWeights hop_weights = HopWeights::counted);

}  // namespace dcube
