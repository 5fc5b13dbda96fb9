// How fast could a hop possibly be? The memory traffic that no simulator of hops does without: an
// event read from one end of a queue and written to the other, and one update of the link it is on.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcube/core/random.hpp"
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

/// One message under way per node, on links drawn at random, each with a stride of its own. The
/// queue has room for twice as many, so what is written is not what is read next.
std::vector<Event> make_queue(std::uint32_t nodes, std::uint32_t links) {
  SplitMix64 random{1};
  std::vector<Event> queue(std::size_t{2} * nodes);
  for (std::uint32_t message = 0; message < nodes; ++message) {
    const auto link = static_cast<std::uint32_t>(bounded(random.next(), links));
    const auto stride = static_cast<std::uint32_t>(bounded(random.next(), links)) | 1U;
    queue[message] = {link, message, stride};
  }
  return queue;
}

/// Every message of the queue makes one hop; `head` is the position of the first.
void hop_all(std::vector<Event>& queue, std::size_t head, std::vector<std::uint64_t>& links) {
  const std::size_t messages = queue.size() / 2;
  const std::size_t position_mask = queue.size() - 1;
  const auto link_mask = static_cast<std::uint32_t>(links.size() - 1);
  for (std::size_t position = head; position < head + messages; ++position) {
    Event event = queue[position & position_mask];
    links[event.link] += event.message;
    event.link = (event.link + event.stride) & link_mask;
    queue[(position + messages) & position_mask] = event;
  }
}

/// Four links to a node, as on a torus of two dimensions; the number of nodes is a power of two.
void memory_of_hops(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  std::vector<std::uint64_t> links(std::size_t{4} * nodes);
  std::vector<Event> queue = make_queue(nodes, 4 * nodes);
  std::size_t head = 0;
  for (auto _ : state) {
    hop_all(queue, head, links);
    benchmark::ClobberMemory();
    head = (head + nodes) & (queue.size() - 1);
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
