#include "dcube/engine/simulation.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <memory>
#include <utility>

#include "dcube/core/errors.hpp"
#include "kernel.hpp"
#include "simgrid_compat.hpp"
#include "store_and_forward_model.hpp"

namespace dcube {

namespace {

namespace sg4 = simgrid::s4u;
using detail::Kernel;
using detail::StoreAndForwardModel;

constexpr std::uint32_t most_actors = 65'536;
/// Each actor's stack and its guard page are two memory areas; Linux allows 65,530 a process by
/// default.
constexpr std::uint32_t most_guarded_stacks = 16'000;
constexpr const char* stack_kib = "64";

/// Each process is a SimGrid actor on the host of its node; it runs its coroutine and sleeps at
/// each wait.
class ActorExecutor {
 public:
  ActorExecutor(Kernel& kernel, std::span<sg4::Host* const> hosts, std::span<const NodeId> map)
      : kernel_{kernel} {
    actors_.reserve(kernel.process_count());
    for (std::uint32_t rank = 0; rank < kernel.process_count(); ++rank) {
      sg4::Host& host = *hosts[map[rank].index() % hosts.size()];
      actors_.push_back(detail::add_actor(host, fmt::format("{}", rank),
                                          [this, rank] { live(ProcessId{rank}); }));
    }
  }

  void wake(std::span<const ProcessId> processes) {
    for (const ProcessId process : processes) {
      actors_[process.index()]->resume();
    }
  }

 private:
  void live(ProcessId process) {
    kernel_.start(process);
    while (!kernel_.is_done(process)) {
      sg4::this_actor::suspend();
      kernel_.resume(process);
    }
  }

  Kernel& kernel_;
  std::vector<sg4::ActorPtr> actors_;
};

/// One actor, the conductor, runs the coroutines of all processes: no stacks, and a wake costs a
/// function call.
class CoroutineExecutor {
 public:
  CoroutineExecutor(Kernel& kernel, sg4::Host& host) : kernel_{kernel} {
    conductor_ = detail::add_actor(host, "conductor", [this] { conduct(); });
  }

  void wake(std::span<const ProcessId> processes) {
    due_ = processes;
    conductor_->resume();
  }

 private:
  void conduct() {
    for (std::uint32_t rank = 0; rank < kernel_.process_count(); ++rank) {
      kernel_.start(ProcessId{rank});
    }
    while (kernel_.live_processes() > 0) {
      sg4::this_actor::suspend();
      kernel_.resume(due_);
    }
  }

  Kernel& kernel_;
  sg4::ActorPtr conductor_;
  std::span<const ProcessId> due_;
};

Execution chosen_execution(const SimulationInput& input) {
  if (input.execution != Execution::automatic) {
    return input.execution;
  }
  return input.map.size() <= most_actors ? Execution::actors : Execution::coroutines;
}

/// SimGrid asks for stacks filled with zeros. glibc knows that memory fresh from the kernel is, if
/// it neither pads what it asks for nor maps it piece by piece; otherwise it writes, and so
/// occupies, every page of every stack: on 2^16 processes 3.6 GB and 10 s in place of 0.85 GB
/// and 2.7 s.
void leave_fresh_memory_untouched() {
  mallopt(M_TOP_PAD, 0);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
}

/// SimGrid's engine with settings that do not depend on the user's command line or environment.
std::unique_ptr<sg4::Engine> make_engine(std::size_t actors) {
  std::vector<std::string> words{"dcube", "--log=root.thresh:critical", "--cfg=contexts/nthreads:1",
                                 fmt::format("--cfg=contexts/stack-size:{}", stack_kib)};
  if (actors > most_guarded_stacks) {
    words.emplace_back("--cfg=contexts/guard-size:0");
    leave_fresh_memory_untouched();
  }
#ifdef __SANITIZE_ADDRESS__
  // The sanitizer knows threads, not SimGrid's own contexts.
  words.emplace_back("--cfg=contexts/factory:thread");
#endif
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return std::make_unique<sg4::Engine>(&count, arguments.data());
}

std::vector<sg4::Host*> add_hosts(sg4::Engine& engine, std::uint32_t count) {
  sg4::NetZone* const zone = detail::add_empty_zone(engine, "machine");
  std::vector<sg4::Host*> hosts;
  hosts.reserve(count);
  for (std::uint32_t node = 0; node < count; ++node) {
    hosts.push_back(detail::add_host(*zone, fmt::format("node-{}", node)));
  }
  zone->seal();
  return hosts;
}

template <class Executor>
void run_engine(sg4::Engine& engine, Kernel& kernel, Executor& executor) {
  engine.add_model(std::make_shared<StoreAndForwardModel>(
      kernel, [&executor](std::span<const ProcessId> processes) { executor.wake(processes); }));
  engine.run();
  kernel.drain();
}

void run(const SimulationInput& input, Kernel& kernel, Execution execution) {
  const std::uint32_t nodes = input.machine.topology->node_count();
  if (execution == Execution::coroutines) {
    const auto engine = make_engine(1);
    CoroutineExecutor executor{kernel, *add_hosts(*engine, 1).front()};
    run_engine(*engine, kernel, executor);
    return;
  }
  const auto engine = make_engine(input.map.size());
  const std::vector<sg4::Host*> hosts = add_hosts(*engine, nodes <= most_actors ? nodes : 1);
  ActorExecutor executor{kernel, hosts, input.map};
  run_engine(*engine, kernel, executor);
}

}  // namespace

RunReport simulate(const SimulationInput& input) {
  static bool has_run = false;
  expects(!std::exchange(has_run, true), "SimGrid runs once in an operating-system process");
  const auto begin = std::chrono::steady_clock::now();
  Kernel kernel{input};
  const Execution execution = chosen_execution(input);
  run(input, kernel, execution);
  if (kernel.failure()) {
    std::rethrow_exception(kernel.failure());
  }
  RunReport report = kernel.report();
  report.execution = execution;
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace dcube
