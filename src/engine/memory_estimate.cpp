#include <fmt/format.h>

#include <string>

#include "dcube/engine/memory.hpp"
#include "dcube/topology/topology.hpp"
#include "execution.hpp"

namespace dcube {

namespace {

// Measured on runs of 2^16 to 2^23 processes: what a process and its message take without and with
// contention, a link, an actor with its stack, a host.
constexpr std::uint64_t libraries_bytes = 40'000'000;
constexpr std::uint64_t process_bytes = 600;
constexpr std::uint64_t uncontended_message_bytes = 290;  // its arrival waits in the heap
constexpr std::uint64_t link_bytes = 36;
constexpr std::uint64_t actor_bytes = 9'000;
constexpr std::uint64_t host_bytes = 1'200;

std::string gigabytes(std::uint64_t bytes) {
  const double count = static_cast<double>(bytes) / 1e9;
  return fmt::format("{:.{}f} GB", count, count < 10 ? 1 : 0);
}

std::string way_out(const RunSize& size, std::uint64_t available) {
  RunSize smaller = size;
  smaller.execution = Execution::coroutines;
  const std::uint64_t needed = estimated_memory_bytes(smaller);
  if (size.execution == Execution::actors && needed <= available) {
    return fmt::format("take \"execution\": \"coroutines\" (about {})", gigabytes(needed));
  }
  return "use a smaller machine, fewer processes or a larger computer";
}

}  // namespace

std::uint64_t estimated_memory_bytes(const RunSize& size) {
  const std::uint64_t nodes = size.machine.topology->node_count();
  std::uint64_t per_process = process_bytes;
  if (size.machine.links.contention == Contention::off) {
    per_process += uncontended_message_bytes;
  }
  std::uint64_t bytes = libraries_bytes + size.data_bytes +
                        link_bytes * size.machine.topology->link_slots() +
                        per_process * size.processes;
  if (detail::chosen_execution(size.execution, size.processes) == Execution::actors) {
    bytes += actor_bytes * size.processes;
    bytes += nodes <= detail::most_actors ? host_bytes * nodes : 0;
  }
  return bytes;
}

void expect_fits_in_memory(const RunSize& size) {
  const std::uint64_t needed = estimated_memory_bytes(size);
  const std::uint64_t available = available_memory_bytes();
  if (needed > available) {
    throw MemoryError(
        "", fmt::format("the run does not fit in memory (it takes about {}, and {} "
                        "are available); {}",
                        gigabytes(needed), gigabytes(available), way_out(size, available)));
  }
}

}  // namespace dcube
