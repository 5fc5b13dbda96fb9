#include "dcube/trace/overlap.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/collective/background.hpp"
#include "explained_case.hpp"
#include "support/random_cases.hpp"
#include "support/script.hpp"
#include "support/simulated_program.hpp"

namespace dcube::testing {
namespace {

constexpr Ticks seconds(Ticks::rep number) { return Ticks{number * 1'000'000'000'000}; }

std::size_t index(LostTo to) { return static_cast<std::size_t>(to); }

CollectiveCall broadcast_of(std::uint64_t bytes, std::uint32_t root, Tag tag = 0) {
  CollectiveCall call{.kind = CollectiveKind::broadcast, .count = bytes};
  call.root = root;
  call.options.algorithm = "binomial";
  call.options.ports = 1;
  call.options.tag = tag;
  call.options.element_bytes = 1;
  return call;
}

/// A run on a machine whose hops take 1 s each, and what it says about overlap.
struct OverlapCase {
  OverlapCase(const Machine& of, std::uint32_t processes,
              const std::function<Task<>(Process&)>& body)
      : machine{of}, map(processes) {
    for (std::uint32_t rank = 0; rank < processes; ++rank) {
      map[rank] = NodeId{rank};
    }
    const ExplainedCase explained{{.machine = machine, .map = map, .body = body, .stage_count = 4}};
    overlap = explain_overlap(explained.run());
    path = explained.path();
    makespan = explained.report.makespan;
  }
  const BackgroundSpan& span(std::uint32_t process, std::uint32_t collective = 0) const {
    return *std::ranges::find_if(overlap.spans, [&](const BackgroundSpan& one) {
      return one.process == ProcessId{process} && one.collective == collective;
    });
  }

