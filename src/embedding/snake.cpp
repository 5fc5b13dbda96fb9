#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "catalog.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "snake_path.hpp"

namespace dcube {

std::optional<std::string> snake_obstacle(const EmbeddingTask& task) {
  const Guest& guest = task.guest;
  const bool is_grid = guest.kind() == Guest::Kind::mesh || guest.kind() == Guest::Kind::torus;
  if (!is_grid || guest.dimension_count() != 1) {
    return "it places lines and rings, not " + guest.name();
  }
  const std::span<const std::uint32_t> shape = task.topology.shape();
  if (!has_sides(task.topology) || task.topology.structure().is_cube ||
      std::ranges::count_if(shape, [](std::uint32_t side) { return side > 1; }) < 2) {
    return "it needs a mesh or torus of several dimensions";
  }
  if (const std::optional<std::string> missing = missing_nodes(task.topology)) {
    return missing;
  }
  return too_few_slots(task);
}

const EmbeddingKind snake_kind{
    "snake",
    "a line or ring there and back through a mesh or torus, from neighbour to neighbour",
    "kind=torus,shape=3x4x5 | ring:60 | ",
    {},
    snake_obstacle,
    [](const EmbeddingTask& task, const Params&) {
      return make_function_embedding("snake", task.guest,
                                     [snake = SnakePath{task.topology.shape()}, slots = task.slots](
                                         std::uint32_t label) { return snake(label / slots); });
    },
    SlotUse::all};

}  // namespace dcube
