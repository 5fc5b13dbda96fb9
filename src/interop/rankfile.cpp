#include <fmt/format.h>

#include <utility>

#include "catalog.hpp"
#include "core/decimal.hpp"
#include "map_builder.hpp"

namespace dcube {
namespace rankfile {
namespace {

// "rank 0=node-5 slot=0": the host of a rank, and the cores that the rank may use. The processes of
// a node get its cores 0, 1, ..

std::string write(const MapExport& content) {
  std::string text;
  std::uint32_t rank = 0;
  SlotNumbers slots{content.machine.topology->node_count()};
  for (const NodeId node : content.map) {
    text += fmt::format("rank {}={} slot={}\n", rank++, content.hosts.of(node), slots.next(node));
  }
  return text;
}

[[noreturn]] void reject_line(const Scanner& scanner) {
  scanner.reject(fmt::format("{} is not `rank N=HOST slot=CORES`", shown(scanner.line())));
}

/// The trimmed texts before and after the first of `separators`.
std::pair<std::string_view, std::string_view> parted(std::string_view text,
                                                     std::string_view separators,
                                                     const Scanner& scanner) {
  const std::size_t at = text.find_first_of(separators);
  if (at == std::string_view::npos) {
    reject_line(scanner);
  }
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + 1))};
}

/// "2", "0-3", "*".
bool are_numbers(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parsed<std::uint32_t>(text.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : parsed<std::uint32_t>(text.substr(dash + 1));
  return text == "*" || (first && last && *first <= *last);
}

/// "0", "0-3,6", "p1", "1:0-2", "0:*;1:0": cores, of a socket or of the node; p: physical numbers.
bool are_cores(std::string_view text) {
  while (true) {
    const std::size_t end = text.find_first_of(",;");
    std::string_view part = text.substr(0, end);
    part.remove_prefix(part.starts_with('p') || part.starts_with('P') ? 1 : 0);
    const std::size_t colon = part.find(':');
    if (!are_numbers(part.substr(0, colon)) ||
        (colon != std::string_view::npos && !are_numbers(part.substr(colon + 1)))) {
      return false;
    }
    if (end == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(end + 1);
  }
}

/// "+n5" is the sixth node of the allocation, whatever its name.
NodeId host(const MapBuilder& builder, const Scanner& scanner, std::string_view name) {
  return name.starts_with("+n") ? builder.node(scanner, name.substr(2))
                                : builder.host(scanner, name);
}

std::vector<NodeId> read(std::string_view text, const MapImport& import) {
  Scanner scanner{text, import.file, '#'};
  MapBuilder builder{import};
  while (scanner.next_line()) {
    const auto [word, entry] = parted(scanner.line(), blanks, scanner);
    const auto [rank, placed] = parted(entry, "=", scanner);
    const auto [name, slot] = parted(placed, blanks, scanner);
    const auto [key, cores] = parted(slot, "=", scanner);
    if (word != "rank" || key != "slot" || cores.empty()) {
      reject_line(scanner);
    }
    scanner.reject_if(!are_cores(cores), "{} is no list of cores (0, 0-3, 0,2, p1, 1:0-2, *)",
                      shown(cores));
    builder.place(scanner, builder.process(scanner, rank), host(builder, scanner, name));
  }
  return builder.map();
}

}  // namespace
}  // namespace rankfile

const MapFormat rankfile_map_format{
    "rankfile",
    "Open MPI rankfile: host and core of every rank",
    "dcube embed torus:8x8 --embedding xor --write rankfile:x.rankfile",
    ".rankfile",
    rankfile::write,
    rankfile::read,
    true};

}  // namespace dcube
