#include "kernel_runner.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
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

bool check_in_child(const SimulationInput& input,
                    const std::function<bool(const RunReport&)>& check) {
  const pid_t child = fork();
  if (child == 0) {
    bool is_right = false;
    try {
      is_right = check(simulate(input));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "simulate() threw: %s\n", error.what());
    }
    std::fflush(nullptr);
    _exit(is_right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace dcube::testing
