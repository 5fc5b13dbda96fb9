#include <algorithm>

#include "dcube/engine/memory.hpp"
#include "dcube/topology/topology.hpp"
#include "network/hop_costs.hpp"

namespace dcube {

namespace {

// Measured on runs of 2^16 to 2^20 processes with a message each, on tori and hypercubes.
constexpr std::uint64_t libraries_bytes = 42'000'000;
constexpr std::uint64_t actor_bytes = 9'000;  // with its stack
constexpr std::uint64_t flow_bytes = 6'000;   // kept by SimGrid
// Waiting for instants of their own keeps them in a heap.
constexpr std::uint64_t waiting_arrival_bytes = 390;
constexpr std::uint64_t waiting_departure_bytes = 720;

/// Bytes for each process, with its message, and for each link at the same time.
struct Usage {
  std::uint64_t process_bytes;
  std::uint64_t link_bytes;
};
constexpr Usage while_running{320, 12};
constexpr Usage while_reporting{210, 32};

}  // namespace

std::uint64_t estimated_memory_bytes(const RunSize& size) {
  const Machine& machine = size.machine;
  std::uint64_t links = machine.topology->link_slots();
  if (machine.links.injection) {
    links += 2 * std::uint64_t{machine.topology->node_count()} * machine.links.interfaces;
  }
  const auto bytes_of = [&](const Usage& usage) {
    return usage.process_bytes * size.processes + usage.link_bytes * links;
  };
  std::uint64_t more_a_process = 0;
  if (size.times == ComputeTimes::varied) {
    more_a_process += waiting_departure_bytes;
  } else if (machine.links.contention == Contention::off) {
    more_a_process += waiting_arrival_bytes;
  }
  if (machine.fluid) {
    more_a_process += flow_bytes;
  }
  if (size.execution == Execution::actors) {
    more_a_process += actor_bytes;
  }
  return libraries_bytes + size.data_bytes +
         HopCosts::estimated_bytes(machine.links, *machine.topology) +
         std::max(bytes_of(while_running), bytes_of(while_reporting)) +
         more_a_process * size.processes;
}

void expect_fits_in_memory(const RunSize& size) {
  RunSize smaller = size;
  smaller.execution = Execution::coroutines;
  const bool are_actors_too_many = size.execution == Execution::actors &&
                                   estimated_memory_bytes(smaller) <= available_memory_bytes();
  expect_fits_in_memory("the run", estimated_memory_bytes(size),
                        are_actors_too_many ? "take \"execution\": \"coroutines\"" : smaller_case);
}

}  // namespace dcube
