// What does a hop cost when links differ, and would a plain binary heap do better? Nodes keep
// messages to random nodes under way, sending the next when one is there, on a network whose links
// have few or many different costs.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "binary_heap_network.hpp"
#include "dcube/core/random.hpp"
#include "dcube/network/network.hpp"
#include "square_torus.hpp"

namespace {

using namespace dcube;

constexpr std::int64_t side = 256;
constexpr std::uint32_t nodes = side * side;
constexpr std::int64_t all_links = std::int64_t{4} * nodes;
constexpr std::uint64_t seed = 1;
constexpr std::uint64_t message_bytes = 1;

/// Every node whose number is a multiple of `spacing` sends `messages` in all, with at most
/// `under_way` of them under way.
struct Load {
  std::uint32_t spacing;
  std::uint32_t under_way;
  std::uint32_t messages;
};
constexpr Load sparse{1024, 1, 1024};  // 64 messages under way in all
constexpr Load medium{4, 1, 8};        // 16,384
constexpr Load saturated{1, 2, 3};     // 131,072: one for every other link

/// Hops between 1 us and 2 us, of `costs` different durations.
Machine make_machine(std::int64_t costs) {
  constexpr Ticks least = std::chrono::microseconds{1};
  Machine machine = bench::square_torus_machine(side, least);
  for (std::uint32_t link = 0; costs > 1 && link < all_links; ++link) {
    const std::uint64_t mixed = costs == all_links ? link : hash_of(seed, link);
    const auto number = static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(costs));
    const Ticks cost = least + Ticks{least.count() * number / costs};
    machine.links.overrides[LinkId{link}] = {ExactTime{cost}, ExactTime{}};
  }
  return machine;
}

template <class OnDelivery>
void run_to_end(Network& network, OnDelivery&& on_delivery) {
  while (true) {
    const auto delivered = network.advance(Ticks::max());
    if (delivered.empty()) {
      return;
    }
    for (const MessageId message : delivered) {
      on_delivery(message);
    }
  }
}

void forget(Network& network, MessageId message) { network.messages().release(message); }
void forget(bench::BinaryHeapNetwork& network, MessageId message) { network.release(message); }

template <class OnDelivery>
void run_to_end(bench::BinaryHeapNetwork& network, OnDelivery&& on_delivery) {
  network.run(on_delivery);
}

/// Sends a load through a network.
template <class SomeNetwork>
class ClosedTraffic {
 public:
  ClosedTraffic(SomeNetwork& network, const Load& load)
      : network_{network}, load_{load}, sent_(nodes) {}

  /// A hash of what arrived when; the same for every right network.
  std::uint64_t run() {
    for (std::uint32_t node = 0; node < nodes; node += load_.spacing) {
      for (std::uint32_t i = 0; i < load_.under_way; ++i) {
        send_next(node);
      }
    }
    run_to_end(network_, [this](MessageId message) { deliver(message); });
    return arrivals_;
  }

 private:
  struct Sent {
    std::uint32_t node;
    std::uint32_t number;
  };

  void send_next(std::uint32_t node) {
    const std::uint32_t number = sent_[node]++;
    const std::uint64_t way = 1 + bounded(hash_of(seed, node, number), nodes - 1);
    const MessageId message =
        network_.send({.source = ProcessId{node},
                       .send_number = number,
                       .from = NodeId{node},
                       .to = NodeId{static_cast<std::uint32_t>((node + way) % nodes)},
                       .bytes = message_bytes,
                       .start = network_.now()});
    if (message.index() >= under_way_.size()) {
      under_way_.resize(message.index() + 1);
    }
    under_way_[message.index()] = {node, number};
  }

  void deliver(MessageId message) {
    const Sent sent = under_way_[message.index()];
    arrivals_ +=
        hash_of(sent.node, sent.number, static_cast<std::uint64_t>(network_.now().count()));
    forget(network_, message);
    if (sent_[sent.node] < load_.messages) {
      send_next(sent.node);
    }
  }

  SomeNetwork& network_;
  Load load_;
  std::vector<std::uint32_t> sent_;  ///< [node]
  std::vector<Sent> under_way_;      ///< [MessageId]
  std::uint64_t arrivals_ = 0;
};

std::unique_ptr<Network> make_network(const Machine& machine) {
  return std::make_unique<Network>(*machine.topology, machine.links);
}
std::unique_ptr<bench::BinaryHeapNetwork> make_binary_heap(const Machine& machine) {
  return std::make_unique<bench::BinaryHeapNetwork>(*machine.topology, machine.links,
                                                    message_bytes);
}

/// The hash of arrivals. Building the network is not timed.
template <class Make>
std::uint64_t measure(benchmark::State& state, Make&& make, const Machine& machine,
                      const Load& load) {
  std::uint64_t hops = 0;
  std::uint64_t arrivals = 0;
  auto network = make(machine);
  for (auto _ : state) {
    state.PauseTiming();
    network = make(machine);
    ClosedTraffic traffic{*network, load};
    state.ResumeTiming();
    arrivals = traffic.run();
    hops += network->hop_count();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
  return arrivals;
}

void network(benchmark::State& state, const Load& load) {
  measure(state, make_network, make_machine(state.range(0)), load);
}

void binary_heap(benchmark::State& state, const Load& load) {
  const Machine machine = make_machine(state.range(0));
  const std::uint64_t arrivals = measure(state, make_binary_heap, machine, load);
  const auto reference = make_network(machine);
  if (arrivals != ClosedTraffic{*reference, load}.run()) {
    state.SkipWithError("the two networks disagree");
  }
}

void numbers_of_costs(benchmark::internal::Benchmark* bench) {
  bench->ArgName("costs")->Arg(1)->Arg(4)->Arg(16)->Arg(1024)->Arg(all_links);
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(network, sparse, sparse)->Apply(numbers_of_costs);
BENCHMARK_CAPTURE(network, medium, medium)->Apply(numbers_of_costs);
BENCHMARK_CAPTURE(network, saturated, saturated)->Apply(numbers_of_costs);
BENCHMARK_CAPTURE(binary_heap, sparse, sparse)->Apply(numbers_of_costs);
BENCHMARK_CAPTURE(binary_heap, medium, medium)->Apply(numbers_of_costs);
BENCHMARK_CAPTURE(binary_heap, saturated, saturated)->Apply(numbers_of_costs);

}  // namespace
