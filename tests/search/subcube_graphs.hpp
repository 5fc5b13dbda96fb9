#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/core/random.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube::testing {

/// One edge for each (from, to, weight).
struct WeightedEdge {
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t weight;
};
inline Traffic graph_of(std::uint32_t tasks, const std::vector<WeightedEdge>& edges) {
  std::vector<Flow> flows;
  for (const WeightedEdge& edge : edges) {
    flows.push_back({ProcessId{edge.from}, ProcessId{edge.to}, edge.weight, 1});
  }
  return {tasks, std::move(flows)};
}

/// Every pair of tasks with even odds, weights 1 to 9.
inline Traffic random_graph(std::uint32_t tasks, SplitMix64& random) {
  std::vector<WeightedEdge> edges;
  for (std::uint32_t from = 0; from < tasks; ++from) {
    for (std::uint32_t to = from + 1; to < tasks; ++to) {
      if ((random.next() & 1U) != 0) {
        edges.push_back({from, to, 1 + bounded(random.next(), 9)});
      }
    }
  }
  return graph_of(tasks, edges);
}

}  // namespace dcube::testing
