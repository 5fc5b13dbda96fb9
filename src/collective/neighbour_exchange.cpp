#include <utility>

#include "catalog.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// Ranks exchange with the neighbours on either side in turn: first their own shares, then the two
/// that they got last [Chen, Zhang, Zhang & Yuan 2005].
CollectivePlan make_neighbour_exchange(const CollectiveCall& call, std::uint32_t rank,
                                       std::uint32_t size) {
  CollectiveSteps steps;
  if (size == 1) {
    return plan_of_steps(std::move(steps));
  }
  const Blocks blocks = Blocks::shares(call, size);
  const bool is_even = rank % 2 == 0;
  const std::uint32_t above = rank_above(rank, 1, size);
  const std::uint32_t below = rank_below(rank, 1, size);
  const std::uint32_t first = is_even ? above : below;
  const std::uint32_t second = is_even ? below : above;
  steps.add(exchange_step(first, blocks[rank], first, blocks[first]));
  steps.add(size / 2 - 1, [blocks, rank, size, first, second](std::uint32_t index) {
    const std::uint32_t round = index + 1;
    // Pairs of shares, numbered by half the rank: even ranks get them from below, from above, ..
    const std::uint32_t pairs = size / 2;
    const auto pair_at = [&](std::uint32_t at) {
      const std::uint32_t far = (at + 1) / 2;
      const bool is_below = (at % 2 == 1) == (rank % 2 == 0);
      return is_below ? (rank / 2 + pairs - far) % pairs : (rank / 2 + far) % pairs;
    };
    const std::uint32_t other = round % 2 == 1 ? second : first;
    return exchange_step(other, blocks.run(2 * pair_at(round - 1), 2), other,
                         blocks.run(2 * pair_at(round), 2));
  });
  return plan_of_steps(std::move(steps));
}

}  // namespace

const CollectiveAlgorithm allgather_neighbour_exchange_algorithm{
    CollectiveKind::allgather,
    "neighbour_exchange",
    "two shares with the rank above and the one below in turn: p/2 a + n (p-1)/p b",
    {.even = true},
    make_neighbour_exchange};

}  // namespace dcube
