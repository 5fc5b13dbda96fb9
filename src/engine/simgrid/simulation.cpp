#include "dcube/engine/simulation.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compat.hpp"
#include "core/address_sanitizer.hpp"
#include "core/argument_pointers.hpp"
#include "core/prefetch.hpp"
#include "dcube/core/errors.hpp"
#include "engine/kernel.hpp"
#include "engine/program_stack.hpp"
#include "flow_driver.hpp"
#include "links.hpp"
#include "network_driver.hpp"
#include "time.hpp"

namespace dcube {

namespace {

namespace sg4 = simgrid::s4u;
using detail::FlowDriver;
using detail::Kernel;
using detail::NetworkDriver;
using detail::SimGridLinks;
using simgrid::kernel::context::Context;

#ifdef DCUBE_ADDRESS_SANITIZER
// The sanitizer supports threads, but not contexts that share stacks.
constexpr bool actors_share_stack = false;
constexpr std::uint32_t actor_stack_kib = 512;
#else
constexpr bool actors_share_stack = true;
/// Enough to fall asleep, and to look up a function of a shared library on the way.
constexpr std::uint32_t actor_stack_kib = 8;
#endif
/// As much as a thread usually has, for programs in Python; only used pages take memory.
constexpr std::size_t program_stack_bytes = std::size_t{8} << 20;

/// This thread reads numbers with a point in them while this lives, whatever locale the program
/// that holds the library has chosen.
class PlainNumbers {
 public:
  PlainNumbers() : plain_{newlocale(LC_ALL_MASK, "C", nullptr)}, before_{uselocale(plain_)} {}
  ~PlainNumbers() {
    uselocale(before_);
    freelocale(plain_);
  }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  locale_t plain_;
  locale_t before_;
};

/// Runs the code of programs on a stack that is large enough; an actor's own is not.
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

/// Runs the processes of a run in actors of SimGrid.
class Executor {
 public:
  Executor(Kernel& kernel, ProgramRunner& programs) : kernel_{kernel}, programs_{programs} {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;
  virtual void wake(std::span<const ProcessId> processes) = 0;

 protected:
  Kernel& kernel_;
  ProgramRunner& programs_;
};

/// Each process is an actor, which runs its coroutine and sleeps at each wait.
class ActorExecutor final : public Executor {
 public:
  ActorExecutor(Kernel& kernel, ProgramRunner& programs, sg4::Host& host)
      : Executor{kernel, programs} {
    actors_.reserve(kernel.process_count());
    for (std::uint32_t rank = 0; rank < kernel.process_count(); ++rank) {
      actors_.push_back(detail::add_actor(host, fmt::format("{}", rank),
                                          [this, rank] { live(ProcessId{rank}); }));
    }
  }

