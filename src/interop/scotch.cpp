#include <fmt/format.h>

#include <algorithm>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace {

// The number of lines, and a line for each vertex of the graph: its label and the vertex of the
// target. Labels count from 0 or, where the graph does, from 1.

std::string write(const MapExport& content) {
  std::string text = fmt::format("{}\n", content.map.size());
  std::uint32_t process = 0;
  for (const NodeId node : content.map) {
    text += fmt::format("{}\t{}\n", process++, node.index());
  }
  return text;
}

/// Walks the lines of a mapping.
class Lines {
 public:
  Lines(std::string_view text, const MapImport& import)
      : scanner_{text, import.file}, nodes_{import.topology.node_count()} {
    const std::string_view first = scanner_.next_word("the number of lines");
    if (scanner_.line() != first) {
      scanner_.reject(
          fmt::format("{} is not the number of lines that a Scotch map begins with; a "
                      "map for Blue Gene is read as bluegene:{}",
                      shown(scanner_.line()), import.file));
    }
    left_ = scanner_.whole(first, 1, nodes_,
                           fmt::format("a number of processes (1 to {}: one a node)", nodes_));
  }

  /// False at the end.
  bool next() {
    if (left_ == 0) {
      scanner_.expect_end();
      return false;
    }
    --left_;
    label_ = scanner_.whole(scanner_.next_word("a line"), 0, nodes_, "a label of a process");
    node_ = scanner_.next_word("a node");
    return true;
  }

  std::uint64_t label() const { return label_; }
  std::string_view node() const { return node_; }
  const Scanner& scanner() const { return scanner_; }

 private:
  Scanner scanner_;
  std::uint32_t nodes_;
  std::uint64_t left_ = 0;
  std::uint64_t label_ = 0;
  std::string_view node_;
};

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  std::uint64_t base = 1;
  for (Lines lines{text, import}; lines.next();) {
    base = std::min(base, lines.label());
  }
  MapBuilder builder{import};
  for (Lines lines{text, import}; lines.next();) {
    builder.place(lines.scanner(), static_cast<std::uint32_t>(lines.label() - base),
                  builder.node(lines.scanner(), lines.node()));
  }
  return builder.map();
}

}  // namespace

const MapFormat scotch_map_format{"scotch",
                                  "mapping of a graph's vertices, for Scotch's gmtst and gmap",
                                  "dcube embed torus:8x8 --embedding xor --write scotch:x.map",
                                  {},
                                  ".map",
                                  write,
                                  read};

}  // namespace dcube
