// What do packets cost beside messages that travel alike? Every node of a torus sends eight
// messages of a byte, or one of eight bytes in eight packets, to the partner across each dimension
// of the cube in turn, at a random time within a second. Prints one line of JSON.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>

#include "dcube/core/params.hpp"
#include "dcube/core/random.hpp"
#include "dcube/network/network.hpp"

namespace {

using namespace dcube;

constexpr std::uint32_t packets = 8;

struct Measured {
  std::uint64_t hops = 0;
  std::uint64_t queued = 0;
  double wall_s = 0;
  double makespan_s = 0;  ///< of all stages together: both kinds have the same
};

LinkModel links_of(const Topology& topology, bool in_packets) {
  using namespace std::chrono_literals;
  LinkModel links;
  const ExactTime half{Ticks{500ms}};
  links.per_dimension.assign(topology.dimension_count(), {half, half});
  if (in_packets) {
    links.packet_bytes = 1;
  }
  return links;
}

void send(Network& network, NodeId from, NodeId to, Ticks start, bool in_packets) {
  const std::uint32_t messages = in_packets ? 1 : packets;
  for (std::uint32_t i = 0; i < messages; ++i) {
    network.send({ProcessId{from.index()}, i, from, to, packets / messages, start});
  }
}

/// All nodes send across one dimension of the cube.
void measure_stage(const Topology& topology, std::uint32_t bit, bool in_packets,
                   Measured& measured) {
  Network network{topology, links_of(topology, in_packets)};
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const Ticks second = std::chrono::seconds{1};
    const auto start = static_cast<Ticks::rep>(
        bounded(hash_of(1, node, bit), static_cast<std::uint64_t>(second.count())));
    send(network, NodeId{node}, NodeId{node ^ std::uint32_t{1} << bit}, Ticks{start}, in_packets);
  }
  for (auto arrived = network.advance(Ticks::max()); !arrived.empty();
       arrived = network.advance(Ticks::max())) {
    for (const MessageId id : arrived) {
      network.messages().release(id);
    }
  }
  measured.wall_s +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  measured.makespan_s += to_seconds(network.now());
  measured.hops += network.hop_count();
  measured.queued += network.queued_hops();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[2] : "";
  if (kind != "messages" && kind != "packets") {
    std::fputs("usage: packet_queues SHAPE messages|packets\n", stderr);
    return 2;
  }
  try {
    const auto topology = make_topology(Params::parse(std::string{"kind=torus,shape="} + argv[1]));
    Measured measured;
    for (std::uint32_t bit = 0; std::uint64_t{1} << bit < topology->node_count(); ++bit) {
      measure_stage(*topology, bit, kind == "packets", measured);
    }
    std::printf("{\"hops\": %llu, \"queued\": %llu, \"wall_s\": %.9g, \"makespan_s\": %.17g}\n",
                static_cast<unsigned long long>(measured.hops),
                static_cast<unsigned long long>(measured.queued), measured.wall_s,
                measured.makespan_s);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "packet_queues: %s\n", error.what());
    return 2;
  }
  return 0;
}
