#include <fmt/format.h>

#include "catalog.hpp"
#include "coordinates.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace bluegene {
namespace {

// A line per rank: the coordinates of its node and the core, x y z t on Blue Gene/L and /P, a b c d
// e t on Blue Gene/Q. The processes of a node have cores 0, 1, .. A file describes the whole
// partition, so lines for empty slots follow those of the processes. Those of nodes that have
// failed or are kept free come last; the file may be read for the machine without these failures.

constexpr std::size_t short_line = 3;  // coordinates, without the core
constexpr std::size_t long_line = 5;

std::size_t coordinates_of_a_line(std::size_t dimensions) {
  refuse_if(dimensions > long_line, "",
            "a Blue Gene map has 3 or 5 coordinates, the machine {} dimensions", dimensions);
  return dimensions <= short_line ? short_line : long_line;
}

std::string write(const MapExport& content) {
  const Topology& topology = *content.machine.topology;
  const std::size_t width = coordinates_of_a_line(topology.dimension_count());
  SlotNumbers slots{topology.node_count()};
  std::string text;
  const auto add = [&](NodeId node) {
    std::vector<std::uint32_t> line = coordinates(topology.shape(), node);
    line.resize(width + 1);
    line.back() = slots.next(node);
    text += fmt::format("{}\n", joined(line, " "));
  };
  for (const NodeId node : content.map) {
    add(node);
  }
  for (const bool is_usable : {true, false}) {
    for (std::uint32_t number = 0; number < topology.terminal_count(); ++number) {
      const NodeId node{number};
      while (topology.is_usable(node) == is_usable &&
             slots.used(node) < content.machine.node.slots) {
        add(node);
      }
    }
  }
  return text;
}

struct Core {
  NodeId node;
  std::uint32_t number;
};

/// Reads at least `least` coordinates and the core.
Core read_core(const Scanner& scanner, std::span<const std::uint32_t> shape, std::size_t least,
               std::uint32_t slots) {
  const std::vector<std::string_view> words = blank_separated(scanner.line());
  const std::size_t count = words.size() - 1;
  scanner.reject_if((count != short_line && count != long_line) || count < least,
                    "{} numbers ({} coordinates and the core are expected)", words.size(), least);
  std::uint32_t node = 0;
  std::uint32_t stride = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t side = i < shape.size() ? shape[i] : 1;
    const std::string what = fmt::format("a coordinate in dimension {} (0 to {})", i, side - 1);
    node += stride * static_cast<std::uint32_t>(scanner.whole(words[i], 0, side - 1, what));
    stride *= side;
  }
  const std::uint64_t core = scanner.whole(
      words.back(), 0, slots - 1,
      slots == 1
          ? "the core 0 (a node hosts at most one process)"
          : fmt::format("a core (0 to {}: a node hosts at most {} processes)", slots - 1, slots));
  return {NodeId{node}, static_cast<std::uint32_t>(core)};
}

/// Whether the lines describe a whole partition: every slot that could host a process.
bool goes_on_with_empty_slots(std::span<const NodeId> map, const MapImport& import) {
  SlotNumbers slots{import.topology.node_count()};
  for (const NodeId node : map) {
    slots.next(node);
  }
  for (std::uint32_t node = 0; node < import.topology.node_count(); ++node) {
    if (import.topology.is_usable(NodeId{node}) && slots.used(NodeId{node}) < import.slots) {
      return false;
    }
  }
  return true;
}

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  const std::span<const std::uint32_t> shape = import.topology.shape();
  const std::size_t least = coordinates_of_a_line(shape.size());
  Scanner scanner{text, import.file, '#'};
  MapBuilder builder{import};
  while (scanner.next_line()) {
    const auto [node, core] = read_core(scanner, shape, least, import.slots);
    builder.place(scanner, builder.next_process(), node, core);
  }
  std::vector<NodeId> map = builder.map();
  if (goes_on_with_empty_slots(map, import)) {
    const auto can_be_empty = [&](NodeId node) {
      return import.processes ? map.size() > *import.processes : !import.topology.is_usable(node);
    };
    while (map.size() > 1 && can_be_empty(map.back())) {
      map.pop_back();
    }
  }
  return map;
}

}  // namespace
}  // namespace bluegene

const MapFormat bluegene_map_format{
    "bluegene",
    "Blue Gene map file: coordinates and core of every rank, empty nodes last",
    "dcube embed torus:8x8x8 --embedding xor --write bluegene:x.bgmap",
    ".bgmap",
    bluegene::write,
    bluegene::read};

}  // namespace dcube
