#include "dcube/engine/simulation.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "dcube/core/errors.hpp"
#include "execution.hpp"
#include "kernel.hpp"
#include "prefetch.hpp"
#include "program_stack.hpp"
#include "simgrid_compat.hpp"
#include "store_and_forward_model.hpp"

namespace dcube {

namespace {

namespace sg4 = simgrid::s4u;
using detail::Kernel;
using detail::StoreAndForwardModel;

#ifdef __SANITIZE_ADDRESS__
// The sanitizer knows threads, not contexts that share stacks.
constexpr bool actors_share_stack = false;
constexpr std::uint32_t actor_stack_kib = 512;
#else
constexpr bool actors_share_stack = true;
/// Enough to fall asleep, and to look up a function of a shared library on the way.
constexpr std::uint32_t actor_stack_kib = 8;
#endif
constexpr std::size_t program_stack_bytes = std::size_t{1} << 20;

/// Runs the code of programs on a stack that is large enough for it. An actor's own is not.
class ProgramRunner {
 public:
  template <class Code>
  void run(Code code) {
    if constexpr (actors_share_stack) {
      stack_.run(code);
    } else {
      code();
    }
  }

 private:
  detail::ProgramStack stack_{program_stack_bytes};
};

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
    kernel_.prefetch_processes(processes);
    constexpr std::size_t actor_bytes = 512;  // about what an actor takes
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (i + 2 * detail::lookahead < processes.size()) {
        detail::prefetch(&actor(processes[i + 2 * detail::lookahead]), 1);
      }
      if (i + detail::lookahead < processes.size()) {
        detail::prefetch(actor(processes[i + detail::lookahead]).get_impl(), actor_bytes);
      }
      actor(processes[i]).resume();
    }
  }

 private:
  sg4::Actor& actor(ProcessId process) { return *actors_[process.index()]; }

  void live(ProcessId process) {
    programs_.run([this, process] { kernel_.start(process); });
    while (!kernel_.is_done(process)) {
      sg4::this_actor::suspend();
      programs_.run([this, process] { kernel_.resume(process); });
    }
  }

  Kernel& kernel_;
  std::vector<sg4::ActorPtr> actors_;
  ProgramRunner programs_;
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
    programs_.run([this] {
      for (std::uint32_t rank = 0; rank < kernel_.process_count(); ++rank) {
        kernel_.start(ProcessId{rank});
      }
    });
    while (kernel_.live_processes() > 0) {
      sg4::this_actor::suspend();
      programs_.run([this] { kernel_.resume(due_); });
    }
  }

  Kernel& kernel_;
  sg4::ActorPtr conductor_;
  std::span<const ProcessId> due_;
  ProgramRunner programs_;
};

/// SimGrid's engine with settings that do not depend on the user's command line or environment.
std::unique_ptr<sg4::Engine> make_engine() {
  static bool is_made = false;
  if (std::exchange(is_made, true)) {
    throw ContractViolation(
        "simulate() has run before in this operating-system process, and SimGrid allows one run in "
        "each; make every run in a process of its own");
  }
  std::vector<std::string> words{"dcube", "--log=root.thresh:critical", "--cfg=contexts/nthreads:1",
                                 "--cfg=contexts/guard-size:0",
                                 fmt::format("--cfg=contexts/stack-size:{}", actor_stack_kib)};
  if (!actors_share_stack) {
    words.emplace_back("--cfg=contexts/factory:thread");
  }
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
    const auto engine = make_engine();
    CoroutineExecutor executor{kernel, *add_hosts(*engine, 1).front()};
    run_engine(*engine, kernel, executor);
    return;
  }
  const auto engine = make_engine();
  const std::vector<sg4::Host*> hosts =
      add_hosts(*engine, nodes <= detail::most_actors ? nodes : 1);
  ActorExecutor executor{kernel, hosts, input.map};
  run_engine(*engine, kernel, executor);
}

}  // namespace

RunReport simulate(const SimulationInput& input) {
  const auto begin = std::chrono::steady_clock::now();
  Kernel kernel{input};
  const Execution execution = detail::chosen_execution(input.execution, kernel.process_count());
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
