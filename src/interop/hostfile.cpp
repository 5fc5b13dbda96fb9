#include <fmt/format.h>

#include <algorithm>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace {

// The host of rank 0, of rank 1, .. a line each: smpirun and MPICH's mpiexec fill them in this
// order, Open MPI with --map-by node. On nodes of several slots a line names a host and its number
// of consecutive ranks: "node-5 slots=4". Open MPI refuses two lines with slots for a host; a map
// that needs them becomes a line for each rank, which Open MPI fills with --map-by seq.

bool has_ranks_in_a_row(const MapExport& content) {
  std::vector<bool> is_over(content.machine.topology->node_count());
  for (std::size_t rank = 1; rank < content.map.size(); ++rank) {
    if (content.map[rank] != content.map[rank - 1]) {
      is_over[content.map[rank - 1].index()] = true;
    }
    if (is_over[content.map[rank].index()]) {
      return false;
    }
  }
  return true;
}

/// Text with a line for every rank, its host.
std::string hosts_of_ranks(const MapExport& content) {
  std::string text;
  for (const NodeId node : content.map) {
    text += content.hosts.of(node) + "\n";
  }
  return text;
}

std::string write(const MapExport& content) {
  if (content.machine.node.slots == 1 || !has_ranks_in_a_row(content)) {
    return hosts_of_ranks(content);
  }
  std::string text;
  for (auto first = content.map.begin(); first != content.map.end();) {
    const auto end =
        std::find_if(first, content.map.end(), [&](const NodeId node) { return node != *first; });
    text += fmt::format("{} slots={}\n", content.hosts.of(*first), end - first);
    first = end;
  }
  return text;
}

std::uint32_t read_slots(const Scanner& scanner, std::string_view count, std::uint32_t most) {
  return static_cast<std::uint32_t>(
      scanner.whole(count, 1, most,
                    most == 1 ? "1 slot (a node hosts at most one process)"
                              : fmt::format("a number of slots (1 to {})", most)));
}

/// Reads lines with a host and, unless it is 1, the number of consecutive ranks on it.
std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  Scanner scanner{text, import.file, '#'};
  MapBuilder builder{import};
  while (scanner.next_line()) {
    const std::string_view first = scanner.word();
    const std::size_t colon = first.find(':');
    std::uint32_t ranks = 1;
    if (colon != std::string_view::npos) {
      ranks = read_slots(scanner, first.substr(colon + 1), import.slots);
    }
    for (std::string_view word = scanner.word(); !word.empty(); word = scanner.word()) {
      const std::size_t equals = word.find('=');
      const std::string_view key = word.substr(0, equals);
      scanner.reject_if(equals == std::string_view::npos ||
                            (key != "slots" && key != "max_slots" && key != "max-slots"),
                        "{} is not a number of slots (slots=1)", shown(word));
      if (key == "slots") {
        ranks = read_slots(scanner, word.substr(equals + 1), import.slots);
      }
    }
    const NodeId node = builder.host(scanner, first.substr(0, colon));
    for (std::uint32_t i = 0; i < ranks; ++i) {
      builder.place(scanner, builder.next_process(), node);
    }
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
    read,
    true};

const MapFormat hostlist_map_format{
    "hostlist",
    "host of every rank, a line each, for Slurm and Open MPI's --map-by seq",
    "dcube embed torus:8x8 --embedding xor --write hostlist:x.hostlist",
    ".hostlist",
    hosts_of_ranks,
    read,
    true};

}  // namespace dcube
