#include "fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/mapped.hpp"
#include "core/refuse.hpp"

namespace dcube {
namespace {

std::uint32_t floor_log2(std::uint32_t number) {
  return static_cast<std::uint32_t>(std::bit_width(number)) - 1;
}

std::uint32_t cube_dimensions(const EmbeddingTask& task) {
  return floor_log2(task.guest.process_count());
}

std::vector<std::uint32_t> read_list(const EmbeddingTask& task, const Params& params,
                                     EmptyNodes empty_nodes) {
  const std::uint32_t dimensions = cube_dimensions(task);
  const std::string what = dimensions == 0
                               ? "a dimension (a cube of one process has none)"
                               : fmt::format("a cube dimension (0 to {})", dimensions - 1);
  std::vector<std::uint32_t> inside = params.non_negative_ints("fold", what);
  for (const std::uint32_t dimension : inside) {
    refuse_if(dimension >= dimensions, params.place_of("fold"), "{} is not {}", dimension, what);
  }
  std::ranges::sort(inside);
  if (const auto twice = std::ranges::adjacent_find(inside); twice != inside.end()) {
    params.reject("fold", fmt::format("names dimension {} twice", *twice));
  }
  const std::uint32_t least = least_inside(task);
  const std::uint32_t most = empty_nodes == EmptyNodes::allowed ? floor_log2(task.slots) : least;
  refuse_if(inside.size() < least || inside.size() > most, params.place_of("fold"),
            "{} cube dimensions; {} on {} nodes of {} slots keeps {} inside nodes", inside.size(),
            task.guest.name(), task.node_count(), task.slots,
            least == most ? std::to_string(least) : fmt::format("{} to {}", least, most));
  return inside;
}

}  // namespace

Fold::Fold(std::uint32_t dimensions, const std::vector<std::uint32_t>& inside)
    : is_trivial_{inside.empty()} {
  std::uint32_t shift = 0;
  for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension) {
    if (std::ranges::binary_search(inside, dimension)) {
      ++shift;
      continue;
    }
    if (fields_.empty() || fields_.back().shift != shift) {
      fields_.push_back({0, shift});
    }
    fields_.back().mask |= std::uint32_t{1} << dimension;
    outside_.push_back(dimension);
  }
}

std::uint32_t least_inside(const EmbeddingTask& task) {
  const std::uint32_t dimensions = cube_dimensions(task);
  const std::uint32_t of_nodes = floor_log2(task.node_count());
  return dimensions > of_nodes ? dimensions - of_nodes : 0;
}

std::optional<std::string> too_few_slots_to_fold(const EmbeddingTask& task) {
  const std::uint32_t inside = least_inside(task);
  if (inside <= floor_log2(task.slots)) {
    return std::nullopt;
  }
  return fmt::format("{} dimensions of {} have to stay inside nodes: {} slots a node, not {}",
                     inside, task.guest.name(), std::uint64_t{1} << inside, task.slots);
}

Fold read_fold(const EmbeddingTask& task, const Params& params, EmptyNodes empty_nodes) {
  const std::uint32_t dimensions = cube_dimensions(task);
  const Setting* const setting = params.find("fold");
  if (setting != nullptr && setting->text() == nullptr) {
    return {dimensions, read_list(task, params, empty_nodes)};
  }
  const std::array<std::string, 2> names{"low", "high"};
  const bool is_low = params.choice("fold", names, "low") == "low";
  const std::uint32_t inside = least_inside(task);
  const std::uint32_t first = is_low ? 0 : dimensions - inside;
  return {dimensions, numbered(inside, [first](std::uint32_t i) { return first + i; })};
}

}  // namespace dcube