  Machine machine;
  std::vector<NodeId> map;
  Overlap overlap;
  CriticalPath path;
  Ticks makespan{0};
};

using Lost = std::array<Ticks, lost_to_kinds>;

/// Everybody starts a broadcast of process `root`, process `late` after `later`, computes, waits.
OverlapCase broadcast_beside(Ticks computing, std::uint32_t late, Ticks later) {
  return {unit_machine("kind=ring,nodes=2"), 2, [=](Process& process) -> Task<> {
            Background background{process};
            process.enter_stage(0);
            if (process.rank().index() == late) {
              co_await process.compute(later);
            }
            const Background::Started started =
                co_await background.start(process.world(), broadcast_of(8, 1));
            process.enter_stage(1);
            co_await background.compute(computing);
            process.enter_stage(2);
            co_await background.wait(started);
          }};
}

TEST(Overlap, OfACollectiveThatComputingHidesIsAllOfIt) {
  const OverlapCase hidden = broadcast_beside(seconds(10), 1, seconds(0));
  EXPECT_EQ(hidden.makespan, seconds(10));
  const BackgroundSpan& span = hidden.span(0);
  EXPECT_EQ(span.time, seconds(1));
  EXPECT_EQ(span.beside_compute, seconds(1));
  EXPECT_EQ(span.beside_other, seconds(0));
  EXPECT_EQ(span.exposed, seconds(0));
  EXPECT_EQ(span.lost, Lost{});
  ASSERT_EQ(hidden.overlap.collectives.size(), 1U);
  const CollectiveOverlap& all = hidden.overlap.collectives[0];
  EXPECT_EQ(all.operation, "broadcast");
  EXPECT_EQ(all.stage, 0U);
  EXPECT_EQ(all.count, 2U);
  EXPECT_EQ(all.time_s, 1);  // it ends at its root when it has begun
  EXPECT_EQ(all.beside_compute_s, 1);
  EXPECT_TRUE(all.losses.empty());
}

TEST(Overlap, OfACollectiveThatIsWaitedForAtOnceIsNoneOfIt) {
  const OverlapCase exposed = broadcast_beside(seconds(0), 1, seconds(0));
  const BackgroundSpan& span = exposed.span(0);
  EXPECT_EQ(span.time, seconds(1));
  EXPECT_EQ(span.exposed, seconds(1));
  EXPECT_EQ(span.lost, (Lost{seconds(1)}));
  EXPECT_TRUE(exposed.overlap.collectives[0].losses.empty());
  EXPECT_EQ(exposed.overlap.collectives[0].lost_s[index(LostTo::own_time)], 1);
}

TEST(Overlap, LostToAProcessThatStartsLateIsBlamedOnIt) {
  const OverlapCase late = broadcast_beside(seconds(2), 1, seconds(5));
  const BackgroundSpan& span = late.span(0);
  EXPECT_EQ(span.time, seconds(6));
  EXPECT_EQ(span.beside_compute, seconds(2));
  EXPECT_EQ(span.exposed, seconds(4));
  EXPECT_EQ(span.lost, (Lost{seconds(1), seconds(3)}));
  const CollectiveOverlap& all = late.overlap.collectives[0];
  ASSERT_EQ(all.losses.size(), 1U);
  EXPECT_EQ(all.losses[0].to, LostTo::late_start);
  EXPECT_EQ(all.losses[0].process, ProcessId{1});
  EXPECT_EQ(all.losses[0].time_s, 3);
  // Without the lateness it is gone: the second of its own time hides beside computing.
  EXPECT_EQ(broadcast_beside(seconds(2), 1, seconds(0)).span(0).lost, Lost{});
}

/// Process 0 broadcasts 8 bytes to process 1, if `both` after 5 others over the same link, each
/// collective in a stage of its own. A byte takes 1 s.
OverlapCase two_broadcasts(bool both) {
  Machine machine = unit_machine("kind=ring,nodes=2");
  machine.links.per_dimension = {{ExactTime{}, parse_duration("1s")}};
  return {machine, 2, [=](Process& process) -> Task<> {
            Background background{process};
            Background::Started first;
            process.enter_stage(0);
            if (both) {
              first = co_await background.start(process.world(), broadcast_of(5, 0, 0));
            }
            process.enter_stage(1);
            const Background::Started second =
                co_await background.start(process.world(), broadcast_of(8, 0, 1));
            process.enter_stage(2);
            co_await background.compute(seconds(1));
            process.enter_stage(3);
            co_await background.wait(second);
            if (both) {
              co_await background.wait(first);
            }
          }};
}

TEST(Overlap, LostToAnotherCollectiveOnTheSameLinkIsBlamedOnBoth) {
  const OverlapCase shared = two_broadcasts(true);
  const BackgroundSpan& span = shared.span(1, 1);
  EXPECT_EQ(span.time, seconds(13));
  EXPECT_EQ(span.beside_compute, seconds(1));
  EXPECT_EQ(span.exposed, seconds(12));
  EXPECT_EQ(span.lost, (Lost{seconds(8), seconds(0), seconds(4)}));
  ASSERT_EQ(shared.overlap.collectives.size(), 2U);
  const CollectiveOverlap& second = shared.overlap.collectives[1];
  EXPECT_EQ(second.stage, 1U);
  ASSERT_EQ(second.losses.size(), 1U);
  EXPECT_EQ(second.losses[0].to, LostTo::other_messages);
  EXPECT_EQ(second.losses[0].behind, 0U);
  const Link link = shared.machine.topology->link(second.losses[0].link).value();
  EXPECT_EQ(link.from, NodeId{0});
  EXPECT_EQ(link.to, NodeId{1});
  // The first is over before the second, so nobody waits for it.
  EXPECT_EQ(shared.span(1, 0).time, seconds(5));
  EXPECT_EQ(shared.span(1, 0).beside_compute, seconds(1));
  EXPECT_EQ(shared.span(1, 0).beside_other, seconds(4));
  EXPECT_EQ(shared.span(1, 0).exposed, seconds(0));
  // Alone, the second is exposed for what is blamed on nobody, less the second of computing that
  // hid the queue.
  EXPECT_EQ(two_broadcasts(false).span(1).lost, (Lost{seconds(7)}));
}

TEST(Overlap, LostToAProcessThatIsBusyWithAnotherIsBlamedOnIt) {
  Machine machine = unit_machine("kind=ring,nodes=3");
  machine.endpoint.receive.fixed = parse_duration("2s");
  const auto run = [&](bool both) {
    return OverlapCase{
        machine, 3, [both](Process& process) -> Task<> {
          const std::uint32_t rank = process.rank().index();
          Background background{process};
          Background::Started first;
          Background::Started second;
          process.enter_stage(0);
          if (both && rank != 2) {
            first = co_await background.start(process.world().slice(0, 2), broadcast_of(1, 0, 0));
          }
          process.enter_stage(1);
          if (rank != 0) {
            second = co_await background.start(process.world().slice(1, 2), broadcast_of(1, 1, 1));
            co_await background.wait(second);
          }
          if (both && rank != 2) {
            co_await background.wait(first);
          }
        }};
  };
  const OverlapCase busy = run(true);
  const BackgroundSpan& span = busy.span(1, 1);
  EXPECT_EQ(span.exposed, seconds(5));
  EXPECT_EQ(span.lost, (Lost{seconds(3), seconds(0), seconds(0), seconds(0), seconds(2)}));
  EXPECT_EQ(busy.overlap.collectives[1].losses[0].process, ProcessId{1});
  EXPECT_EQ(run(false).span(1).lost, (Lost{seconds(3)}));
  // The cost of receiving belongs to the stage of the start, whatever the process does meanwhile.
  for (const PathPart& part : busy.path.parts) {
    if (part.kind == CauseKind::endpoint) {
      EXPECT_EQ(part.stage, part.begin < seconds(3) ? 0U : 1U);
    }
  }
}

TEST(Overlap, OnTheCriticalPathGoesByItsMessagesAndNotByWhatHidesThem) {
  // Process 1 passes the broadcast on while it computes; process 2 waits for it.
  const OverlapCase passed{unit_machine("kind=line,nodes=3"), 3, [](Process& process) -> Task<> {
                             Background background{process};
                             CollectiveCall call = broadcast_of(1, 0);
                             call.options.algorithm = "pipelined";
                             process.enter_stage(0);
                             const Background::Started started =
                                 co_await background.start(process.world(), call);
                             process.enter_stage(1);
                             if (process.rank().index() == 1) {
                               co_await background.compute(Ticks{1'500'000'000'000});
                             }
                             co_await background.wait(started);
                           }};
  EXPECT_EQ(passed.makespan, seconds(2));
  EXPECT_EQ(passed.path.of(CauseKind::hop), seconds(2));
  for (const PathPart& part : passed.path.parts) {
    EXPECT_EQ(part.stage, 0U);
  }
}

/// Everything told of collectives in the background, and of processes.
class Told final : public Observer {
 public:
  void on_interval(const Interval& interval) override { intervals.push_back(interval); }
  void on_background(const BackgroundCollective& collective) override {
    if (collective.end != BackgroundCollective::not_yet) {
      collectives.push_back(collective);
    }
  }
  void on_background_steps(const BackgroundSteps& told) override { steps.push_back(told); }

  std::vector<Interval> intervals;
  std::vector<BackgroundCollective> collectives;
  std::vector<BackgroundSteps> steps;
};

/// How long the process computes between two instants, but not for a collective.
Ticks plain_computing(const Told& told, ProcessId process, Ticks from, Ticks to) {
  Ticks sum{0};
  for (const Interval& interval : told.intervals) {
    if (interval.process != process || interval.activity != Activity::compute) {
      continue;
    }
    const bool is_of_collective =
        std::ranges::any_of(told.steps, [&](const BackgroundSteps& steps) {
          return steps.process == process && steps.begin <= interval.begin &&
                 interval.end <= steps.end;
        });
    if (!is_of_collective) {
      sum += std::max(Ticks{0}, std::min(to, interval.end) - std::max(from, interval.begin));
    }
  }
  return sum;
}

TEST(RandomCasesOverlap, AddsUpOnEachProcess) {
  std::array<std::uint64_t, lost_to_kinds> lost{};
  const auto [first, number] = random_cases(1000);
  std::uint64_t spans = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_overlap(seed);
    CausalRecord record{static_cast<std::uint32_t>(scripted.map.size()), scripted.machine.links};
    Told told;
    ObserverList observers;
    observers.add(record);
    observers.add(told);
    const RunReport report = run_without_simgrid(input_of(scripted, &observers));
    const Guest guest = some_guest(scripted.map.size());
    const Overlap overlap =
        explain_overlap({record, report, scripted.machine, scripted.map, guest});
    ASSERT_EQ(overlap.spans.size(), told.collectives.size()) << scripted.description;
    std::set<std::tuple<ProcessId, std::uint32_t, std::uint32_t>> ports;
    for (const BackgroundSteps& steps : told.steps) {
      const bool is_first = ports.emplace(steps.process, steps.collective, steps.port).second;
      ASSERT_EQ(is_first, !steps.message) << "each port starts once: " << scripted.description;
    }
    for (const BackgroundSpan& span : overlap.spans) {
      const BackgroundCollective& of = record.collectives(span.process)[span.collective];
      ASSERT_EQ(span.time, of.end - of.begin) << scripted.description;
      ASSERT_EQ(span.time, span.beside_compute + span.beside_other + span.exposed);
      ASSERT_EQ(span.exposed, std::max(Ticks{0}, of.end - std::max(of.begin, of.awaited)));
      ASSERT_GE(span.beside_other, Ticks{0}) << scripted.description;
      ASSERT_EQ(span.beside_compute,
                plain_computing(told, span.process, of.begin, of.end - span.exposed))
          << scripted.description;
      ASSERT_EQ(std::accumulate(span.lost.begin(), span.lost.end(), Ticks{0}), span.exposed)
          << scripted.description;
      ++spans;
      for (std::size_t to = 0; to < lost_to_kinds; ++to) {
        ASSERT_GE(span.lost[to], Ticks{0});
        lost[to] += span.lost[to] > Ticks{0} ? 1 : 0;
      }
    }
    double exposed_s = 0;
    for (const CollectiveOverlap& collective : overlap.collectives) {
      const double parts_s =
          collective.beside_compute_s + collective.beside_other_s + collective.exposed_s;
      EXPECT_NEAR(collective.time_s, parts_s, 1e-18);
      double blamed_s = collective.lost_s[index(LostTo::own_time)];
      for (const CollectiveOverlap::Loss& loss : collective.losses) {
        blamed_s += loss.time_s;
      }
      EXPECT_NEAR(blamed_s, collective.exposed_s, 1e-18);
      exposed_s += collective.exposed_s;
    }
    Ticks exposed{0};
    for (const BackgroundSpan& span : overlap.spans) {
      exposed += span.exposed;
    }
    EXPECT_NEAR(exposed_s, to_seconds(exposed), 1e-18);
    ASSERT_FALSE(::testing::Test::HasFailure()) << scripted.description;
  }
  fmt::print("{} collectives of processes\n", spans);
  for (std::size_t to = 0; to < lost_to_kinds; ++to) {
    fmt::print("{}: {} times\n", lost_to_names[to], lost[to]);
    EXPECT_GT(lost[to], spans / 200) << lost_to_names[to];
  }
}

TEST(Overlap, TimeThatAMessageLosesToAFailureIsTheCollectivesOwn) {
  const ScriptCase scripted = random_overlap(1287);
  const ExplainedCase explained{input_of(scripted, nullptr)};
  for (const BackgroundSpan& span : explain_overlap(explained.run()).spans) {
    EXPECT_EQ(std::accumulate(span.lost.begin(), span.lost.end(), Ticks{0}), span.exposed);
  }
}

/// What is lost to each, over the whole run.
Lost lost_in(const ScriptCase& scripted) {
  const ExplainedCase explained{input_of(scripted, nullptr)};
  Lost sum{};
  for (const BackgroundSpan& span : explain_overlap(explained.run()).spans) {
    for (std::size_t to = 0; to < lost_to_kinds; ++to) {
      sum[to] += span.lost[to];
    }
  }
  return sum;
}

TEST(RandomCasesOverlap, LosesNothingToWhatIsNotThere) {
  const auto [first, number] = random_cases(300);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    ScriptCase scripted = random_overlap(seed);
    scripted.machine.links.faults.clear();
    scripted.machine.links.contention = Contention::off;
    const Lost without_queues = lost_in(scripted);
    ASSERT_EQ(without_queues[index(LostTo::other_messages)], Ticks{0}) << scripted.description;
    ASSERT_EQ(without_queues[index(LostTo::own_messages)], Ticks{0}) << scripted.description;

    scripted.machine.endpoint = {};
    scripted.machine.node.cores.reset();
    for (std::vector<Step>& script : scripted.scripts) {
      for (Step& step : script) {
        step.duration = step.kind == Step::Kind::compute ? Ticks{0} : step.duration;
      }
    }
    for_each_combining(scripted, [](ExactTime& time) { time = ExactTime{}; });
    const Lost in_step = lost_in(scripted);
    ASSERT_EQ(in_step[index(LostTo::busy_process)], Ticks{0}) << scripted.description;
  }
}

}  // namespace
}  // namespace dcube::testing
