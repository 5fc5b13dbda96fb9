#include <algorithm>
#include <bit>
#include <utility>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
#include "phases.hpp"

// Two binary trees of which each rank is inside one and a leaf of the other, each with half of the
// elements, which go along it in segments [Sanders, Speck & Traeff 2009]. Positions 1 .. q of a
// tree are in order; odd ones are leaves:
//
//           4              The second tree has the ranks mirrored if q is even, else by one
//           further,
//        /     \           so its leaves are the ranks inside the first.
//       2       6
//      / \     /
//     1   3   5
//
// Values on their way up and down never meet: a rank gets the answer of a segment when the root has
// had its own.

namespace dcube {
namespace {

constexpr std::uint32_t nobody = CollectiveStep::nobody;
constexpr std::uint64_t most_segments_of_tree = 64;

/// Ranks next to one in a binary tree.
struct InTree {
  std::uint32_t parent = nobody;
  std::uint32_t left = nobody;
  std::uint32_t right = nobody;

  Relatives relatives() const {
    Relatives near{.parent = parent};
    for (const std::uint32_t child : {left, right}) {
      if (child != nobody) {
        near.children.push_back(child);
      }
    }
    return near;
  }
};

/// One of the two trees of members 0 .. size-1, or, if `has_root`, of members 1 .. size-1, with
/// member 0 above.
class BinaryTree {
 public:
  BinaryTree(Members members, bool has_root, std::uint32_t number)
      : members_{std::move(members)},
        above_{has_root ? 1U : 0U},
        size_{members_.size - above_},
        is_second_{number == 1} {}

  InTree ranks() const {
    InTree found;
    if (size_ == 0) {
      return found;
    }
    if (members_.own < above_) {
      found.left = rank(std::bit_floor(size_));
      return found;
    }
    const std::uint32_t own = position(members_.own - above_);
    const std::uint32_t step = own & (0U - own);
    if (own == std::bit_floor(size_)) {
      found.parent = above_ == 1 ? members_.rank(0) : nobody;
    } else {
      const std::uint32_t above = (own ^ step) | (step << 1);
      found.parent = rank(above > size_ ? own ^ step : above);
    }
    if (step > 1) {
      found.left = rank(own - step / 2);
      std::uint32_t below = step / 2;
      while (below > 0 && below > size_ - own) {
        below /= 2;
      }
      found.right = below > 0 ? rank(own + below) : nobody;
    }
    return found;
  }

 private:
  /// The position of a member; of the second tree, its own inverse if the size is even.
  std::uint32_t position(std::uint32_t member) const {
    if (!is_second_) {
      return member + 1;
    }
    if (size_ % 2 == 0) {
      return size_ - member;
    }
    return member == 0 ? size_ : member;
  }
  std::uint32_t rank(std::uint32_t position) const {
    std::uint32_t member = position - 1;
    if (is_second_) {
      member = size_ % 2 == 0 ? size_ - position : position % size_;
    }
    return members_.rank(member + above_);
  }

  Members members_;
  std::uint32_t above_;
  std::uint32_t size_;
  bool is_second_;
};

CollectiveStep receive_if_any(std::uint32_t from, ElementRanges ranges, OnReceipt what) {
  return from == nobody ? CollectiveStep{} : receive_step(from, std::move(ranges), what);
}
CollectiveStep send_if_any(std::uint32_t to, ElementRanges ranges) {
  return to == nobody ? CollectiveStep{} : send_step(to, std::move(ranges));
}

/// Segments come from both below and go to the one above. Without one, they turn round if they are
/// to come back.
CollectiveSteps upwards(const InTree& near, const Blocks& segments, bool turn_round) {
  return CollectiveSteps(4 * segments.size(), [near, segments, turn_round](std::uint32_t index) {
    const ElementRanges segment = segments[index / 4];
    if (index % 4 == 0) {
      return receive_if_any(near.left, segment, OnReceipt::combine_before);
    }
    if (index % 4 == 1) {
      return receive_if_any(near.right, segment, OnReceipt::combine_after);
    }
    if (near.parent != nobody || !turn_round) {
      return index % 4 == 2 ? send_if_any(near.parent, segment) : CollectiveStep{};
    }
    return send_if_any(index % 4 == 2 ? near.left : near.right, segment);
  });
}

CollectivePlan make_double_tree(const CollectiveCall& call, std::uint32_t rank,
                                std::uint32_t size) {
  const std::uint32_t ports = call.options.ports;
  const bool is_allreduce = call.kind == CollectiveKind::allreduce;
  const auto count = static_cast<std::uint32_t>(std::min(
      (segments_of(call, usual_segment_bytes) + ports - 1) / ports, most_segments_of_tree));
  CollectivePlan plan;
  for (std::uint32_t tree = 0; tree < ports; ++tree) {
    const Blocks segments = Blocks::split_piece(call.count, tree, ports, count);
    const InTree near = BinaryTree{is_allreduce ? Members::all(rank, size)
                                                : Members::from_root(rank, size, call.root),
                                   !is_allreduce, tree}
                            .ranks();
    if (call.kind != CollectiveKind::broadcast) {
      plan.ports.push_back(upwards(near, segments, is_allreduce));
      plan.tags.push_back(tree);
    }
    const bool gets_answer = is_allreduce && near.parent != nobody;
    if (gets_answer || call.kind == CollectiveKind::broadcast) {
      plan.ports.push_back(down_tree(near.relatives(), segments));
      plan.tags.push_back(tree);
    }
  }
  return plan;
}

}  // namespace

const CollectiveAlgorithm allreduce_double_tree_algorithm{
    CollectiveKind::allreduce,
    "double_tree",
    "segments up and down a binary tree; two ports: two trees, each rank inside one",
    {.commutative = true,
     .ports = CollectiveNeeds::Ports::two,
     .segments = CollectiveNeeds::Segments::own},
    make_double_tree};
const CollectiveAlgorithm broadcast_double_tree_algorithm{
    CollectiveKind::broadcast,
    "double_tree",
    "k segments down a binary tree; two ports: two trees, each rank inside one",
    {.ports = CollectiveNeeds::Ports::two, .segments = CollectiveNeeds::Segments::own},
    make_double_tree};
const CollectiveAlgorithm reduce_double_tree_algorithm{
    CollectiveKind::reduce,
    "double_tree",
    "k segments up a binary tree; two ports: two trees, each rank inside one",
    {.commutative = true,
     .ports = CollectiveNeeds::Ports::two,
     .segments = CollectiveNeeds::Segments::own},
    make_double_tree};

}  // namespace dcube
