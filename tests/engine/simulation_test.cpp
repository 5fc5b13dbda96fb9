#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>

#include "core/address_sanitizer.hpp"
#include "dcube/core/errors.hpp"
#include "support/cc_runs.hpp"
#include "support/complaint.hpp"
#include "support/kernel_runner.hpp"

namespace dcube::testing {
namespace {

/// simulate() in a child process; false when the child crashed or `check`, called there with the
/// report, says no.
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

class Executors : public ::testing::TestWithParam<Execution> {
 protected:
  static SimulationInput input(const CcRun& run) {
    SimulationInput input = run.input();
    input.execution = GetParam();
    return input;
  }
};

TEST_P(Executors, GiveTheKernelsFingerprint) {
  for (const char* embedding : {"xor", "by_weight", "random,seed=2"}) {
    const CcRun run{"kind=torus,shape=8x8", embedding};
    const std::uint64_t fingerprint = run.run().fingerprint;
    EXPECT_TRUE(check_in_child(input(run), [&](const RunReport& report) {
      return report.execution == GetParam() && report.fingerprint == fingerprint &&
             report.outcome == Outcome::completed;
    })) << embedding;
  }
}

TEST_P(Executors, StayExactWhereADoubleDoesNot) {
  // Computations of 10^5 s and hops of 1 ps: 10^17 ticks, far past 2^53.
  const CcRun run{"kind=ring,nodes=8", "xor", "compute=100000s"};
  run.machine->links.per_dimension[0] = {ExactTime{Ticks{1}}, ExactTime{}};
  EXPECT_TRUE(check_in_child(input(run), [](const RunReport& report) {
    return report.makespan == Ticks{std::int64_t{300'000} * 1'000'000'000'000 + 5};
  }));
}

/// Goes down to a frame below `limit`, and back.
// NOLINTNEXTLINE(misc-no-recursion): each call takes some stack.
std::uint32_t frames_down_to(std::uintptr_t limit) {
  const volatile std::uint32_t one = 1;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here < limit ? 0 : one + frames_down_to(limit);
}

Task<> compute_deep_down(Process& process) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  co_await process.exchange(ProcessId{1 - process.rank().index()}, Payload{});
  co_await process.compute(Ticks{frames_down_to(here - (std::uintptr_t{1} << 17)) > 0 ? 1 : 0});
}

TEST_P(Executors, GiveProgramsAStackForDeepCalls) {
  const CcRun run{"kind=ring,nodes=2", "standard"};
  SimulationInput deep = input(run);
  deep.body = compute_deep_down;
  EXPECT_TRUE(check_in_child(deep, [](const RunReport& report) {
    return report.makespan == std::chrono::seconds{1} + Ticks{1};
  }));
}

Task<> wait_for_ever(Process& process) {
  co_await process.receive(ProcessId{1 - process.rank().index()});
}

Task<> wait_for_ever_in_pairs(Process& process) {
  co_await process.receive(ProcessId{process.rank().index() ^ 1U});
}

TEST_P(Executors, ReportADeadlock) {
  const CcRun run{"kind=ring,nodes=2", "standard"};
  SimulationInput deadlocked = input(run);
  deadlocked.body = wait_for_ever;
  EXPECT_TRUE(check_in_child(deadlocked, [](const RunReport& report) {
    return report.outcome == Outcome::deadlock && report.blocked.size() == 2;
  }));
}

Task<> fail(Process& process) {
  if (process.rank().index() == 1) {
    throw InputError("", "bad data");
  }
  co_await process.receive(ProcessId{1});
}

TEST_P(Executors, LetAnExceptionOfAProcessOut) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  SimulationInput failing = input(run);
  failing.body = fail;
  EXPECT_EXIT(
      {
        try {
          simulate(failing);
        } catch (const InputError&) {
          _exit(42);
        }
      },
      ::testing::ExitedWithCode(42), "");
}

/// Throws at the first record of one kind.
class Thrower final : public Observer {
 public:
  enum class At { interval, hop, delivery, stage_end };
  explicit Thrower(At at) : at_{at} {}

  void on_interval(const Interval&) override { throw_at(At::interval); }
  void on_hop(const Hop&) override { throw_at(At::hop); }
  void on_delivery(const Delivery&) override { throw_at(At::delivery); }
  void on_stage_end(ProcessId, std::uint32_t, Ticks) override { throw_at(At::stage_end); }

 private:
  void throw_at(At at) const {
    if (at == at_) {
      throw InputError("", "no room for the trace");
    }
  }

  At at_;
};

/// In a child process: 42 when the run throws an InputError, 0 when it ends.
int exit_status(const SimulationInput& input) {
  try {
    simulate(input);
  } catch (const InputError&) {
    return 42;
  }
  return 0;
}

TEST_P(Executors, LetAnExceptionOfAnObserverOut) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  for (const Thrower::At at :
       {Thrower::At::interval, Thrower::At::hop, Thrower::At::delivery, Thrower::At::stage_end}) {
    Thrower thrower{at};
    SimulationInput failing = input(run);
    failing.observer = &thrower;
    EXPECT_EXIT(_exit(exit_status(failing)), ::testing::ExitedWithCode(42), "");
  }
}

TEST_P(Executors, LetAnExceptionBeforeTheProgramOut) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  SimulationInput failing = input(run);
  failing.body = [](Process&) -> Task<> { throw InputError("", "no memory for a frame"); };
  EXPECT_EXIT(_exit(exit_status(failing)), ::testing::ExitedWithCode(42), "");
}

