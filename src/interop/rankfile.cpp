#include <fmt/format.h>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace {

// "rank 0=node-5 slot=0": the host of a rank, and the cores of it that the rank may use.

std::string write(const MapExport& content) {
  std::string text;
  std::uint32_t rank = 0;
  for (const NodeId node : content.map) {
    text += fmt::format("rank {}={} slot=0\n", rank++, content.hosts.of(node));
  }
  return text;
}

[[noreturn]] void reject_line(const Scanner& scanner) {
  scanner.reject(fmt::format("{} is not `rank N=HOST slot=CORES`", shown(scanner.line())));
}

/// "+n5" is the sixth node of the allocation, whatever it is called.
NodeId host(const MapBuilder& builder, const Scanner& scanner, std::string_view name) {
  return name.starts_with("+n") ? builder.node(scanner, name.substr(2))
                                : builder.host(scanner, name);
}

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  Scanner scanner{text, import.file, '#'};
  MapBuilder builder{import};
  while (scanner.next_line()) {
    if (scanner.word() != "rank") {
      reject_line(scanner);
    }
    const std::string_view line = scanner.line();
    const std::string_view rest = trimmed(line.substr(std::string_view{"rank"}.size()));
    const std::size_t equals = rest.find('=');
    const std::size_t slot = rest.find("slot");
    if (equals == std::string_view::npos || slot == std::string_view::npos || slot <= equals ||
        rest.find('=', slot) == std::string_view::npos) {
      reject_line(scanner);
    }
    const std::uint32_t rank = builder.process(scanner, trimmed(rest.substr(0, equals)));
    const std::string_view name = trimmed(rest.substr(equals + 1, slot - equals - 1));
    builder.place(scanner, rank, host(builder, scanner, name));
  }
  return builder.map();
}

}  // namespace

const MapFormat rankfile_map_format{
    "rankfile",
    "Open MPI rankfile: host and core of every rank",
    "dcube embed torus:8x8 --embedding xor --export rankfile:x.rankfile",
    {},
    ".rankfile",
    write,
    read};

}  // namespace dcube
