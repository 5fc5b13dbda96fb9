#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "function_embedding.hpp"
#include "obstacle.hpp"
#include "usable_nodes.hpp"

namespace dcube {
namespace {

/// Dimensions of the guest in the order that the setting gives.
std::vector<std::size_t> read_order(const Params& params, const Guest& guest) {
  const std::vector<std::string> names = names_of_axes(guest);
  std::vector<std::size_t> order;
  for (const Setting& entry : params.list("order", "axes")) {
    const std::string name = entry.number() ? entry.number()->text
                             : entry.text() ? *entry.text()
                                            : std::string{};
    const auto found = std::ranges::find(names, name);
    const auto axis = static_cast<std::size_t>(found - names.begin());
    refuse_if(found == names.end(), params.place_of("order", order.size()),
              "{} is not one of the axes ({})", entry.describe(), joined(names, ", "));
    refuse_if(std::ranges::find(order, axis) != order.end(), params.place_of("order", order.size()),
              "{} is given twice", name);
    order.push_back(axis);
  }
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    refuse_if(std::ranges::find(order, axis) == order.end(), params.place_of("order"),
              "{} is missing: the order has all axes", names[axis]);
  }
  return order;
}

/// Whether the guest has axes whose order matters; those of a cube are its bits, which the
/// embeddings of cubes deal out.
bool has_axes(const Guest& guest) {
  const bool is_grid = guest.kind() == Guest::Kind::mesh || guest.kind() == Guest::Kind::torus;
  return is_grid && guest.dimension_count() > 1;
}

std::optional<std::string> obstacle_to_axes(const EmbeddingTask& task) {
  return has_axes(task.guest)
             ? too_few_slots(task)
             : fmt::format("it places a mesh or torus of several dimensions, not {}",
                           task.guest.name());
}

std::unique_ptr<Embedding> make_axes(const EmbeddingTask& task, const Params& params) {
  struct Axis {
    std::uint32_t side = 1;
    std::uint32_t stride = 1;  ///< in the other order
  };
  std::vector<Axis> axes(task.guest.shape().size());
  std::uint32_t stride = 1;
  for (const std::size_t axis : read_order(params, task.guest)) {
    axes[axis] = {task.guest.shape()[axis], stride};
    stride *= task.guest.shape()[axis];
  }
  const auto index = [axes, slots = task.slots](std::uint32_t label) {
    std::uint32_t rank = 0;
    for (const Axis& axis : axes) {
      rank += label % axis.side * axis.stride;
      label /= axis.side;
    }
    return rank / slots;
  };
  return make_function_embedding("axes", task.guest, on_usable_nodes(task.topology, index));
}

}  // namespace

std::vector<std::string> names_of_axes(const Guest& guest) {
  std::vector<std::string> names{guest.axes().begin(), guest.axes().end()};
  for (std::size_t axis = names.size(); axis < guest.shape().size(); ++axis) {
    names.push_back(fmt::format("{}", axis));
  }
  return names;
}

std::vector<std::vector<std::string>> orders_of_axes(const Guest& guest) {
  std::vector<std::string> varied;
  std::vector<std::string> single;
  const std::vector<std::string> names = names_of_axes(guest);
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    (guest.shape()[axis] > 1 ? varied : single).push_back(names[axis]);
  }
  constexpr std::size_t most = 5;  // 120 orders
  const std::size_t count = has_axes(guest) ? varied.size() : 0;
  refuse_if(count < 2 || count > most, "",
            "{} has {} axes of several processes; orders are compared of 2 to {}", guest.name(),
            count, most);
  std::ranges::sort(varied);
  std::vector<std::vector<std::string>> orders;
  do {
    orders.push_back(varied);
    orders.back().insert(orders.back().end(), single.begin(), single.end());
  } while (std::next_permutation(varied.begin(), varied.end()));
  return orders;
}

const EmbeddingKind axes_kind{
    "axes",
    "the nodes in order, filled by processes whose axes count in another order",
    "kind=torus,shape=4x2 | torus:2x4 | order=[1,0]",
    {{"order", "axes of the processes by name, or dimensions by number; the first counts fastest",
      ""}},
    obstacle_to_axes,
    make_axes,
    SlotUse::all};

}  // namespace dcube
