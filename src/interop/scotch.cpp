#include <fmt/format.h>

#include <algorithm>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace scotch {
namespace {

// The number of lines, and a line for each vertex of the graph: its label and the target's vertex,
// which may occur several times. Labels count from 0, or from 1 if the graph's do.

std::string write(const MapExport& content) {
  std::string text = fmt::format("{}\n", content.map.size());
  std::uint32_t process = 0;
  for (const NodeId node : content.map) {
    text += fmt::format("{}\t{}\n", process++, node.index());
  }
  return text;
}

/// Calls `use(scanner, label, node)` for every line of a mapping.
template <class Use>
void visit_lines(std::string_view text, const MapImport& import, Use use) {
  Scanner scanner{text, import.file};
  const std::uint32_t nodes = import.topology.node_count();
  const std::uint64_t slots = std::uint64_t{nodes} * import.slots;
  const std::string_view first = scanner.next_word("the number of lines");
  scanner.reject_if(scanner.line() != first,
                    "{} is not the number of lines that a Scotch map begins with; a "
                    "map for Blue Gene is read as bluegene:{}",
                    shown(scanner.line()), import.file);
  const std::uint64_t lines = scanner.whole(
      first, 1, slots,
      import.slots == 1
          ? fmt::format("a number of processes (1 to {}: one a node)", nodes)
          : fmt::format("a number of processes (1 to {}: {} a node)", slots, import.slots));
  for (std::uint64_t line = 0; line < lines; ++line) {
    const std::uint64_t label =
        scanner.whole(scanner.next_word("a line"), 0, slots, "a label of a process");
    use(scanner, label, scanner.next_word("a node"));
  }
  scanner.expect_end();
}

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  std::uint64_t base = 1;
  visit_lines(text, import, [&](const Scanner&, std::uint64_t label, std::string_view) {
    base = std::min(base, label);
  });
  MapBuilder builder{import};
  visit_lines(text, import,
              [&](const Scanner& scanner, std::uint64_t label, std::string_view node) {
                builder.place(scanner, static_cast<std::uint32_t>(label - base),
                              builder.node(scanner, node));
              });
  return builder.map();
}

}  // namespace
}  // namespace scotch

const MapFormat scotch_map_format{"scotch",
                                  "mapping of a graph's vertices, for Scotch's gmtst and gmap",
                                  "dcube embed torus:8x8 --embedding xor --write scotch:x.map",
                                  ".map",
                                  scotch::write,
                                  scotch::read};

}  // namespace dcube
