#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/mapped.hpp"
#include "dcube/collective/calls.hpp"
#include "torus_steps.hpp"

// Bine trees [De Sensi et al. 2025]: binomial ones whose distances are Swing's. Each port has a
// tree of its own for its part of the elements.

namespace dcube {
namespace {

/// Of algorithms that pass each segment on.
constexpr CollectiveNeeds passing_needs(bool commutative) {
  CollectiveNeeds needs = torus_needs(true, commutative);
  needs.segments = CollectiveNeeds::Segments::passed_on;
  return needs;
}

TorusSteps steps_of_port(const CollectiveCall& call, std::uint32_t size, std::uint32_t port) {
  return {Torus{call, size}, port, StepDistance::swing};
}
TorusTree tree_of_port(const CollectiveCall& call, std::uint32_t size, std::uint32_t port) {
  return {steps_of_port(call, size, port), call.options.distances};
}

/// Everything along the trees.
CollectivePlan make_latency(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Members members = Torus{call, size}.from_root(rank, call.root);
  const std::uint32_t ports = call.options.ports;
  const auto segments = static_cast<std::uint32_t>((segments_of(call, 0) + ports - 1) / ports);
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const TorusTree tree = tree_of_port(call, size, port);
    Relatives near;
    if (const std::optional<std::uint32_t> parent = tree.parent(members.own)) {
      near.parent = members.rank(*parent);
    }
    for (const std::uint32_t child : tree.children(members.own)) {
      near.children.push_back(members.rank(child));
    }
    const Blocks blocks = Blocks::split_piece(call.count, port, ports, segments);
    return call.kind == CollectiveKind::reduce ? up_tree(near, blocks, call.options.child_by_child)
                                               : down_tree(near, blocks);
  });
}

/// The shares of subtrees along the trees.
CollectivePlan make_shares(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Members members = Torus{call, size}.from_root(rank, call.root);
  const std::uint32_t ports = call.options.ports;
  const Blocks shares = Blocks::shares(call, size);
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const TorusTree tree = tree_of_port(call, size, port);
    const auto shares_below = [&](std::uint32_t member) {
      std::vector<std::uint32_t> ranks = mapped(tree.subtree(member), members.rank);
      std::ranges::sort(ranks);
      return shares.part(port, ports).of(ranks);
    };
    const std::optional<std::uint32_t> parent = tree.parent(members.own);
    std::vector<std::uint32_t> children = tree.children(members.own);
    CollectiveSteps steps;
    if (call.kind == CollectiveKind::gather) {
      std::ranges::reverse(children);
      for (const std::uint32_t child : children) {
        steps.add(receive_step(members.rank(child), shares_below(child)));
      }
      if (parent) {
        steps.add(send_step(members.rank(*parent), shares_below(members.own)));
      }
      return steps;
    }
    if (parent) {
      steps.add(receive_step(members.rank(*parent), shares_below(members.own)));
    }
    for (const std::uint32_t child : children) {
      steps.add(send_step(members.rank(child), shares_below(child)));
    }
    return steps;
  });
}

/// Scatter, then allgather; or reduce-scatter, then gather. Scatters and gathers halve at distances
/// that double: in step s a member that has, or gets, values of the root's half gives half of them.
CollectivePlan make_bandwidth(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const Members members = Torus{call, size}.from_root(rank, call.root);
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const TorusSteps exchanges = steps_of_port(call, size, port);
    const Blocks blocks = Blocks::split_piece(call.count, port, ports, size);
    const std::uint32_t place = exchanges.place(members.own);
    const auto reached = static_cast<std::uint32_t>(std::bit_width(place));
    const auto peer = [&](std::uint32_t step) {
      return members.rank(exchanges.peer(members.own, step));
    };
    const ElementRanges own = kept_by_halving(blocks, place, reached);
    CollectiveSteps steps;
    if (call.kind == CollectiveKind::broadcast) {
      if (reached > 0) {
        steps.add(receive_step(peer(reached - 1), own));
      }
      for (std::uint32_t step = reached; step < exchanges.count(); ++step) {
        steps.add(send_step(peer(step), kept_by_halving(blocks, place | 1U << step, step + 1)));
      }
      steps.append(doubling_allgather(members, exchanges, blocks));
      return steps;
    }
    steps = halving_reduce_scatter(members, exchanges, blocks);
    for (std::uint32_t step = exchanges.count(); step-- > reached;) {
      steps.add(receive_step(peer(step), kept_by_halving(blocks, place | 1U << step, step + 1)));
    }
    if (reached > 0) {
      steps.add(send_step(peer(reached - 1), own));
    }
    return steps;
  });
}

