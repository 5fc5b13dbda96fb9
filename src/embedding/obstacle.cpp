#include "obstacle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "dcube/topology/grid_kind.hpp"

namespace dcube {

namespace {

/// "8 nodes", "1 usable node"
std::string nodes_of(const EmbeddingTask& task) {
  const bool are_all = task.node_count() == task.topology.node_count();
  return fmt::format("{} {}{}", task.node_count(), are_all ? "node" : "usable node",
                     task.node_count() == 1 ? "" : "s");
}

}  // namespace

std::optional<std::string> too_few_slots(const EmbeddingTask& task) {
  const std::uint32_t processes = task.guest.process_count();
  if (processes <= task.slot_count()) {
    return std::nullopt;
  }
  if (task.slots == 1) {
    return fmt::format("{} has {} processes, the machine {}", task.guest.name(), processes,
                       nodes_of(task));
  }
  return fmt::format("{} has {} processes, the machine {} slots on {}", task.guest.name(),
                     processes, task.slot_count(), nodes_of(task));
}

std::optional<std::string> unequal_counts(const EmbeddingTask& task) {
  const std::uint32_t processes = task.guest.process_count();
  const std::uint32_t nodes = task.node_count();
  if (task.slots == 1) {
    return processes == nodes
               ? std::nullopt
               : std::optional{
                     fmt::format("it needs as many processes as nodes: {} has {}, the machine {}",
                                 task.guest.name(), processes, nodes)};
  }
  if (const std::optional<std::string> too_many = too_few_slots(task)) {
    return too_many;
  }
  if (processes % nodes == 0 && std::has_single_bit(processes / nodes)) {
    return std::nullopt;
  }
  return fmt::format(
      "it needs 1, 2, 4, .. processes on every node: {} has {}, the machine {} nodes",
      task.guest.name(), processes, nodes);
}

bool are_powers_of_two(std::span<const std::uint32_t> sides) {
  return std::ranges::all_of(sides, [](std::uint32_t side) { return std::has_single_bit(side); });
}

std::optional<std::string> missing_nodes(const Topology& topology) {
  const std::uint32_t nodes = topology.terminal_count();
  if (topology.usable_count() == nodes) {
    return std::nullopt;
  }
  return fmt::format("it needs every node, and {} of {} have failed or are kept free",
                     nodes - topology.usable_count(), nodes);
}

std::optional<std::string> sides_not_powers_of_two(const Topology& topology) {
  if (const std::optional<std::string> missing = missing_nodes(topology)) {
    return missing;
  }
  if (!has_sides(topology)) {
    return fmt::format("a {} has no sides", topology.kind());
  }
  if (are_powers_of_two(topology.shape())) {
    return std::nullopt;
  }
  return "sides must be powers of two";
}

std::optional<std::string> no_cube_by_bits(const EmbeddingTask& task) {
  if (task.guest.kind() != Guest::Kind::cube) {
    return fmt::format("it places a cube, not {}", task.guest.name());
  }
  const std::optional<std::string> sides = sides_not_powers_of_two(task.topology);
  return sides ? sides : unequal_counts(task);
}

}  // namespace dcube
