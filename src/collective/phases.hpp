#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "blocks.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/plan.hpp"

namespace dcube {

// Building blocks of algorithms. A phase is defined in the file of its algorithm.

/// Members of a phase, numbered 0 .. size-1, and their ranks in the group.
struct Members {
  std::uint32_t own = 0;
  std::uint32_t size = 1;
  std::function<std::uint32_t(std::uint32_t)> rank;

  static Members all(std::uint32_t rank, std::uint32_t size);
  /// Member 0 is the root.
  static Members from_root(std::uint32_t rank, std::uint32_t size, std::uint32_t root);
};

/// The rank (or member) `by` above another one of `size`, cyclically; `by`: 0 .. size.
inline std::uint32_t rank_above(std::uint32_t rank, std::uint32_t by, std::uint32_t size) {
  return by < size - rank ? rank + by : rank - (size - by);
}
inline std::uint32_t rank_below(std::uint32_t rank, std::uint32_t by, std::uint32_t size) {
  return by <= rank ? rank - by : rank + (size - by);
}

/// Sends elements of `work`.
CollectiveStep send_step(std::uint32_t to, ElementRanges ranges);
/// Receives elements of `work`.
CollectiveStep receive_step(std::uint32_t from, ElementRanges ranges,
                            OnReceipt what = OnReceipt::write);
/// Sends elements of `work` and receives others.
CollectiveStep exchange_step(std::uint32_t to, ElementRanges sent, std::uint32_t from,
                             ElementRanges received, OnReceipt what = OnReceipt::write);
/// What the next step sends. What it receives is left in `awaited`, as a step of its own.
CollectiveStep sends_of_next(CollectiveSteps& steps, CollectiveStep& awaited);
CollectivePlan plan_of_steps(CollectiveSteps steps);
CollectivePlan plan_of_steps(std::uint32_t count, CollectiveSteps::Make make);
/// `make` gives the steps of a port by its number.
template <class Make>
CollectivePlan plan_of_ports(std::uint32_t ports, Make make) {
  CollectivePlan plan;
  for (std::uint32_t port = 0; port < ports; ++port) {
    plan.ports.push_back(make(port));
  }
  return plan;
}

/// Copies in an exchange as Bruck's: half of the blocks are packed and unpacked in each step, all
/// are rotated in the beginning and in the end.
std::uint32_t copies_of_packing(std::uint32_t size);

ElementRanges whole(std::uint64_t count);
/// log2 of a power of two.
std::uint32_t log2_of(std::uint32_t power);
/// `combine_before` when the other's elements come before one's own.
OnReceipt combine_in_order(std::uint32_t other, std::uint32_t own);

/// Runs `phase` on a power of two of members: in the first pairs of neighbours, the even member
/// gives its elements to the odd one and gets the answer from it.
CollectiveSteps fold(const Members& members, const ElementRanges& elements,
                     const std::function<CollectiveSteps(const Members&)>& phase);

using PhaseOf = std::function<CollectiveSteps(std::uint32_t segment)>;
/// Segment after segment goes through the phases, each in the next phase while the one after it is
/// in this one. Step r of every phase is taken at once: all send, then all receive. `rounds`: the
/// most steps of a phase.
CollectiveSteps pipelined(std::uint32_t segments, std::uint32_t rounds,
                          std::vector<PhaseOf> phases);

/// Ranks next to a process in a tree of all.
struct Relatives {
  std::uint32_t parent = CollectiveStep::nobody;
  std::vector<std::uint32_t> children{};  ///< in the order in which they are sent to
};
// Trees from member 0. Children of radix k: binomial, at distances of j k^i, j < k; k-ary, at most
// k.
Relatives binomial_tree(const Members& members, std::uint32_t radix = 2,
                        TreeDistances distances = TreeDistances::halving);
Relatives kary_tree(const Members& members, std::uint32_t radix);
Relatives chain(const Members& members);
/// Segments come from the parent, and each goes to all children before the next one is awaited.
CollectiveSteps down_tree(const Relatives& near, const Blocks& segments);
/// Segments come from the children, in the reverse order, and each goes on to the parent. A child's
/// elements are combined after one's own. `child_by_child`: see CollectiveOptions.
CollectiveSteps up_tree(Relatives near, const Blocks& segments, bool child_by_child = false);

// Phases from or to member 0 along binomial trees. Blocks are numbered as the members are.
CollectiveSteps binomial_scatter(const Members& members, const Blocks& blocks);
CollectiveSteps binomial_gather(const Members& members, const Blocks& blocks);

/// Ring phases, once around. `block` gives the elements of a member. ring_reduce_scatter() gives
/// member i the combination of its block.
enum class Around { up, down };
using BlockOf = std::function<ElementRanges(std::uint32_t)>;
CollectiveSteps ring_reduce_scatter(const Members& members, const BlockOf& block, Around around);
CollectiveSteps ring_allgather(const Members& members, const BlockOf& block, Around around);

CollectiveSteps recursive_doubling_allreduce(const Members& members, const ElementRanges& elements);
CollectiveSteps recursive_doubling_allgather(const Members& members, const Blocks& blocks);
/// Halves the elements with members at distances 1, 2, 4, ..; keeps the order of ranks.
CollectiveSteps halving_reduce_scatter(const Members& members, const Blocks& blocks);
/// Undoes halving_reduce_scatter().
CollectiveSteps doubling_allgather(const Members& members, const Blocks& blocks);
/// Elements that a member keeps after `steps` halvings; bit s of `place` chooses half s.
ElementRanges kept_by_halving(const Blocks& blocks, std::uint32_t place, std::uint32_t steps);
CollectiveSteps rabenseifner_allreduce(const Members& members, std::uint64_t elements);

/// Torus of processes; a ring if the call has no sides.
class Torus {
 public:
  Torus(const CollectiveCall& call, std::uint32_t size);

  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(sides_.size()); }
  std::uint32_t size() const { return size_; }
  std::uint32_t side(std::uint32_t dimension) const { return sides_[dimension]; }
  std::uint32_t coordinate(std::uint32_t rank, std::uint32_t dimension) const {
    return rank / strides_[dimension] % sides_[dimension];
  }
  std::uint32_t stride(std::uint32_t dimension) const { return strides_[dimension]; }
  /// The rank that differs from `rank` in this coordinate alone.
  std::uint32_t moved(std::uint32_t rank, std::uint32_t dimension, std::uint32_t coordinate) const;
  /// All ranks, shifted so that the root is member 0, as if there was no twist.
  Members from_root(std::uint32_t rank, std::uint32_t root) const;
  /// Ring of this dimension through `rank`, as if there was no twist.
  Members ring(std::uint32_t rank, std::uint32_t dimension) const;

  bool is_twisted() const { return !twist_.empty(); }
  /// The rank so many steps up (or down, if negative) in a dimension, around the twisted torus.
  std::uint32_t stepped(std::uint32_t rank, std::uint32_t dimension, std::int64_t steps) const;

 private:
  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> twist_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t size_;
};

/// Order of dimensions for a port, beginning with its own, and its way around: the first D of 2D
/// ports go up, the others down.
std::vector<std::uint32_t> dimensions_of_port(std::uint32_t port, std::uint32_t dimensions);
Around way_of_port(std::uint32_t port, std::uint32_t dimensions);

}  // namespace dcube
