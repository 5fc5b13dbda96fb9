#include "paths.hpp"

#include <cstddef>
#include <deque>
#include <limits>

namespace dcube::reference {
namespace {

std::vector<std::uint32_t> coordinates(std::uint32_t node, std::span<const std::uint32_t> shape) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t side : shape) {
    result.push_back(node % side);
    node /= side;
  }
  return result;
}

bool is_one_step(std::uint32_t a, std::uint32_t b, std::uint32_t side, Border border) {
  const std::uint32_t apart = a < b ? b - a : a - b;
  return apart == 1 || (border == Border::joined && apart == side - 1);
}

bool is_linked(std::uint32_t a, std::uint32_t b, std::span<const std::uint32_t> shape,
               Border border) {
  const std::vector<std::uint32_t> here = coordinates(a, shape);
  const std::vector<std::uint32_t> there = coordinates(b, shape);
  std::size_t differing = 0;
  bool is_step = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (here[i] != there[i]) {
      ++differing;
      is_step = is_step && is_one_step(here[i], there[i], shape[i], border);
    }
  }
  return differing == 1 && is_step;
}

}  // namespace

Graph graph_of(const Topology& topology) {
  Graph graph;
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    graph.push_back(topology.neighbours(NodeId{node}));
  }
  return graph;
}

Graph grid_graph(std::span<const std::uint32_t> shape, Border border) {
  std::uint32_t node_count = 1;
  for (const std::uint32_t side : shape) {
    node_count *= side;
  }
  Graph graph(node_count);
  for (std::uint32_t a = 0; a < node_count; ++a) {
    for (std::uint32_t b = 0; b < node_count; ++b) {
      if (is_linked(a, b, shape, border)) {
        graph[a].emplace_back(b);
      }
    }
  }
  return graph;
}

std::vector<std::uint32_t> breadth_first_distances(const Graph& graph, NodeId from,
                                                   std::uint32_t first_forwarder) {
  constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distances(graph.size(), unreached);
  distances[from.index()] = 0;
  std::deque<NodeId> frontier{from};
  while (!frontier.empty()) {
    const NodeId node = frontier.front();
    frontier.pop_front();
    if (node != from && node.index() < first_forwarder) {
      continue;
    }
    for (const NodeId next : graph[node.index()]) {
      if (distances[next.index()] == unreached) {
        distances[next.index()] = distances[node.index()] + 1;
        frontier.push_back(next);
      }
    }
  }
  return distances;
}

}  // namespace dcube::reference
