#include <fmt/format.h>

#include "catalog.hpp"
#include "coordinates.hpp"
#include "dcube/core/errors.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace {

// Every rank has a line with the coordinates of its node and, last, the core: x y z t on Blue
// Gene/L and /P, a b c d e t on Blue Gene/Q. A file describes the whole partition, so lines for
// empty nodes follow those of the processes.

constexpr std::size_t short_line = 3;  // coordinates, without the core
constexpr std::size_t long_line = 5;

std::size_t coordinates_of_a_line(std::size_t dimensions) {
  if (dimensions > long_line) {
    throw InputError("", fmt::format("a Blue Gene map has 3 or 5 coordinates, the machine {} "
                                     "dimensions",
                                     dimensions));
  }
  return dimensions <= short_line ? short_line : long_line;
}

std::string write(const MapExport& content) {
  const Topology& topology = *content.machine.topology;
  const std::size_t width = coordinates_of_a_line(topology.dimension_count());
  std::vector<bool> is_used(topology.node_count());
  std::string text;
  const auto add = [&](NodeId node) {
    std::vector<std::uint32_t> line = coordinates(topology.shape(), node);
    line.resize(width + 1);
    text += fmt::format("{}\n", fmt::join(line, " "));
  };
  for (const NodeId node : content.map) {
    is_used[node.index()] = true;
    add(node);
  }
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    if (!is_used[node]) {
      add(NodeId{node});
    }
  }
  return text;
}

class Reader {
 public:
  Reader(std::string_view text, const MapImport& import)
      : shape_{import.topology.shape()},
        least_{coordinates_of_a_line(shape_.size())},
        scanner_{text, import.file, '#'},
        builder_{import},
        nodes_{import.topology.node_count()},
        processes_{import.processes} {}

  std::vector<NodeId> map() {
    while (scanner_.next_line()) {
      builder_.place(scanner_, builder_.next_process(), node(words()));
    }
    std::vector<NodeId> map = builder_.map();
    const bool goes_on_with_empty_nodes = map.size() == nodes_;
    if (goes_on_with_empty_nodes && processes_ && *processes_ < nodes_) {
      map.resize(*processes_);
    }
    return map;
  }

 private:
  std::vector<std::string_view> words() {
    std::vector<std::string_view> words;
    for (std::string_view word = scanner_.word(); !word.empty(); word = scanner_.word()) {
      words.push_back(word);
    }
    const std::size_t coordinates = words.size() - 1;
    if ((coordinates != short_line && coordinates != long_line) || coordinates < least_) {
      scanner_.reject(fmt::format("{} numbers ({} coordinates and the core are expected)",
                                  words.size(), least_));
    }
    return words;
  }

  NodeId node(const std::vector<std::string_view>& words) const {
    std::uint32_t node = 0;
    std::uint32_t stride = 1;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::uint32_t side = i < shape_.size() ? shape_[i] : 1;
      const std::string what = fmt::format("a coordinate in dimension {} (0 to {})", i, side - 1);
      node += stride * static_cast<std::uint32_t>(scanner_.whole(words[i], 0, side - 1, what));
      stride *= side;
    }
    scanner_.whole(words.back(), 0, 0, "the core 0 (a node hosts at most one process)");
    return NodeId{node};
  }

  std::span<const std::uint32_t> shape_;
  std::size_t least_;
  Scanner scanner_;
  MapBuilder builder_;
  std::uint32_t nodes_;
  std::optional<std::uint32_t> processes_;
};

}  // namespace

const MapFormat bluegene_map_format{
    "bluegene",
    "Blue Gene map file: coordinates of every rank, empty nodes last",
    "dcube embed torus:8x8x8 --embedding xor --write bluegene:x.bgmap",
    {},
    ".bgmap",
    write,
    [](std::string_view text, const MapImport& import) {
      return Reader{text, import}.map();
    }};

}  // namespace dcube
