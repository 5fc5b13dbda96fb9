#include <fmt/format.h>

#include <vector>

#include "catalog.hpp"
#include "coordinates.hpp"
#include "core/mapped.hpp"
#include "dcube/topology/adjacency.hpp"
#include "node_name.hpp"

namespace dcube {
namespace dot {
namespace {

using Place = Structure::Place;

/// Position of a node: the first two coordinates span a plane, the next two a plane of planes.
Place place_of(const Topology& topology, NodeId node) {
  if (!topology.structure().places.empty()) {
    return topology.structure().places[node.index()];
  }
  const std::span<const std::uint32_t> shape = topology.shape();
  const std::vector<std::uint32_t> at = coordinates(shape, node);
  Place place;
  std::uint32_t x_stride = 1;
  std::uint32_t y_stride = 1;
  for (std::size_t i = 0; i < at.size(); ++i) {
    double& along = i % 2 == 0 ? place.x : place.y;
    std::uint32_t& stride = i % 2 == 0 ? x_stride : y_stride;
    along += stride * at[i];
    stride = stride * shape[i] + 1;
  }
  return place;
}

std::string write(const MapExport& content) {
  const Topology& topology = *content.machine.topology;
  std::vector<std::vector<std::uint32_t>> processes_on(topology.node_count());
  for (std::uint32_t process = 0; process < content.map.size(); ++process) {
    processes_on[content.map[process].index()].push_back(process);
  }
  std::string text = fmt::format(
      "graph \"{}\" {{\n  layout=neato;\n  splines=curved;\n"
      "  node [shape=box, style=filled, fillcolor=\"#cfe3f5\", width=0.7, height=0.4];\n",
      describe(topology));
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const Place place = place_of(topology, NodeId{node});
    const std::string name = node_name(topology, content.hosts, NodeId{node});
    const std::string at = fmt::format("pos=\"{:g},{:g}!\"", place.x, -place.y);
    text +=
        processes_on[node].empty()
            ? fmt::format("  {} [label=\"\", tooltip=\"{}\", style=dashed, {}];\n", node, name, at)
            : fmt::format("  {} [label=\"{}\", tooltip=\"{}\", {}];\n", node,
                          joined(processes_on[node], " "), name, at);
  }
  const Adjacency links = adjacency_of(topology);
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    for (const Exit& exit : links.of(NodeId{node})) {
      if (exit.to.index() > node) {
        text += fmt::format("  {} -- {};\n", node, exit.to.index());
      }
    }
  }
  return text + "}\n";
}

}  // namespace
}  // namespace dot

const MapFormat dot_map_format{"dot",
                               "picture of the machine, nodes labelled by process, for Graphviz",
                               "dcube embed torus:8x8 --embedding xor --write dot:x.dot",
                               ".dot",
                               dot::write,
                               nullptr,
                               true};

}  // namespace dcube
