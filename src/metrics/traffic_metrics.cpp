#include "dcube/metrics/traffic_metrics.hpp"

#include <algorithm>
#include <limits>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/core/memory.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "link_loads.hpp"

namespace dcube {
namespace {

/// Limit that keeps every sum of link loads within 64 bits.
constexpr UInt128 most_hop_bytes = std::numeric_limits<std::int64_t>::max();

}  // namespace

TrafficMetrics measure_traffic(const Topology& topology, const Traffic& traffic,
                               std::span<const NodeId> map, LinkSharing sharing,
                               HopWeights hop_weights) {
  expects(map.size() == traffic.process_count(), "the map has a node for every process");
  expect_fits_in_memory("measuring the traffic",
                        LinkLoads<std::uint64_t>::bytes(topology, sharing));
  LinkLoads<std::uint64_t> loads{topology, sharing};
  TrafficMetrics metrics;
  UInt128 hop_bytes = 0;
  std::uint64_t hops = 0;
  for (const Flow& flow : traffic.flows()) {
    const std::uint32_t distance =
        loads.add_route(map[flow.from.index()], map[flow.to.index()], flow.bytes);
    hop_bytes += UInt128{distance} * flow.bytes;
    hops += distance;
    metrics.longest_dilation = std::max(metrics.longest_dilation, distance);
  }
  refuse_if(hop_bytes > most_hop_bytes, "",
            "bytes times hops add up to more than 2^63-1; use a larger unit");
  loads.sum_up();
  LoadTally links;
  loads.for_each_link([&](const Link&, std::uint64_t load) { links.add(load); });
  metrics.link_bytes = links.summary();
  if (const std::span<const std::uint32_t> weights = hop_weights_of(topology);
      hop_weights == HopWeights::counted && !weights.empty()) {
    hop_bytes = 0;
    loads.for_each_link([&](const Link& link, std::uint64_t load) {
      hop_bytes += UInt128{load} * weights[link.dimension];
    });
    refuse_if(hop_bytes > most_hop_bytes, "",
              "bytes times weights of hops add up to more than 2^63-1; use a larger unit");
  }
  metrics.hop_bytes = static_cast<std::uint64_t>(hop_bytes);
  metrics.average_hops = mean_of(metrics.hop_bytes, traffic.total_bytes());
  metrics.average_dilation = mean_of(hops, traffic.flows().size());
  return metrics;
}

}  // namespace dcube
