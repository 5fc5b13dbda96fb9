#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "dcube/collective/calls.hpp"
#include "dcube/collective/collective.hpp"
#include "dcube/core/params.hpp"
#include "dcube/topology/topology.hpp"
#include "support/graph_topology.hpp"
#include "support/kernel_runner.hpp"

// Makespans of single collectives, and formulas for them.

namespace dcube::testing {

/// Four bytes, so that the costs below are whole.
inline constexpr std::uint64_t element_bytes = 4;

/// What a formula says: so often the latency, and the bytes that are sent and combined one after
/// the other.
struct Cost {
  std::uint64_t latencies = 0;
  std::uint64_t sent = 0;
  std::uint64_t combined = 0;

  /// 1,000 ps a message, 3/2 ps a byte that is sent, 5/4 ps a byte that is combined.
  Ticks time() const {
    EXPECT_EQ(sent % 4 + combined % 4, 0U);
    return Ticks{static_cast<Ticks::rep>(1000 * latencies + sent / 2 * 3 + combined / 4 * 5)};
  }
};

inline Machine complete_machine(std::uint32_t nodes, Contention contention) {
  Machine machine;
  machine.name = "complete";
  machine.topology = make_complete_graph(nodes);
  machine.links.per_dimension.assign(machine.topology->dimension_count(),
                                     {ExactTime{Ticks{1000}}, ExactTime{3, 2}});
  machine.links.contention = contention;
  return machine;
}

/// Links carry one message at a time each way.
inline Machine torus_machine(const std::string& topology) {
  Machine machine = complete_machine(2, Contention::on);
  machine.topology = make_topology(Params::parse(topology));
  machine.links.per_dimension.assign(machine.topology->dimension_count(),
                                     machine.links.per_dimension.front());
  return machine;
}

inline Ticks makespan_of(CollectiveCall call, std::uint32_t size, const std::string& algorithm,
                         const Machine& machine) {
  call.options.algorithm = algorithm;
  call.options.element_bytes = element_bytes;
  call.options.compute = call.options.compute ? std::nullopt : std::optional{ExactTime{5, 4}};
  const RunReport report = run_without_simgrid(machine, size, [&](Process& process) -> Task<> {
    co_await run_collective(process.world(), call);
  });
  EXPECT_EQ(report.outcome, Outcome::completed);
  return report.makespan;
}

inline Ticks makespan_of(const CollectiveCall& call, std::uint32_t size,
                         const std::string& algorithm, Contention contention = Contention::off) {
  return makespan_of(call, size, algorithm, complete_machine(size, contention));
}

}  // namespace dcube::testing
