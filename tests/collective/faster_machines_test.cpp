// Does a collective take longer on a machine with faster links? First come first served it may: a
// large message that arrives a moment earlier holds up many others. In turn it holds up nobody for
// longer than a packet.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dcube/collective/collective.hpp"
#include "dcube/embedding/embedding.hpp"
#include "support/kernel_runner.hpp"

namespace dcube::testing {
namespace {

constexpr std::uint64_t vector_bytes = 512 * 1024;
constexpr std::uint64_t packet_bytes = 2048;
constexpr std::size_t values = 7;  ///< of latency and of bandwidth, over a decade each

/// Step `latency` from 10 us down to 1 us, step `bandwidth` from 10 up to 100 GB/s.
Machine machine_of(Service service, std::size_t latency, std::size_t bandwidth) {
  const auto part = [](std::size_t step) {
    return std::pow(10, static_cast<double>(step) / (values - 1));
  };
  Machine machine;
  machine.topology = make_topology(Params::parse("kind=torus,shape=8x4"));
  const auto fixed = static_cast<Ticks::rep>(10'000'000 / part(latency));
  const auto of_1024_bytes = static_cast<std::int64_t>(102'400 / part(bandwidth));
  machine.links.per_dimension.assign(2, {ExactTime{Ticks{fixed}}, ExactTime{of_1024_bytes, 1024}});
  machine.links.switching = Switching::cut_through;
  machine.links.packet_bytes = packet_bytes;
  machine.links.service = service;
  return machine;
}

struct Allreduce {
  std::string algorithm;
  std::uint32_t ports = 1;
  std::string embedding;
};

Ticks makespan(const Allreduce& allreduce, const Machine& machine) {
  const Topology& topology = *machine.topology;
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = vector_bytes / 4};
  call.options.algorithm = allreduce.algorithm;
  call.options.ports = allreduce.ports;
  call.options.sides = TorusSides{topology.shape()};
  call.options.element_bytes = 4;
  const auto embedding = make_embedding(topology, Guest::parse("ring:32"),
                                        Params::parse("kind=" + allreduce.embedding));
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < topology.node_count(); ++rank) {
    map.push_back(embedding->node_of(ProcessId{rank}));
  }
  const auto body = [&](Process& process) -> Task<> {
    co_await run_collective(process.world(), call);
  };
  return run_without_simgrid({.machine = machine, .map = map, .body = body}).makespan;
}

/// How many times longer it takes than on a machine that is no faster in any way, at most.
double worst_slowdown(const Allreduce& allreduce, Service service) {
  std::array<std::array<double, values>, values> least{};  ///< of machines that are no faster
  double worst = 1;
  for (std::size_t latency = 0; latency < values; ++latency) {
    for (std::size_t bandwidth = 0; bandwidth < values; ++bandwidth) {
      const auto time =
          static_cast<double>(makespan(allreduce, machine_of(service, latency, bandwidth)).count());
      double& slower = least[latency][bandwidth];
      slower = time;
      if (latency > 0) {
        slower = std::min(slower, least[latency - 1][bandwidth]);
      }
      if (bandwidth > 0) {
        slower = std::min(slower, least[latency][bandwidth - 1]);
      }
      worst = std::max(worst, time / slower);
    }
  }
  return worst;
}

TEST(FasterMachines, MakeNoAllreduceSlowerWhereMessagesTakeTurns) {
  std::size_t walked = 0;
  for (const CollectiveAlgorithm* algorithm : collective_catalog(CollectiveKind::allreduce)) {
    const bool has_ports = algorithm->needs.ports != CollectiveNeeds::Ports::one;
    for (const std::uint32_t ports : has_ports ? std::vector{1U, 0U} : std::vector{1U}) {
      for (const char* embedding : {"identity", "snake"}) {
        const double worst =
            worst_slowdown({algorithm->name, ports, embedding}, Service::round_robin);
        EXPECT_LE(worst, 1.02) << algorithm->name << " on " << embedding;
        ++walked;
      }
    }
  }
  EXPECT_GE(walked, 14U);
}

TEST(FasterMachines, MakeAnAllreduceSlowerWhereMessagesComeFirstServedFirst) {
  EXPECT_GT(worst_slowdown({"rabenseifner", 1, "snake"}, Service::first_come_first_served), 1.04);
}

}  // namespace
}  // namespace dcube::testing
