// How fast could a hop possibly be? The memory traffic that no simulator of hops does without: an
// event read from one end of a queue and written to the other, and one update of the link it is on.
// Links and events are touched in the order in which the network touches them when a program sends
// along the dimensions of a square torus.

#include <benchmark/benchmark.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "peak_memory.hpp"

namespace {

using namespace dcube;

/// As large as the network's own events.
struct Event {
  std::uint32_t link;
  std::uint32_t message;
  std::uint32_t stride;
};
static_assert(sizeof(Event) == 12);

/// One message under way for each node of a square torus, in the order of the nodes. Links are
/// numbered by direction, then by the node that they leave.
class Hops {
 public:
  explicit Hops(std::uint32_t nodes)
      : nodes_{nodes},
        side_{std::uint32_t{1} << (std::bit_width(nodes) / 2)},
        queue_(nodes),
        links_(std::size_t{4} * nodes) {
    turn(0);
  }

  /// From now on messages move along this dimension, half of them downwards: those whose
  /// coordinate is in the upper half of a block of `reach`, as in an exchange over that distance.
  void turn(std::uint32_t dimension) {
    const std::uint32_t step = dimension == 0 ? 1 : side_;
    const std::uint32_t reach = side_ / 4 * step;
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      const bool is_down = (node & reach) != 0;
      queue_[node] = {(2 * dimension + (is_down ? 1 : 0)) * nodes_ + node, node,
                      is_down ? 0 - step : step};
    }
  }

  /// Every message makes one hop.
  void hop() {
    const std::uint32_t mask = nodes_ - 1;
    for (Event& event : queue_) {
      links_[event.link] += event.message;
      event.link = (event.link & ~mask) | ((event.link + event.stride) & mask);
    }
  }

 private:
  std::uint32_t nodes_;
  std::uint32_t side_;
  std::vector<Event> queue_;
  std::vector<std::uint64_t> links_;
};

/// The number of nodes is a power of two.
void memory_of_hops(benchmark::State& state) {
  constexpr std::uint32_t hops_in_a_row = 64;
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  Hops hops{nodes};
  std::uint32_t made = 0;
  for (auto _ : state) {
    hops.hop();
    benchmark::ClobberMemory();
    if (++made % hops_in_a_row == 0) {
      hops.turn(made / hops_in_a_row % 2);
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t{nodes});
  state.counters["peak_memory"] = bench::peak_memory_bytes();
}

BENCHMARK(memory_of_hops)
    ->ArgName("nodes")
    ->Arg(1 << 8)
    ->Arg(1 << 12)
    ->Arg(1 << 14)
    ->Arg(1 << 16)
    ->Arg(1 << 18)
    ->Arg(1 << 20)
    ->Arg(1 << 23)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace
