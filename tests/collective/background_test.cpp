#include "dcube/collective/background.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "dcube/collective/elements.hpp"
#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"
#include "support/draw.hpp"
#include "support/graph_topology.hpp"
#include "support/kernel_runner.hpp"
#include "support/random_cases.hpp"
#include "support/random_costs.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

using Values = ElementValues<std::uint64_t, std::plus<>>;

Values values_of(std::uint32_t rank, std::uint64_t count) {
  std::vector<std::uint64_t> values(count);
  std::iota(values.begin(), values.end(), std::uint64_t{100} * rank);
  return {std::move(values), {}, {}, sizeof(std::uint64_t)};
}

/// The sum over the members of what values_of() gives each.
std::vector<std::uint64_t> sum_of(const std::vector<std::uint32_t>& members, std::uint64_t count) {
  std::vector<std::uint64_t> sum(count);
  for (const std::uint32_t member : members) {
    for (std::uint64_t i = 0; i < count; ++i) {
      sum[i] += std::uint64_t{100} * member + i;
    }
  }
  return sum;
}

CollectiveCall allreduce_of(std::uint64_t count, std::string_view algorithm,
                            std::uint32_t ports = 1, Tag tag = 0) {
  CollectiveCall call{.kind = CollectiveKind::allreduce, .count = count};
  call.options.algorithm = algorithm;
  call.options.ports = ports;
  call.options.tag = tag;
  call.options.element_bytes = 8;
  return call;
}

TEST(Background, ACollectiveThatIsWaitedForAtOnceTakesAsLongAsOneThatIsNotStartedApart) {
  for (const char* const topology : {"kind=torus,shape=4x2", "kind=ring,nodes=8"}) {
    const Machine machine = uneven_machine(topology);
    for (const CollectiveAlgorithm* const algorithm :
         collective_catalog(CollectiveKind::allreduce)) {
      for (const std::uint32_t ports : {1U, 2U}) {
        const CollectiveCall call = allreduce_of(100, algorithm->name, ports);
        if (ports > ports_for(*algorithm, allreduce_of(100, algorithm->name, 0))) {
          continue;
        }
        const RunReport together = run_without_simgrid(
            machine, 8, [&](Process& process) { return run_collective(process.world(), call); });
        const RunReport apart = run_without_simgrid(machine, 8, [&](Process& process) -> Task<> {
          Background background{process};
          const Background::Started started = co_await background.start(process.world(), call);
          co_await background.wait(started);
          EXPECT_TRUE(background.is_idle());
        });
        EXPECT_EQ(apart.makespan, together.makespan) << algorithm->name << " " << ports;
      }
    }
  }
}

TEST(Background, TwoCollectivesGoOnWhileTheirProcessesComputeAndExchange) {
  for (const CollectiveAlgorithm* const algorithm : collective_catalog(CollectiveKind::allreduce)) {
    const RunReport report = run_without_simgrid(
        uneven_machine("kind=torus,shape=4x2"), 8, [&](Process& process) -> Task<> {
          const std::uint32_t rank = process.rank().index();
          const Group all = process.world();
          const Group row = all.slice(rank / 4 * 4, 4);
          Values of_all = values_of(rank, 50);
          Values of_row = values_of(rank, 30);
          Background background{process};
          co_await process.compute(Ticks{1'000'000 * static_cast<Ticks::rep>(rank % 3)});
          const Background::Started first =
              co_await background.start(all, allreduce_of(50, algorithm->name, 1, 1), &of_all);
          const Background::Started second =
              co_await background.start(row, allreduce_of(30, algorithm->name, 1, 2), &of_row);
          co_await background.compute(Ticks{40'000'000});
          std::vector<Request> requests;
          requests.push_back(process.post_receive(ProcessId{rank ^ 1U}));
          requests.push_back(process.post_send(ProcessId{rank ^ 1U}, Payload::of_size(1000)));
          co_await background.wait_all(std::move(requests));
          co_await background.wait(second);
          co_await background.wait(first);
          const std::uint32_t begin = rank / 4 * 4;
          EXPECT_EQ(of_row.take(), sum_of({begin, begin + 1, begin + 2, begin + 3}, 30));
          EXPECT_EQ(of_all.take(), sum_of({0, 1, 2, 3, 4, 5, 6, 7}, 50));
        });
    EXPECT_EQ(report.outcome, Outcome::completed) << algorithm->name;
  }
}

constexpr Ticks seconds(Ticks::rep number) { return Ticks{number * 1'000'000'000'000}; }

TEST(Background, StepsCostWhatTheMachineSays) {
  // A ring of two: one message of 8 bytes there and back, 1 s each, beside 10 s of computing.
  const auto makespan = [](const ExactTime& send, const ExactTime& receive) {
    Machine machine = unit_machine("kind=ring,nodes=2");
    machine.endpoint.send.fixed = send;
    machine.endpoint.receive.fixed = receive;
    return run_without_simgrid(machine, 2,
                               [](Process& process) -> Task<> {
                                 Background background{process};
                                 const Background::Started started = co_await background.start(
                                     process.world(), allreduce_of(2, "ring"));
                                 co_await background.compute(seconds(10));
                                 co_await background.wait(started);
                               })
        .makespan;
  };
  EXPECT_EQ(makespan({}, {}), seconds(10));
  // Both sends and both receives are the process's own work.
  EXPECT_EQ(makespan(parse_duration("1s"), {}), seconds(12));
  EXPECT_EQ(makespan({}, parse_duration("1s")), seconds(12));
}

TEST(Background, CollectivesRestWhileProcessesShareACore) {
  Machine machine = unit_machine("kind=ring,nodes=2");
  machine.node.slots = 2;
  machine.node.cores = 1;
  const std::vector<NodeId> map{NodeId{0}, NodeId{0}, NodeId{1}, NodeId{1}};
  const RunReport report =
      run_without_simgrid({.machine = machine, .map = map, .body = [](Process& process) -> Task<> {
                             Background background{process};
                             const Background::Started started = co_await background.start(
                                 process.world(), allreduce_of(4, "ring"));
                             co_await background.compute(seconds(10));
                             co_await background.wait(started);
                           }});
  EXPECT_EQ(report.outcome, Outcome::completed);
  // Two computations on each core, one after the other, and then some of the messages.
  EXPECT_GT(report.makespan, seconds(20));
}

TEST(Background, ACollectiveIsWaitedForOnce) {
  EXPECT_NE(complaint<ContractViolation>([] {
              run_without_simgrid(
                  unit_machine("kind=ring,nodes=2"), 2, [](Process& process) -> Task<> {
                    Background background{process};
                    const Background::Started started =
                        co_await background.start(process.world(), allreduce_of(2, "ring"));
                    co_await background.wait(started);
                    co_await background.wait(started);
                  });
            }).find("waited for once"),
            std::string::npos);
}

/// A step of all processes of a random program: computing, and a collective in groups.
struct RandomStep {
  std::vector<Ticks> computing;  ///< [process]
  std::uint32_t group_size;
  RandomCall call;

  CollectiveCall of(const Process& process) const {
    return call.of(process.rank().index() % group_size);
  }
};

struct RandomProgram {
  explicit RandomProgram(std::uint64_t seed) {
    Draw draw{seed};
    const std::uint32_t count = 1 + draw.below(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      RandomStep step{.computing = {}, .group_size = 1U << draw.below(4), .call = {}};
      for (std::uint32_t rank = 0; rank < processes; ++rank) {
        step.computing.emplace_back(static_cast<Ticks::rep>(draw.below(30'000'000)));
      }
      step.call = random_call(draw, step.group_size, 40);
      step.call.call.options.tag = static_cast<Tag>(i + 1);
      steps.push_back(std::move(step));
    }
    is_early = draw.below(2) == 0;
  }
  /// Whether a process may wait for ever for its message to be received.
  bool has_blocking() const {
    return std::ranges::any_of(
        steps, [](const RandomStep& step) { return step.call.call.options.sends_block; });
  }

  static constexpr std::uint32_t processes = 8;
  std::vector<RandomStep> steps;
  bool is_early = false;  ///< waits for each before the next begins

  static Group group_of(const Process& process, const RandomStep& step) {
    const std::uint32_t rank = process.rank().index();
    return process.world().slice(rank / step.group_size * step.group_size, step.group_size);
  }
  Task<> together(Process& process) const {
    for (const RandomStep& step : steps) {
      co_await run_collective(group_of(process, step), step.of(process));
      co_await process.compute(step.computing[process.rank().index()]);
    }
  }
  Task<> apart(Process& process) const {
    Background background{process};
    std::vector<Background::Started> all;
    for (const RandomStep& step : steps) {
      all.push_back(co_await background.start(group_of(process, step), step.of(process)));
      co_await background.compute(step.computing[process.rank().index()]);
      if (is_early) {
        co_await background.wait(all.back());
        all.pop_back();
      }
    }
    for (const Background::Started started : all) {
      co_await background.wait(started);
    }
  }
};

RunReport run_of(const RandomProgram& program, const Machine& machine, bool is_apart,
                 Transport transport = Transport::machine) {
  std::vector<NodeId> map;
  for (std::uint32_t rank = 0; rank < RandomProgram::processes; ++rank) {
    map.emplace_back(rank);
  }
  return run_without_simgrid({.machine = machine,
                              .map = map,
                              .body =
                                  [&](Process& process) {
                                    return is_apart ? program.apart(process)
                                                    : program.together(process);
                                  },
                              .transport = transport});
}

TEST(RandomCasesOfBackground, OverlapCostsNothingAndNoRunIsFasterThanWithoutContention) {
  const auto [first, number] = random_cases(400);
  std::uint64_t gained = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const RandomProgram program{seed};
    Machine machine =
        seed % 2 == 0 ? uneven_machine("kind=torus,shape=4x2") : unit_machine("kind=ring,nodes=8");
    Draw draw{seed};
    machine.endpoint = random_endpoint(draw, Ticks{100}, 40);
    const RunReport apart = run_of(program, machine, true);
    if (apart.outcome != Outcome::completed) {
      ASSERT_TRUE(program.has_blocking()) << seed;
      continue;
    }
    const RunReport bound = run_of(program, machine, true, Transport::contention_free);
    ASSERT_EQ(bound.outcome, Outcome::completed) << seed;
    ASSERT_FALSE(bound.heeds_time) << seed;
    ASSERT_LE(bound.makespan, apart.makespan) << seed;
    machine.links.contention = Contention::off;
    machine.links.injection = {};
    machine.endpoint = {};
    const RunReport overlapped = run_of(program, machine, true);
    const RunReport in_turn = run_of(program, machine, false);
    if (overlapped.outcome != Outcome::completed || in_turn.outcome != Outcome::completed) {
      ASSERT_TRUE(program.has_blocking()) << seed;
      continue;
    }
    ASSERT_LE(overlapped.makespan, in_turn.makespan) << seed;
    gained += overlapped.makespan < in_turn.makespan ? 1 : 0;
  }
  EXPECT_GT(gained, number / 3);
}

/// Each pair of processes has a link of its own, and processes have nothing to do but compute. Only
/// messages of one collective can then queue behind each other. With several under way, their
/// messages to one process take turns on its link, so each of them may end later than alone.
TEST(RandomCasesOfBackground, OneAtATimeIsNeverSlowerWherePairsHaveLinksOfTheirOwn) {
  const auto [first, number] = random_cases(1000);
  std::uint64_t faster = 0, slower_at_several_ports = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    RandomProgram program{seed};
    Machine machine = unit_machine("kind=hypercube,dimensions=3");
    Draw draw{seed};
    machine.endpoint = random_endpoint(draw, Ticks{100}, 40);
    machine.topology = make_complete_graph(RandomProgram::processes);
    machine.links.per_dimension.assign(machine.topology->dimension_count(),
                                       {ExactTime{Ticks{900'000}}, ExactTime{Ticks{5'000}}});
    program.is_early = true;
    // Ports go in step or have cores of their own only where the process waits.
    slower_at_several_ports +=
        run_of(program, machine, true).makespan > run_of(program, machine, false).makespan ? 1 : 0;
    for (RandomStep& step : program.steps) {
      step.call.call.options.ports = 1;
    }
    const RunReport in_turn = run_of(program, machine, false);
    const RunReport overlapped = run_of(program, machine, true);
    if (overlapped.outcome != Outcome::completed) {
      ASSERT_TRUE(program.has_blocking()) << seed;
      continue;
    }
    for (std::size_t process = 0; process < RandomProgram::processes; ++process) {
      ASSERT_LE(overlapped.process_ends[process], in_turn.process_ends[process]) << seed;
    }
    faster += overlapped.makespan < in_turn.makespan ? 1 : 0;
  }
  EXPECT_GT(faster, number / 2);
  EXPECT_GT(slower_at_several_ports, 0U);
}

}  // namespace
}  // namespace dcube::testing
