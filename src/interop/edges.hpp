#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "flows.hpp"

// Traffic as an undirected graph, for files that hold one.

namespace dcube {

/// Load of an edge: the mean of the flows both ways, rounded up so that it does not become 0.
inline std::uint64_t edge_load(std::uint64_t one_way, std::uint64_t other_way) {
  return one_way / 2 + other_way / 2 + (one_way % 2 + other_way % 2 + 1) / 2;
}

/// An edge, seen from one of its ends.
struct EdgeEnd {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t there = 0;
  std::uint64_t back = 0;
};

/// Every edge from both of its ends, ascending.
inline std::vector<EdgeEnd> edges_of(const Traffic& traffic) {
  std::vector<EdgeEnd> edges;
  edges.reserve(2 * traffic.flows().size());
  for (const Flow& flow : traffic.flows()) {
    const std::uint64_t weight = single_weight(traffic, flow);
    edges.push_back({flow.from.index(), flow.to.index(), weight, 0});
    edges.push_back({flow.to.index(), flow.from.index(), 0, weight});
  }
  std::ranges::sort(edges, {}, [](const EdgeEnd& edge) { return std::pair{edge.from, edge.to}; });
  std::size_t count = 0;
  for (const EdgeEnd& edge : edges) {
    if (count > 0 && edges[count - 1].from == edge.from && edges[count - 1].to == edge.to) {
      edges[count - 1].there += edge.there;
      edges[count - 1].back += edge.back;
    } else {
      edges[count++] = edge;
    }
  }
  edges.resize(count);
  return edges;
}

}  // namespace dcube
