#include <cstdint>
#include <utility>

#include "catalog.hpp"
#include "fold.hpp"
#include "obstacle.hpp"
#include "usable_nodes.hpp"

namespace dcube {
namespace {

std::optional<std::string> too_few_slots_for_standard(const EmbeddingTask& task) {
  const std::optional<std::string> too_few = too_few_slots(task);
  return too_few || task.guest.kind() != Guest::Kind::cube ? too_few : too_few_slots_to_fold(task);
}

/// Places a guest that is no cube: node after node gets the next processes, equally many each.
std::unique_ptr<Embedding> make_without_cube(const EmbeddingTask& task, const Params& params) {
  if (params.has("fold")) {
    params.reject("fold", "is about the dimensions of a cube, not of " + task.guest.name());
  }
  const std::uint32_t nodes = task.node_count();
  const std::uint32_t on_a_node = (task.guest.process_count() - 1) / nodes + 1;
  return make_function_embedding("standard", task.guest,
                                 on_usable_nodes(task.topology, [on_a_node](std::uint32_t label) {
                                   return label / on_a_node;
                                 }));
}

}  // namespace

// p_i = (n mod k_1..k_i) div (k_1..k_(i-1)) [X II.C]. Node numbers are mixed-radix in the same
// order (that of Ma and Tao), so the node is the label on any machine without folded sides.

const EmbeddingKind standard_kind{
    "standard",
    "cube label cut into coordinates, first dimension in the lowest bits: distances 1, 2, 4, .. "
    "[X]",
    "kind=torus,shape=4x4 | cube:4 | ",
    {},
    too_few_slots_for_standard,
    [](const EmbeddingTask& task, const Params& params) {
      if (task.guest.kind() != Guest::Kind::cube) {
        return make_without_cube(task, params);
      }
      Fold fold = read_fold(task, params, EmptyNodes::allowed);
      const auto label_itself = [](std::uint32_t label) { return label; };
      return task.node_count() == task.topology.node_count() &&
                     task.topology.structure().folds.empty()
                 ? make_folded_embedding("standard", task.guest, std::move(fold), label_itself)
                 : make_folded_embedding("standard", task.guest, std::move(fold),
                                         on_usable_nodes(task.topology, label_itself));
    },
    SlotUse::fold};

}  // namespace dcube
