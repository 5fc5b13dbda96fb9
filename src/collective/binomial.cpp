#include <algorithm>
#include <bit>

#include "catalog.hpp"
#include "phases.hpp"

// Member v of a binomial tree has the children v + 1, v + 2, v + 4, .. as long as these steps are
// less than the lowest bit of v. So the members of each subtree are consecutive.

namespace dcube {
namespace {

/// The subtree of member v is v .. v + reach - 1, less what is past the end.
std::uint32_t reach_of(const Members& members) {
  return members.own == 0 ? std::bit_ceil(members.size)
                          : std::uint32_t{1} << std::countr_zero(members.own);
}

/// Size of the subtree of `member`.
std::uint32_t subtree(const Members& members, std::uint32_t member, std::uint32_t reach) {
  return std::min(reach, members.size - member);
}

/// Calls `visit(child, its reach)` for the children, those with the largest subtrees first.
template <class Visit>
void for_children(const Members& members, Visit visit) {
  for (std::uint32_t below = reach_of(members) / 2; below > 0; below /= 2) {
    if (below < members.size - members.own) {
      visit(members.own + below, below);
    }
  }
}

CollectivePlan make_binomial_scatter(const CollectiveCall& call, std::uint32_t rank,
                                     std::uint32_t size) {
  return plan_of_steps(binomial_scatter(Members::from_root(rank, size, call.root),
                                        Blocks::shares(call, size).rotated(call.root)));
}

CollectivePlan make_binomial_gather(const CollectiveCall& call, std::uint32_t rank,
                                    std::uint32_t size) {
  return plan_of_steps(binomial_gather(Members::from_root(rank, size, call.root),
                                       Blocks::shares(call, size).rotated(call.root)));
}

}  // namespace

CollectiveSteps binomial_scatter(const Members& members, const Blocks& blocks) {
  CollectiveSteps steps;
  const std::uint32_t reach = reach_of(members);
  if (members.own > 0) {
    steps.add(receive_step(members.rank(members.own - reach),
                           blocks.run(members.own, subtree(members, members.own, reach))));
  }
  for_children(members, [&](std::uint32_t child, std::uint32_t below) {
    steps.add(send_step(members.rank(child), blocks.run(child, subtree(members, child, below))));
  });
  return steps;
}

CollectiveSteps binomial_gather(const Members& members, const Blocks& blocks) {
  CollectiveSteps steps;
  const std::uint32_t reach = reach_of(members);
  for (std::uint32_t below = 1; below < reach && below < members.size - members.own; below *= 2) {
    const std::uint32_t child = members.own + below;
    steps.add(receive_step(members.rank(child), blocks.run(child, subtree(members, child, below))));
  }
  if (members.own > 0) {
    steps.add(send_step(members.rank(members.own - reach),
                        blocks.run(members.own, subtree(members, members.own, reach))));
  }
  return steps;
}

const CollectiveAlgorithm scatter_binomial_algorithm{
    CollectiveKind::scatter,
    "binomial",
    "the shares of a subtree along a binomial tree: lg p a + n (p-1)/p b",
    {},
    make_binomial_scatter};
const CollectiveAlgorithm gather_binomial_algorithm{
    CollectiveKind::gather,
    "binomial",
    "the shares of a subtree along a binomial tree: lg p a + n (p-1)/p b",
    {},
    make_binomial_gather};

}  // namespace dcube
