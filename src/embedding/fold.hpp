#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/embedding/embedding.hpp"
#include "function_embedding.hpp"

namespace dcube {

// Folding of a cube with more processes than the machine has nodes. Some of its dimensions stay
// inside nodes; the others are those of a smaller cube, which is placed as on nodes of one slot:
//
//     process 10110, inside: dimensions 0 and 1   -->   101 of the smaller cube

/// Map from a cube to the smaller one.
class Fold {
 public:
  /// `inside`: dimensions that stay inside nodes, ascending.
  Fold(std::uint32_t dimensions, const std::vector<std::uint32_t>& inside);

  /// Label in the smaller cube.
  std::uint32_t operator()(std::uint32_t label) const {
    std::uint32_t folded = 0;
    for (const Field& field : fields_) {
      folded |= (label & field.mask) >> field.shift;
    }
    return folded;
  }

  bool is_trivial() const { return is_trivial_; }
  /// Dimensions of the smaller cube by their numbers in the cube, ascending.
  const std::vector<std::uint32_t>& outside() const { return outside_; }

 private:
  /// Neighbouring bits that stay together.
  struct Field {
    std::uint32_t mask;
    std::uint32_t shift;
  };

  std::vector<std::uint32_t> outside_;
  std::vector<Field> fields_;
  bool is_trivial_;
};

/// Number of dimensions of the guest, a cube, that have to stay inside nodes.
std::uint32_t least_inside(const EmbeddingTask& task);

/// Obstacle: the nodes have too few slots for least_inside() dimensions.
std::optional<std::string> too_few_slots_to_fold(const EmbeddingTask& task);

/// Whether the setting "fold" may leave nodes without processes.
enum class EmptyNodes { allowed, refused };

/// Reads "fold": "low", "high" or a list. Needs a task without obstacles. Throws InputError.
Fold read_fold(const EmbeddingTask& task, const Params& params, EmptyNodes empty_nodes);

/// `node_of_label` places the smaller cube.
template <class NodeOfLabel>
std::unique_ptr<Embedding> make_folded_embedding(std::string_view kind, const Guest& guest,
                                                 Fold fold, NodeOfLabel node_of_label) {
  if (fold.is_trivial()) {
    return make_function_embedding(kind, guest, std::move(node_of_label));
  }
  return make_function_embedding(kind, guest,
                                 [fold = std::move(fold), node_of_label = std::move(node_of_label)](
                                     std::uint32_t label) { return node_of_label(fold(label)); });
}

}  // namespace dcube
