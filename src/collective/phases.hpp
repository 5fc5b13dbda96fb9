#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "blocks.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/collective/plan.hpp"

namespace dcube {

// What algorithms are made of. Each phase is defined in the file of the algorithm that it is named
// after.

/// Those who take part in a phase, numbered 0 .. size-1, and their ranks in the group.
struct Members {
  std::uint32_t own = 0;
  std::uint32_t size = 1;
  std::function<std::uint32_t(std::uint32_t)> rank;

  static Members all(std::uint32_t rank, std::uint32_t size);
  /// The root is 0.
  static Members from_root(std::uint32_t rank, std::uint32_t size, std::uint32_t root);
};

/// Sends elements of `work`.
CollectiveStep send_step(std::uint32_t to, ElementRanges ranges);
/// Receives elements of `work`.
CollectiveStep receive_step(std::uint32_t from, ElementRanges ranges,
                            OnReceipt what = OnReceipt::write);
/// Sends some elements of `work` to a member and receives others from the same or another.
CollectiveStep exchange_step(std::uint32_t to, ElementRanges sent, std::uint32_t from,
                             ElementRanges received, OnReceipt what = OnReceipt::write);
/// A plan of one port.
CollectivePlan plan_of_steps(CollectiveSteps steps);
/// Every port gets its steps by its number.
template <class Make>
CollectivePlan plan_of_ports(std::uint32_t ports, Make make) {
  CollectivePlan plan;
  for (std::uint32_t port = 0; port < ports; ++port) {
    plan.ports.push_back(make(port));
  }
  return plan;
}

/// Elements 0 .. count-1.
ElementRanges whole(std::uint64_t count);
/// log2 of a power of two.
std::uint32_t log2_of(std::uint32_t power);
/// `combine_before` when the other's elements come before one's own.
OnReceipt combine_in_order(std::uint32_t other, std::uint32_t own);

/// Runs `phase` on a power of two of members: of the first pairs of neighbours, the even member
/// gives its elements to the odd one, and gets the answer from it.
CollectiveSteps fold(const Members& members, const ElementRanges& elements,
                     const std::function<CollectiveSteps(const Members&)>& phase);

// From and to member 0, along binomial trees. Blocks are numbered as the members are.
CollectiveSteps binomial_broadcast(const Members& members, const ElementRanges& elements);
CollectiveSteps binomial_reduce(const Members& members, const ElementRanges& elements);
CollectiveSteps binomial_scatter(const Members& members, const Blocks& blocks);
CollectiveSteps binomial_gather(const Members& members, const Blocks& blocks);

/// Once around. `block` gives the elements of a member. Member i gets what has been combined of its
/// block.
enum class Around { up, down };
using BlockOf = std::function<ElementRanges(std::uint32_t)>;
CollectiveSteps ring_reduce_scatter(const Members& members, const BlockOf& block, Around around);
CollectiveSteps ring_allgather(const Members& members, const BlockOf& block, Around around);

CollectiveSteps recursive_doubling_allreduce(const Members& members, const ElementRanges& elements);
CollectiveSteps recursive_doubling_allgather(const Members& members, const Blocks& blocks);
/// Halves the elements with members at distances 1, 2, 4, .., which keeps the order of ranks.
CollectiveSteps halving_reduce_scatter(const Members& members, const Blocks& blocks);
/// Undoes that.
CollectiveSteps doubling_allgather(const Members& members, const Blocks& blocks);
/// What a member keeps after so many steps when every bit of `place`, the lowest first, chooses a
/// half of what was left.
ElementRanges kept_by_halving(const Blocks& blocks, std::uint32_t place, std::uint32_t steps);
CollectiveSteps rabenseifner_allreduce(const Members& members, std::uint64_t elements);

/// A torus of processes. Where a call has no sides, it is a ring.
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
  /// The rank whose coordinate in this dimension is another.
  std::uint32_t moved(std::uint32_t rank, std::uint32_t dimension, std::uint32_t coordinate) const;
  /// The ring of this dimension that the rank is on.
  Members ring(std::uint32_t rank, std::uint32_t dimension) const;

 private:
  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t size_;
};

/// The dimensions from that of the port on, once around, and the way around of the port: of 2D
/// ports the first D go up and the others down.
std::vector<std::uint32_t> dimensions_of_port(std::uint32_t port, std::uint32_t dimensions);
Around way_of_port(std::uint32_t port, std::uint32_t dimensions);

}  // namespace dcube
