#include <bit>

#include "catalog.hpp"
#include "phases.hpp"

namespace dcube {
namespace {

/// In step s everybody sends to the rank 2^s above [Hensgen, Finkel & Manber 1988].
CollectivePlan make_dissemination(const CollectiveCall&, std::uint32_t rank, std::uint32_t size) {
  return plan_of_steps(
      static_cast<std::uint32_t>(std::bit_width(size - 1)), [rank, size](std::uint32_t index) {
        const std::uint64_t distance = std::uint64_t{1} << index;
        return exchange_step(static_cast<std::uint32_t>((rank + distance) % size), {},
                             static_cast<std::uint32_t>((rank + size - distance) % size), {});
      });
}

}  // namespace

const CollectiveAlgorithm barrier_dissemination_algorithm{
    CollectiveKind::barrier,
    "dissemination",
    "empty messages to ranks 1, 2, 4, .. above: lg p a",
    {},
    make_dissemination};

}  // namespace dcube
