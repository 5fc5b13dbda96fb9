#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "dcube/collective/calls.hpp"
#include "phases.hpp"

// Everything along a tree, in segments: broadcasts down, reductions up.

namespace dcube {
namespace {

using Segments = CollectiveNeeds::Segments;

Blocks segments_to_pass_on(const CollectiveCall& call, std::uint64_t usual_bytes) {
  return Blocks::split(call.count, static_cast<std::uint32_t>(segments_of(call, usual_bytes)));
}

Relatives in_binomial_tree(const CollectiveCall& call, const Members& members) {
  return binomial_tree(members, call.options.radix, call.options.distances);
}
Relatives in_kary_tree(const CollectiveCall& call, const Members& members) {
  return kary_tree(members, call.options.radix);
}
Relatives in_chain(const CollectiveCall& /*call*/, const Members& members) {
  return chain(members);
}

template <Relatives tree(const CollectiveCall&, const Members&), std::uint64_t usual_bytes = 0>
CollectivePlan make_tree(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Blocks segments = segments_to_pass_on(call, usual_bytes);
  const Relatives near = tree(call, Members::from_root(rank, size, call.root));
  return plan_of_steps(call.kind == CollectiveKind::reduce
                           ? up_tree(near, segments, call.options.child_by_child)
                           : down_tree(near, segments));
}

/// If the order of ranks matters, rank 0 collects and passes the result to the root.
template <Relatives tree(const CollectiveCall&, const Members&), std::uint64_t usual_bytes = 0>
CollectivePlan make_reduce(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  if (call.options.is_commutative || call.root == 0) {
    return make_tree<tree, usual_bytes>(call, rank, size);
  }
  const Blocks segments = segments_to_pass_on(call, usual_bytes);
  Relatives near = tree(call, Members::all(rank, size));
  CollectiveSteps steps = up_tree(near, segments, call.options.child_by_child);
  if (rank == 0) {
    near = {.children = {call.root}};
  } else {
    near = {.parent = rank == call.root ? 0 : CollectiveStep::nobody};
  }
  steps.append(down_tree(near, segments));
  return plan_of_steps(std::move(steps));
}

/// As Open MPI's split_bintree: members of odd numbers, below the root's first child, pass on the
/// first half, those of even numbers the second. Then 2i - 1 and 2i exchange halves, and a member
/// without a partner gets its second half from the root.
CollectivePlan make_split_binary(const CollectiveCall& call, std::uint32_t rank,
                                 std::uint32_t size) {
  const Members members = Members::from_root(rank, size, call.root);
  const auto count = static_cast<std::uint32_t>((segments_of(call, 0) + 1) / 2);
  const auto segments_of_half = [&](std::uint32_t half) {
    return Blocks::split_piece(call.count, half, 2, count);
  };
  const auto half = [&](std::uint32_t number) -> ElementRanges {
    return Blocks::split(call.count, 2)[number];
  };
  const Relatives near = kary_tree(members, 2);
  const bool is_last_alone = size % 2 == 0;
  CollectiveSteps steps;
  if (members.own == 0) {
    const auto children = static_cast<std::uint32_t>(near.children.size());
    steps.add(children * count, [near, children, one = segments_of_half(0),
                                 other = segments_of_half(1)](std::uint32_t index) {
      const std::uint32_t child = index % children;
      return send_step(near.children[child], (child == 0 ? one : other)[index / children]);
    });
    if (is_last_alone) {
      steps.add(send_step(members.rank(size - 1), half(1)));
    }
    return plan_of_steps(std::move(steps));
  }
  const std::uint32_t own = members.own % 2 == 1 ? 0 : 1;
  steps = down_tree(near, segments_of_half(own));
  if (is_last_alone && members.own + 1 == size) {
    steps.add(receive_step(call.root, half(1)));
  } else {
    const std::uint32_t partner = members.rank(own == 0 ? members.own + 1 : members.own - 1);
    steps.add(exchange_step(partner, half(own), partner, half(1 - own)));
  }
  return plan_of_steps(std::move(steps));
}

/// Only if distances halve, the members of each subtree are consecutive.
std::optional<std::string> order_obstacle(const CollectiveCall& call, std::uint32_t /*size*/) {
  if (!call.options.is_commutative && call.options.distances == TreeDistances::doubling) {
    return "keeps the order of ranks only if distances halve";
  }
  return std::nullopt;
}

}  // namespace

Relatives chain(const Members& members) {
  Relatives near;
  if (members.own > 0) {
    near.parent = members.rank(members.own - 1);
  }
  if (members.own + 1 < members.size) {
    near.children.push_back(members.rank(members.own + 1));
  }
  return near;
}

// Member v of a tree whose distances halve has the children v + j k^i, 0 < j < k, as long as k^i is
// less than what its lowest digit stands for; if they double, more than its highest digit. One
// digit less leads to the parent.
Relatives binomial_tree(const Members& members, std::uint32_t radix, TreeDistances distances) {
  const std::uint64_t own = members.own;
  std::uint64_t first = 1;  // what the lowest (or highest) digit stands for
  while (own > 0 && (distances == TreeDistances::halving ? own % (first * radix) == 0
                                                         : first * radix <= own)) {
    first *= radix;
  }
  const std::uint64_t digit = own / first % radix;
  Relatives near;
  if (own > 0) {
    near.parent = members.rank(static_cast<std::uint32_t>(own - digit * first));
  }
  std::vector<std::uint64_t> distances_of_children;
  const std::uint64_t begin =
      own > 0 && distances == TreeDistances::doubling ? first * radix : std::uint64_t{1};
  const std::uint64_t end =
      own > 0 && distances == TreeDistances::halving ? first : std::uint64_t{members.size};
  for (std::uint64_t distance = begin; distance < end; distance *= radix) {
    distances_of_children.push_back(distance);
  }
  if (distances == TreeDistances::halving) {
    std::ranges::reverse(distances_of_children);
  }
  for (const std::uint64_t distance : distances_of_children) {
    for (std::uint64_t i = 1; i < radix; ++i) {
      const std::uint64_t j = distances == TreeDistances::halving ? radix - i : i;
      if (own + j * distance < members.size) {
        near.children.push_back(members.rank(static_cast<std::uint32_t>(own + j * distance)));
      }
    }
  }
  return near;
}

// Level l has k^l members, and its member v the children v + k^l, v + 2 k^l, .. v + k^(l+1), as
// Open MPI numbers them.
Relatives kary_tree(const Members& members, std::uint32_t radix) {
  std::uint64_t first = 0;  // of the level
  std::uint64_t width = 1;
  std::uint64_t above = 0;  // width of the level above
  while (members.own >= first + width) {
    first += width;
    above = width;
    width *= radix;
  }
  Relatives near;
  if (members.own > 0) {
    const std::uint64_t first_above = first - above;
    near.parent =
        members.rank(static_cast<std::uint32_t>(first_above + (members.own - first_above) % above));
  }
  for (std::uint64_t i = 1; i <= radix && members.own + i * width < members.size; ++i) {
    near.children.push_back(members.rank(static_cast<std::uint32_t>(members.own + i * width)));
  }
  return near;
}

CollectiveSteps down_tree(const Relatives& near, const Blocks& segments) {
  const auto each = static_cast<std::uint32_t>(near.children.size()) + 1;
  return CollectiveSteps(segments.size() * each, [near, segments, each](std::uint32_t index) {
    const ElementRanges segment = segments[index / each];
    if (index % each > 0) {
      return send_step(near.children[index % each - 1], segment);
    }
    return near.parent == CollectiveStep::nobody ? CollectiveStep{}
                                                 : receive_step(near.parent, segment);
  });
}

CollectiveSteps up_tree(Relatives near, const Blocks& segments, bool child_by_child) {
  CollectiveSteps steps;
  while (child_by_child && near.children.size() > 1) {
    steps.add(segments.size(), [child = near.children.back(), segments](std::uint32_t index) {
      return receive_step(child, segments[index], OnReceipt::combine_after);
    });
    near.children.pop_back();
  }
  const auto each = static_cast<std::uint32_t>(near.children.size()) + 1;
  steps.add(segments.size() * each, [near, segments, each](std::uint32_t index) {
    const ElementRanges segment = segments[index / each];
    if (const std::uint32_t left = each - 1 - index % each; left > 0) {
      return receive_step(near.children[left - 1], segment, OnReceipt::combine_after);
    }
    return near.parent == CollectiveStep::nobody ? CollectiveStep{}
                                                 : send_step(near.parent, segment);
  });
  return steps;
}

const CollectiveAlgorithm broadcast_binomial_algorithm{
    CollectiveKind::broadcast,
    "binomial",
    "everything along a binomial tree: lg p (a + n b)",
    {.segments = Segments::passed_on},
    make_tree<in_binomial_tree>};
const CollectiveAlgorithm broadcast_kary_algorithm{
    CollectiveKind::broadcast,
    "kary",
    "everything along a binary (or k-ary) tree: h (a + n b) of h levels",
    {.segments = Segments::passed_on},
    make_tree<in_kary_tree>};
const CollectiveAlgorithm broadcast_pipelined_algorithm{
    CollectiveKind::broadcast,
    "pipelined",
    "k segments from rank to rank: (p + k - 2) (a + n/k b) where links carry one at a time",
    {.segments = Segments::always_passed_on},
    make_tree<in_chain, usual_segment_bytes>};
const CollectiveAlgorithm broadcast_split_binary_algorithm{
    CollectiveKind::broadcast,
    "split_binary",
    "each half down one side of a binary tree, then pairs exchange: (h + 1) (a + n/2 b) of h "
    "levels",
    {.segments = Segments::passed_on},
    make_split_binary};
const CollectiveAlgorithm reduce_binomial_algorithm{
    CollectiveKind::reduce,
    "binomial",
    "everything along a binomial tree: lg p (a + n b + n g)",
    {.segments = Segments::passed_on},
    make_reduce<in_binomial_tree>,
    order_obstacle};
const CollectiveAlgorithm reduce_kary_algorithm{
    CollectiveKind::reduce,
    "kary",
    "everything along a binary (or k-ary) tree: h (a + n b + 2 n g) of h levels",
    {.commutative = true, .segments = Segments::passed_on},
    make_tree<in_kary_tree>};
const CollectiveAlgorithm reduce_pipelined_algorithm{
    CollectiveKind::reduce,
    "pipelined",
    "k segments from rank to rank: (p + k - 2) (a + n/k b) + .. where links carry one at a time",
    {.segments = Segments::always_passed_on},
    make_reduce<in_chain, usual_segment_bytes>};

}  // namespace dcube