TEST_P(Executors, RunOneAfterTheOtherWithTheSameResults) {
  const CcRun first{"kind=torus,shape=4x4", "xor"};
  const CcRun second{"kind=ring,nodes=8", "by_weight"};
  const std::uint64_t fingerprints[] = {first.run().fingerprint, second.run().fingerprint};
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(simulate(input(first)).fingerprint, fingerprints[0]);
    EXPECT_EQ(simulate(input(second)).fingerprint, fingerprints[1]);
  }
}

TEST_P(Executors, RunAfterRunsThatFailed) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  SimulationInput failing = input(run);
  failing.body = fail;
  SimulationInput deadlocked = input(run);
  deadlocked.body = wait_for_ever_in_pairs;
  Thrower thrower{Thrower::At::delivery};
  SimulationInput unobservable = input(run);
  unobservable.observer = &thrower;
  for (int round = 0; round < 3; ++round) {
    EXPECT_THROW(simulate(failing), InputError);
    EXPECT_EQ(simulate(deadlocked).outcome, Outcome::deadlock);
    EXPECT_THROW(simulate(unobservable), InputError);
    EXPECT_EQ(simulate(input(run)).fingerprint, run.run().fingerprint);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Executors,
                         ::testing::Values(Execution::actors, Execution::coroutines),
                         [](const auto& test) {
                           return test.param == Execution::actors ? "actors" : "coroutines";
                         });

#ifndef DCUBE_ADDRESS_SANITIZER  // which keeps what is freed
TEST(Simulation, ManyRunsTakeNoMoreMemoryThanOne) {
  const CcRun run{"kind=torus,shape=8x8", "xor"};
  const auto memory_after = [&run](int runs) {
    for (int i = 0; i < runs; ++i) {
      simulate(run.input());
    }
    return simulate(run.input()).peak_memory_bytes;
  };
  const std::uint64_t before = memory_after(200);
  EXPECT_LE(memory_after(3'000), before + (std::uint64_t{1} << 20));
}
#endif

Task<> simulate_inside(Process& process) {
  const CcRun inner{"kind=ring,nodes=2", "standard"};
  simulate(inner.input());
  co_await process.compute(Ticks{1});
}

TEST(Simulation, HasNoOtherInside) {
  const CcRun run{"kind=ring,nodes=2", "standard"};
  SimulationInput nested = run.input();
  nested.body = simulate_inside;
  EXPECT_EQ(complaint<ContractViolation>([&] { simulate(nested); }),
            "process 0: simulate() is called during a run; make runs one after the other");
}

TEST(Simulation, StaysInOneThread) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  simulate(run.input());
  std::string told;
  std::thread{[&] { told = complaint<ContractViolation>([&] { simulate(run.input()); }); }}.join();
  EXPECT_EQ(
      told,
      "simulate() has run before in another thread, and SimGrid belongs to that; make runs in "
      "one thread, or in processes of their own");
}

int first_simulation_in_a_thread_that_ends() {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  std::thread::id first;
  std::thread{[&] {
    first = std::this_thread::get_id();
    simulate(run.input());
  }}.join();
  for (int tries = 0; tries < 1000; ++tries) {
    bool is_again = false;
    std::string told;
    std::thread{[&] {
      is_again = std::this_thread::get_id() == first;
      told = complaint<ContractViolation>([&] { simulate(run.input()); });
    }}.join();
    if (!told.starts_with("simulate() has run before in another thread")) {
      return 1;
    }
    if (is_again) {
      return 0;
    }
  }
  return 2;
}

TEST(SimulationDeathTest, KnowsThreadsApartThatHaveHadTheSameId) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(first_simulation_in_a_thread_that_ends()), ::testing::ExitedWithCode(0),
              "");
}

TEST(Simulation, ARefusedCallChangesNothing) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  SimulationInput refused = run.input();
  const std::vector<NodeId> two_on_one_node(4, NodeId{0});
  refused.map = two_on_one_node;
  EXPECT_THROW(simulate(refused), ContractViolation);
  EXPECT_EQ(simulate(run.input()).outcome, Outcome::completed);
}

TEST(Simulation, NamesLinksByTheirEnds) {
  const CcRun run{"kind=ring,nodes=4", "standard"};
  EXPECT_EQ(link_name(*run.machine, LinkId{3}), "3->0");
  run.machine->links.duplex = Duplex::half;
  EXPECT_EQ(link_name(*run.machine, LinkId{3}), "3-0");
  EXPECT_EQ(link_name(*run.machine, run.machine->topology->reverse(LinkId{3})), "3-0");
}

}  // namespace
}  // namespace dcube::testing