/// Members at the end of the ways back from `member`: entry c is for the steps whose bits c has.
std::vector<std::uint32_t> origins(const TorusSteps& exchanges, std::uint32_t member) {
  std::vector<std::uint32_t> members{member};
  for (std::uint32_t step = exchanges.count(); step-- > 0;) {
    std::vector<std::uint32_t> more(2 * members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      more[2 * i] = members[i];
      more[2 * i + 1] = exchanges.peer(members[i], step);
    }
    members = std::move(more);
  }
  return members;
}

/// As Bruck's: in step s everything whose way has that step moves. Blocks are known by their way c,
/// on both sides of a step; a process keeps one where that with this way to itself is from.
CollectivePlan make_exchange(const CollectiveCall& call, std::uint32_t rank, std::uint32_t size) {
  const std::uint32_t ports = call.options.ports;
  return plan_of_ports(ports, [&](std::uint32_t port) {
    const TorusSteps exchanges = steps_of_port(call, size, port);
    const Blocks blocks = Blocks::equal(call.count, size).part(port, ports);
    CollectiveSteps steps;
    steps.add(1, [exchanges, blocks, rank, size](std::uint32_t) {
      CollectiveStep turn = exchange_step(rank, {}, rank, {});
      turn.source = ElementBuffer::input;
      const std::vector<std::uint32_t> places = origins(exchanges, rank);
      std::vector<std::uint32_t> receivers{rank};
      for (std::uint32_t step = 0; step < exchanges.count(); ++step) {
        exchanges.add_peers(receivers, step);
      }
      for (std::uint32_t way = 0; way < size; ++way) {
        blocks.add(turn.sent, receivers[way]);
        blocks.add(turn.received, places[way]);
      }
      return turn;
    });
    steps.add(exchanges.count(), [exchanges, blocks, rank, size](std::uint32_t step) {
      const std::vector<std::uint32_t> places = origins(exchanges, rank);
      ElementRanges moved;
      for (std::uint32_t way = 0; way < size; ++way) {
        if ((way >> step & 1U) != 0) {
          blocks.add(moved, places[way]);
        }
      }
      const std::uint32_t peer = exchanges.peer(rank, step);
      return exchange_step(peer, moved, peer, moved);
    });
    return steps;
  });
}

}  // namespace

const CollectiveAlgorithm broadcast_bine_latency_algorithm{
    CollectiveKind::broadcast, "bine_latency",
    "everything along trees with distances 1, 1, 3, 5, 11, .. up and down: lg p (a + n b)",
    passing_needs(false), make_latency};
const CollectiveAlgorithm reduce_bine_latency_algorithm{
    CollectiveKind::reduce, "bine_latency",
    "everything along trees with distances 1, 1, 3, 5, 11, .. up and down: lg p (a + n b + n g)",
    passing_needs(true), make_latency};
const CollectiveAlgorithm broadcast_bine_bandwidth_algorithm{
    CollectiveKind::broadcast, "bine_bandwidth",
    "scatter along a Bine tree, then allgather as swing: 2 lg p a + 2 n (p-1)/p b",
    torus_needs(true, false), make_bandwidth};
const CollectiveAlgorithm reduce_bine_bandwidth_algorithm{
    CollectiveKind::reduce, "bine_bandwidth",
    "reduce-scatter as swing, then gather along a Bine tree: "
    "2 lg p a + 2 n (p-1)/p b + n (p-1)/p g",
    torus_needs(true, true), make_bandwidth};
const CollectiveAlgorithm scatter_bine_algorithm{
    CollectiveKind::scatter, "bine",
    "the shares of a subtree along trees with distances 1, 1, 3, 5, 11, ..: lg p a + n (p-1)/p b",
    torus_needs(true, false), make_shares};
const CollectiveAlgorithm gather_bine_algorithm{
    CollectiveKind::gather, "bine",
    "the shares of a subtree along trees with distances 1, 1, 3, 5, 11, ..: lg p a + n (p-1)/p b",
    torus_needs(true, false), make_shares};
const CollectiveAlgorithm all_to_all_bine_algorithm{
    CollectiveKind::all_to_all,
    "bine",
    "half of everything with ranks at distances 1, 1, 3, 5, 11, .. up and down: "
    "lg p a + (n/2) lg p b",
    torus_needs(true, false),
    make_exchange,
    nullptr,
    copies_of_packing};

}  // namespace dcube
