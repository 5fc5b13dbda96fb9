#include "kernel_runner.hpp"

#include <exception>

#include "engine/kernel.hpp"

namespace dcube::testing {

RunReport run_without_simgrid(const SimulationInput& input) {
  detail::Kernel kernel{input};
  for (std::uint32_t rank = 0; rank < kernel.process_count(); ++rank) {
    kernel.start(ProcessId{rank});
  }
  while (kernel.live_processes() > 0) {
    std::span<const ProcessId> woken = kernel.advance(Ticks::max());
    if (woken.empty()) {
      woken = kernel.give_up();
    }
    for (const ProcessId process : woken) {
      kernel.resume(process);
    }
  }
  kernel.drain();
  if (kernel.failure()) {
    std::rethrow_exception(kernel.failure());
  }
  return kernel.report();
}

RunReport run_without_simgrid(const Machine& machine, std::uint32_t processes,
                              const std::function<Task<>(Process&)>& body,
                              std::uint32_t stage_count) {
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    map.emplace_back(rank);
  }
  return run_without_simgrid(
      {.machine = machine, .map = map, .body = body, .stage_count = stage_count});
}

}  // namespace dcube::testing
