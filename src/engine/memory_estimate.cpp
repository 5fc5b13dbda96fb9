#include "dcube/engine/memory.hpp"
#include "dcube/topology/topology.hpp"
#include "network/hop_costs.hpp"

namespace dcube {

namespace {

// Measured on runs of 2^16 to 2^23 processes.
constexpr std::uint64_t libraries_bytes = 40'000'000;
constexpr std::uint64_t process_bytes = 600;              // with its message
constexpr std::uint64_t uncontended_message_bytes = 290;  // more: its arrival waits in the heap
constexpr std::uint64_t flow_bytes = 6'000;               // more: what SimGrid keeps of one
constexpr std::uint64_t link_bytes = 48;
constexpr std::uint64_t actor_bytes = 9'000;  // with its stack

}  // namespace

std::uint64_t estimated_memory_bytes(const RunSize& size) {
  std::uint64_t per_process = process_bytes;
  if (size.machine.links.contention == Contention::off) {
    per_process += uncontended_message_bytes;
  }
  if (size.machine.fluid) {
    per_process += flow_bytes;
  }
  std::uint64_t bytes = libraries_bytes + size.data_bytes +
                        link_bytes * size.machine.topology->link_slots() +
                        HopCosts::estimated_bytes(size.machine.links, *size.machine.topology) +
                        per_process * size.processes;
  if (size.machine.links.injection) {
    bytes += link_bytes * 2 * size.machine.topology->node_count();
  }
  if (size.execution == Execution::actors) {
    bytes += actor_bytes * size.processes;
  }
  return bytes;
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
