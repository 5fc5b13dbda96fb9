#include <fmt/format.h>

#include <array>

#include "catalog.hpp"
#include "core/csv_columns.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace csv_map {
namespace {

const std::array<std::string, 2> map_columns{"process", "node"};

std::string write(const MapExport& content) {
  std::string text = "process,node\n";
  std::uint32_t process = 0;
  for (const NodeId node : content.map) {
    text += fmt::format("{},{}\n", process++, node.index());
  }
  return text;
}

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  Scanner scanner{text, import.file, '#'};
  MapBuilder builder{import};
  CsvColumns columns{scanner, map_columns, 2};
  while (columns.next_row()) {
    const std::uint32_t process = builder.process(scanner, columns.cell(0));
    builder.place(scanner, process, builder.node(scanner, columns.cell(1)));
  }
  return builder.map();
}

}  // namespace
}  // namespace csv_map

const MapFormat csv_map_format{"csv",
                               "table of processes and nodes",
                               "dcube embed torus:8x8 --embedding xor --write csv:x.csv",
                               ".csv",
                               csv_map::write,
                               csv_map::read};

}  // namespace dcube