  void wake(std::span<const ProcessId> processes) override {
    kernel_.prefetch_processes(processes);
    constexpr std::size_t actor_bytes = 512;  // approximate size of an actor
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (i + 2 * lookahead < processes.size()) {
        prefetch(&actor(processes[i + 2 * lookahead]), 1);
      }
      if (i + lookahead < processes.size()) {
        prefetch(actor(processes[i + lookahead]).get_impl(), actor_bytes);
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

  std::vector<sg4::ActorPtr> actors_;
};

/// One actor runs the coroutines of all processes: no stacks, and waking is a function call.
class CoroutineExecutor final : public Executor {
 public:
  CoroutineExecutor(Kernel& kernel, ProgramRunner& programs, sg4::Host& host)
      : Executor{kernel, programs} {
    conductor_ = detail::add_actor(host, "conductor", [this] { conduct(); });
  }

  void wake(std::span<const ProcessId> processes) override {
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

  sg4::ActorPtr conductor_;
  std::span<const ProcessId> due_;
};

/// A number unique to this thread in the process; the system reuses the ids of ended threads.
std::uint64_t this_thread_number() {
  static std::atomic<std::uint64_t> threads{0};
  thread_local const std::uint64_t number = ++threads;
  return number;
}

/// SimGrid's engine, one per operating-system process, with settings independent of the command
/// line and environment. It serves one run after the other.
class SimGrid {
 public:
  static SimGrid& the_one() {
    static SimGrid sim_grid;
    return sim_grid;
  }
  SimGrid(const SimGrid&) = delete;
  SimGrid& operator=(const SimGrid&) = delete;

  /// Throws ContractViolation when a run is not possible now or in this thread.
  void expect_free() {
    if (model_->is_running() || flow_driver_->is_running()) {
      throw ContractViolation("simulate() is called during a run; make runs one after the other");
    }
    if (getpid() != std::exchange(process_, getpid()) && actors_share_stack) {
      // A child process has the thread alone that forked, and maybe not the one of the engine.
      thread_ = this_thread_number();
      Context::set_current(context_);
    }
    if (this_thread_number() != thread_) {
      throw ContractViolation(
          "simulate() has run before in another thread, and SimGrid belongs to that; make runs in "
          "one thread, or in processes of their own");
    }
  }

  void run(Kernel& kernel, Execution execution) {
    std::unique_ptr<Executor> executor;
    if (execution == Execution::actors) {
      executor = std::make_unique<ActorExecutor>(kernel, programs_, *host_);
    } else {
      executor = std::make_unique<CoroutineExecutor>(kernel, programs_, *host_);
    }
    const auto wake = [&executor](std::span<const ProcessId> processes) {
      executor->wake(processes);
    };
    if (kernel.fluid_network() == nullptr) {
      const NetworkDriver::Running running{*model_, kernel, wake};
      engine_->run();
    } else {
      // SimGrid asks every model at every step, so this one is added only when needed.
      if (!std::exchange(has_flow_driver_, true)) {
        engine_->add_model(flow_driver_);
      }
      const FlowDriver::Running running{*flow_driver_, kernel, wake};
      engine_->run();
    }
  }

 private:
  SimGrid() : model_{std::make_shared<NetworkDriver>()} {
    std::vector<std::string> words{
        "dcube",
        "--log=root.thresh:critical",
        "--cfg=contexts/nthreads:1",
        "--cfg=contexts/guard-size:0",
        fmt::format("--cfg=contexts/stack-size:{}", actor_stack_kib),
        "--cfg=network/model:CM02",
        "--cfg=network/optim:Full",
        "--cfg=network/TCP-gamma:0",
        "--cfg=network/crosstraffic:0",
        fmt::format("--cfg={}:{}", detail::timing_setting, detail::simgrid_no_time)};
    if (!actors_share_stack) {
      words.emplace_back("--cfg=contexts/factory:thread");
    }
    std::vector<char*> arguments = argument_pointers(words);
    int count = static_cast<int>(words.size());
    const PlainNumbers while_settings_are_read;
    engine_ = std::make_unique<sg4::Engine>(&count, arguments.data());
    sg4::NetZone* const zone = detail::add_empty_zone(*engine_, "machine");
    host_ = detail::add_host(*zone, "all nodes");
    links_ = std::make_unique<SimGridLinks>(*zone);
    zone->seal();
    flow_driver_ = std::make_shared<FlowDriver>(*links_);
    engine_->add_model(model_);
    context_ = Context::self();
  }

  std::uint64_t thread_ = this_thread_number();
  pid_t process_ = getpid();
  Context* context_ = nullptr;  ///< of the engine's thread
  std::shared_ptr<NetworkDriver> model_;
  std::shared_ptr<FlowDriver> flow_driver_;
  bool has_flow_driver_ = false;  ///< the engine has it
  std::unique_ptr<sg4::Engine> engine_;
  std::unique_ptr<SimGridLinks> links_;
  sg4::Host* host_ = nullptr;
  ProgramRunner programs_;
};

}  // namespace

void load_simulator() {}  // it is linked

RunReport simulate(const SimulationInput& input) {
  const auto begin = std::chrono::steady_clock::now();
  Kernel kernel{input};
  SimGrid::the_one().expect_free();
  const Execution execution =
      input.execution == Execution::actors ? Execution::actors : Execution::coroutines;
  SimGrid::the_one().run(kernel, execution);
  kernel.drain();
  if (kernel.failure()) {
    std::rethrow_exception(kernel.failure());
  }
  RunReport report = kernel.report();
  report.execution = execution;
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace dcube
