#include "obstacle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace dcube {

std::optional<std::string> too_few_nodes(const Topology& topology, const Guest& guest) {
  if (guest.process_count() <= topology.node_count()) {
    return std::nullopt;
  }
  return fmt::format("{} has {} processes, the machine {} nodes", guest.name(),
                     guest.process_count(), topology.node_count());
}

std::optional<std::string> unequal_counts(const Topology& topology, const Guest& guest) {
  if (guest.process_count() == topology.node_count()) {
    return std::nullopt;
  }
  return fmt::format("it needs as many processes as nodes: {} has {}, the machine {}", guest.name(),
                     guest.process_count(), topology.node_count());
}

bool are_powers_of_two(std::span<const std::uint32_t> sides) {
  return std::all_of(sides.begin(), sides.end(),
                     [](std::uint32_t side) { return std::has_single_bit(side); });
}

std::optional<std::string> sides_not_powers_of_two(const Topology& topology) {
  if (are_powers_of_two(topology.shape())) {
    return std::nullopt;
  }
  return "sides must be powers of two";
}

std::optional<std::string> no_cube_by_bits(const Topology& topology, const Guest& guest) {
  if (guest.kind() != Guest::Kind::cube) {
    return fmt::format("it places a cube, not {}", guest.name());
  }
  const std::optional<std::string> sides = sides_not_powers_of_two(topology);
  return sides ? sides : unequal_counts(topology, guest);
}

}  // namespace dcube
