#include <optional>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
#include "phases.hpp"

// Trees of a torus from or to the root that share no link one way, each with its part of the
// elements, which go along it in segments. Tree t takes the dimensions in the order t, t + 1, ..:
// up from the root in t, from these members in t + 1, from all of these in t + 2, and so on. Then
// all have the values but those that differ from the root in other dimensions alone, and they get
// them over the wrap in t. The last D of 2D trees go down.
//
//      w     .     .     .       On four by four, the tree that begins across; w: over the
//            ^     ^     ^       wrap from the end of the row. The other tree is this one
//      w     .     .     .       turned over. Both go upwards, but the first one where a
//            ^     ^     ^       member differs from the root across, the second where none
//      w     .     .     .       does; and likewise across.
//            ^     ^     ^
//      root->.  -> .  -> .
//
// So each link leads a tree on at most once, and a process has no more children in D trees than D.
// The tree of a side of 1 is that of the next dimension, once more; a side of 2 has one link for
// both ways around.

namespace dcube {
namespace {

/// One tree of a torus, whose members have coordinates as seen from the root.
class TorusTreeOfLines {
 public:
  TorusTreeOfLines(Torus torus, std::uint32_t tree)
      : torus_{std::move(torus)},
        order_{dimensions_of_port(tree, torus_.dimensions())},
        goes_up_{way_of_port(tree, torus_.dimensions()) == Around::up} {
    std::erase_if(order_, [&](std::uint32_t dimension) { return torus_.side(dimension) == 1; });
  }

  Relatives relatives(const Members& members) const {
    Relatives near;
    if (const std::optional<std::uint32_t> parent = parent_of(members.own)) {
      near.parent = members.rank(*parent);
    }
    const auto add_child = [&](std::uint32_t dimension, std::uint32_t steps) {
      const std::uint32_t child = at_distance(members.own, dimension, steps);
      if (parent_of(child) == members.own) {
        near.children.push_back(members.rank(child));
      }
    };
    for (const std::uint32_t dimension : order_) {
      if (const std::uint32_t next = distance(members.own, dimension) + 1;
          next < torus_.side(dimension)) {
        add_child(dimension, next);
      }
    }
    if (!order_.empty() &&
        distance(members.own, order_.front()) + 1 == torus_.side(order_.front())) {
      add_child(order_.front(), 0);
    }
    return near;
  }

 private:
  /// Steps of the tree's way around between the root's coordinate and that of the member.
  std::uint32_t distance(std::uint32_t member, std::uint32_t dimension) const {
    const std::uint32_t coordinate = torus_.coordinate(member, dimension);
    return goes_up_ || coordinate == 0 ? coordinate : torus_.side(dimension) - coordinate;
  }
  std::uint32_t at_distance(std::uint32_t member, std::uint32_t dimension,
                            std::uint32_t steps) const {
    const std::uint32_t side = torus_.side(dimension);
    return torus_.moved(member, dimension, goes_up_ ? steps % side : (side - steps % side) % side);
  }
  std::optional<std::uint32_t> parent_of(std::uint32_t member) const {
    if (member == 0) {
      return std::nullopt;
    }
    if (distance(member, order_.front()) == 0) {
      return at_distance(member, order_.front(), torus_.side(order_.front()) - 1);
    }
    auto last = order_.rbegin();
    while (distance(member, *last) == 0) {
      ++last;
    }
    return at_distance(member, *last, distance(member, *last) - 1);
  }

  Torus torus_;
  std::vector<std::uint32_t> order_;
  bool goes_up_;
};

CollectivePlan make_disjoint_trees(const CollectiveCall& call, std::uint32_t rank,
                                   std::uint32_t size) {
  const Torus torus{call, size};
  const Members members =
      torus.from_root(rank, call.kind == CollectiveKind::allreduce ? 0 : call.root);
  const std::uint32_t ports = call.options.ports;
  // What is scattered goes to all, of whom each keeps its share.
  CollectiveCall whole = call;
  whole.count = elements_of(call, size);
  const auto count = static_cast<std::uint32_t>((segments_of(whole, 0) + ports - 1) / ports);
  return plan_of_ports(ports, [&](std::uint32_t tree) {
    const Blocks segments = Blocks::split_piece(whole.count, tree, ports, count);
    const Relatives near = TorusTreeOfLines{torus, tree}.relatives(members);
    CollectiveSteps steps;
    if (reduces(call.kind)) {
      steps.append(up_tree(near, segments, call.options.child_by_child));
    }
    if (call.kind != CollectiveKind::reduce) {
      steps.append(down_tree(near, segments));
    }
    return steps;
  });
}

constexpr CollectiveNeeds needs_of(bool commutative) {
  return {.commutative = commutative,
          .ports = CollectiveNeeds::Ports::two_a_dimension,
          .sides = true,
          .segments = CollectiveNeeds::Segments::passed_on};
}

}  // namespace

const CollectiveAlgorithm allreduce_disjoint_trees_algorithm{
    CollectiveKind::allreduce, "disjoint_trees",
    "segments up trees of a torus, one a port, and back", needs_of(true), make_disjoint_trees};
const CollectiveAlgorithm broadcast_disjoint_trees_algorithm{
    CollectiveKind::broadcast, "disjoint_trees",
    "k segments down trees of a torus that share no link, one a port: (h + k - 1) (a + n/(k t) b) "
    "of t trees with h levels",
    needs_of(false), make_disjoint_trees};
const CollectiveAlgorithm reduce_disjoint_trees_algorithm{
    CollectiveKind::reduce, "disjoint_trees",
    "k segments up trees of a torus that share no link, one a port: (h + k - 1) (a + n/(k t) b) + "
    ".. of t trees with h levels",
    needs_of(true), make_disjoint_trees};

const CollectiveAlgorithm scatter_disjoint_trees_algorithm{
    CollectiveKind::scatter, "disjoint_trees",
    "everything to everybody, as disjoint_trees broadcast: (h + k - 1) (a + n/(k t) b)",
    needs_of(false), make_disjoint_trees};

}  // namespace dcube
