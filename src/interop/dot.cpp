#include <fmt/format.h>

#include <vector>

#include "catalog.hpp"
#include "coordinates.hpp"
#include "core/mapped.hpp"

namespace dcube {
namespace dot {
namespace {

/// Position of a node: the first two coordinates span a plane, the next two a plane of planes.
struct Place {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
};

Place place_of(std::span<const std::uint32_t> shape, NodeId node) {
  const std::vector<std::uint32_t> at = coordinates(shape, node);
  Place place;
  std::uint32_t x_stride = 1;
  std::uint32_t y_stride = 1;
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::uint32_t& along = i % 2 == 0 ? place.x : place.y;
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
    const Place place = place_of(topology.shape(), NodeId{node});
    const std::string name = content.hosts.of(NodeId{node});
    const std::string at = fmt::format("pos=\"{},-{}!\"", place.x, place.y);
    text +=
        processes_on[node].empty()
            ? fmt::format("  {} [label=\"\", tooltip=\"{}\", style=dashed, {}];\n", node, name, at)
            : fmt::format("  {} [label=\"{}\", tooltip=\"{}\", {}];\n", node,
                          joined(processes_on[node], " "), name, at);
  }
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    for (const NodeId neighbour : topology.neighbours(NodeId{node})) {
      if (neighbour.index() > node) {
        text += fmt::format("  {} -- {};\n", node, neighbour.index());
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
