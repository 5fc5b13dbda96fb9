
#include "catalog.hpp"
#include "core/decimal.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace {

// The host of rank 0, of rank 1, .. a line each: what smpirun and MPICH's mpiexec fill in this
// order; Open MPI does with --map-by node.

std::string write(const MapExport& content) {
  std::string text;
  for (const NodeId node : content.map) {
    text += content.hosts.of(node) + "\n";
  }
  return text;
}

void check_slots(const Scanner& scanner, std::string_view count) {
  scanner.whole(count, 1, 1, "1 slot (a node hosts at most one process)");
}

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  Scanner scanner{text, import.file, '#'};
  MapBuilder builder{import};
  while (scanner.next_line()) {
    const std::string_view first = scanner.word();
    const std::size_t colon = first.find(':');
    if (colon != std::string_view::npos) {
      check_slots(scanner, first.substr(colon + 1));
    }
    for (std::string_view word = scanner.word(); !word.empty(); word = scanner.word()) {
      const std::size_t equals = word.find('=');
      const std::string_view key = word.substr(0, equals);
      scanner.reject_if(equals == std::string_view::npos ||
                            (key != "slots" && key != "max_slots" && key != "max-slots"),
                        "{} is not a number of slots (slots=1)", shown(word));
      if (key == "slots") {
        check_slots(scanner, word.substr(equals + 1));
      }
    }
    builder.place(scanner, builder.next_process(), builder.host(scanner, first.substr(0, colon)));
  }
  return builder.map();
}

}  // namespace

const MapFormat hostfile_map_format{
    "hostfile",
    "host of every rank, for smpirun and mpiexec",
    "dcube embed torus:8x8 --embedding xor --write hostfile:x.hostfile",
    ".hostfile",
    write,
    read};

}  // namespace dcube
