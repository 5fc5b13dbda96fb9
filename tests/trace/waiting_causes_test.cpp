#include "dcube/trace/waiting_causes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "explained_case.hpp"
#include "plain_causes.hpp"
#include "support/cc_runs.hpp"
#include "support/random_cases.hpp"
#include "support/script.hpp"

namespace dcube::testing {
namespace {

std::size_t index(WaitingCause cause) { return static_cast<std::size_t>(cause); }

/// Walks the chain behind every wait event by event, as far as the wait's beginning.
class PlainWalk {
 public:
  PlainWalk(const History& history, const std::vector<BlockedProcess>& blocked,
            std::uint32_t link_slots)
      : history_{history}, blocked_{blocked}, causes_{history, link_slots} {
    splits_.resize(history.ends.size());
  }

  std::vector<WaitingSplit> splits() {
    for (const Interval& interval : history_.intervals) {
      if (interval.activity == Activity::waiting) {
        explain(interval);
      }
    }
    return splits_;
  }
  Ticks queued_at(LinkId server) const {
    const auto found = queued_.find(server);
    return found == queued_.end() ? Ticks{0} : found->second;
  }
  Ticks awaited(ProcessId process) const {
    const auto found = awaited_.find(process);
    return found == awaited_.end() ? Ticks{0} : found->second;
  }

 private:
  bool is_for_ever(const Interval& wait) const {
    return std::ranges::any_of(blocked_, [&](const BlockedProcess& blocked) {
      return blocked.process == wait.process && blocked.since == wait.begin;
    });
  }

  void explain(const Interval& wait) {
    WaitingSplit& split = splits_[wait.process.index()];
    if (is_for_ever(wait)) {
      split[index(WaitingCause::blocked)] += wait.end - wait.begin;
      awaited_[wait.peer] += wait.end - wait.begin;
      return;
    }
    const PlainCauses::Point last = causes_.end_of(wait);
    awaited_[last.process] += wait.end - wait.begin;
    causes_.walk(last, wait.begin, [&](const PlainCauses::Piece& piece) {
      const Ticks time = piece.end - std::max(piece.begin, wait.begin);
      if (time > Ticks{0}) {
        split[index(cause_of(piece, last.process))] += time;
        if (piece.kind == CauseKind::queueing) {
          queued_[piece.server] += time;
        }
      }
    });
  }
  static WaitingCause cause_of(const PlainCauses::Piece& piece, ProcessId awaited) {
    switch (piece.kind) {
      case CauseKind::compute:
        return piece.process == awaited ? WaitingCause::peer_compute : WaitingCause::other_compute;
      case CauseKind::endpoint:
        return WaitingCause::endpoint;
      case CauseKind::hop:
        return WaitingCause::distance;
      default:
        return WaitingCause::queueing;
    }
  }

  const History& history_;
  const std::vector<BlockedProcess>& blocked_;
  PlainCauses causes_;
  std::map<LinkId, Ticks> queued_;
  std::map<ProcessId, Ticks> awaited_;
  std::vector<WaitingSplit> splits_;
};

TEST(RandomCasesWaitingCauses, OfEveryProcessSumToItsWaiting) {
  const auto [first, number] = random_cases(3000);
  std::uint64_t waits = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    std::vector<Ticks> waiting(explained.map.size());
    for (const Interval& interval : explained.history.intervals) {
      if (interval.activity == Activity::waiting) {
        waiting[interval.process.index()] += interval.end - interval.begin;
        ++waits;
      }
    }
    const WaitingCauses causes = explained.waiting();
    for (std::size_t process = 0; process < waiting.size(); ++process) {
      const WaitingSplit& split = causes.by_process[process];
      ASSERT_EQ(std::accumulate(split.begin(), split.end(), Ticks{0}), waiting[process])
          << scripted.description;
      ASSERT_GE(*std::ranges::min_element(split), Ticks{0}) << scripted.description;
      const Lateness& late = causes.lateness_by_process[process];
      ASSERT_EQ(late.compute + late.endpoint + late.distance + late.queueing,
                waiting[process] - split[index(WaitingCause::blocked)])
          << scripted.description;
    }
  }
  EXPECT_GT(waits, number);
}

/// Of a message that cuts through or is in packets, hops do not tell how long a server has held it
/// up. Then all that it spends counts as one.
std::vector<WaitingSplit> comparable(std::vector<WaitingSplit> splits, const LinkModel& links) {
  if (links.switching == Switching::cut_through || links.packet_bytes) {
    for (WaitingSplit& split : splits) {
      for (const WaitingCause cause : {WaitingCause::endpoint, WaitingCause::queueing}) {
        split[index(WaitingCause::distance)] += split[index(cause)];
        split[index(cause)] = Ticks{0};
      }
    }
  }
  return splits;
}

TEST(RandomCasesWaitingCauses, AreWhatAWalkBackEventByEventFinds) {
  const auto [first, number] = random_cases(3000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const WaitingCauses causes = explained.waiting();
    PlainWalk walk{explained.history, explained.report.blocked,
                   explained.machine.topology->link_slots()};
    const LinkModel& links = scripted.machine.links;
    const bool is_comparable = links.switching != Switching::cut_through && !links.packet_bytes;
    ASSERT_EQ(comparable(causes.by_process, links), comparable(walk.splits(), links))
        << scripted.description;
    double queueing = 0;
    for (const WaitingCauses::Queue& queue : causes.by_link) {
      if (is_comparable) {
        ASSERT_EQ(queue.waiting_s, to_seconds(walk.queued_at(queue.link))) << scripted.description;
      }
      queueing += queue.waiting_s;
    }
    ASSERT_NEAR(queueing, causes.of(WaitingCause::queueing), 1e-15 + 1e-9 * queueing);
    double distance = 0;
    for (const WaitingCauses::Group& group : causes.by_group) {
      distance += group.distance_s;
    }
    ASSERT_NEAR(distance, causes.of(WaitingCause::distance), 1e-15 + 1e-9 * distance);
    for (const WaitingCauses::Awaited& awaited : causes.by_awaited) {
      ASSERT_EQ(awaited.waiting_s, to_seconds(walk.awaited(awaited.process)))
          << scripted.description;
    }
  }
}

/// How long a message takes that has the machine to itself.
Ticks time_alone(const ScriptCase& scripted, const Delivery& of) {
  ScriptCase alone = scripted;
  alone.scripts.assign(scripted.scripts.size(), {});
  alone.scripts[of.source.index()] = {
      {.kind = Step::Kind::send, .peer = of.destination, .bytes = of.bytes}};
  alone.scripts[of.destination.index()] = {{.kind = Step::Kind::receive, .peer = of.source}};
  const ExplainedCase run{input_of(alone, nullptr)};
  const Delivery& delivery = run.history.deliveries.front();
  return delivery.arrival - delivery.start;
}

/// Of processes whose waits are longer than the way of each message behind them.
TEST(RandomCasesWaitingCauses,
     OfWaitsForMessagesThatCutThroughAreQueuesForWhatAnEmptyMachineSaves) {
  const auto [first, number] = random_cases(3000);
  std::uint64_t compared = 0;
  for (std::uint64_t seed = first; seed < first + number; seed += 12) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const LinkModel& links = scripted.machine.links;
    if ((links.switching != Switching::cut_through && !links.packet_bytes) ||
        links.routing.kind != Routing::fixed || !links.faults.empty()) {
      continue;
    }
    const ExplainedCase explained{input_of(scripted, nullptr)};
    if (explained.report.outcome != Outcome::completed) {
      continue;
    }
    const PlainCauses plain{explained.history, explained.machine.topology->link_slots()};
    std::map<ProcessId, Ticks> queued;
    std::set<ProcessId> are_cut_short;
    for (const Interval& wait : explained.history.intervals) {
      if (wait.activity != Activity::waiting) {
        continue;
      }
      for (const MessageName& name : plain.messages_behind(plain.end_of(wait), wait.begin)) {
        const Delivery& delivery = plain.delivery(name);
        if (delivery.start < wait.begin) {
          are_cut_short.insert(wait.process);
        } else {
          queued[wait.process] +=
              delivery.arrival - delivery.start - time_alone(scripted, delivery);
        }
      }
    }
    const WaitingCauses causes = explained.waiting();
    for (const auto& [process, time] : queued) {
      if (!are_cut_short.contains(process)) {
        ASSERT_EQ(causes.by_process[process.index()][index(WaitingCause::queueing)], time)
            << "process " << process.index() << ", " << scripted.description;
        compared += time > Ticks{0} ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 0U);
}

TEST(WaitingCauses, OfByWeightOnALineOf8AreThatPartnersComputeLaterSinceTheirMessagesGoFurther) {
  // [X] Fig. 4: 8 s over 6 processes. All compute equally long, the messages differ.
  const WaitingCauses causes = ExplainedCase{CcRun{"kind=line,nodes=8", "by_weight"}}.waiting();
  EXPECT_EQ(causes.sum_s, 8);
  EXPECT_EQ(causes.of(WaitingCause::peer_compute), 8);
  EXPECT_TRUE(causes.by_link.empty());
  EXPECT_EQ(causes.lateness.distance_s, 8);
  EXPECT_EQ(causes.lateness.compute_s, 0);
}

TEST(WaitingCauses, OfStandardAreNone) {
  const WaitingCauses causes = ExplainedCase{CcRun{"kind=line,nodes=8", "standard"}}.waiting();
  EXPECT_EQ(causes.sum_s, 0);
  EXPECT_TRUE(causes.by_awaited.empty());
}

Task<> one_computes_longer(Process& process) {
  const std::uint32_t rank = process.rank().index();
  co_await process.compute(std::chrono::seconds{rank == 0 ? 5 : 1});
  if (rank < 2) {
    co_await process.exchange(ProcessId{1 - rank}, Payload::of_size(0));
  }
  if (rank > 0) {
    co_await process.exchange(ProcessId{3 - rank}, Payload::of_size(0));
  }
}

TEST(WaitingCauses, TellThePeersOwnComputingFromThatFurtherBack) {
  const Machine machine = unit_machine("kind=line,nodes=3");
  const std::vector<NodeId> map{NodeId{0}, NodeId{1}, NodeId{2}};
  const ExplainedCase explained{{.machine = machine, .map = map, .body = one_computes_longer}};
  const WaitingCauses causes = explained.waiting();
  // 1 waits for 0 from 1 s to 5 s; 2 waits for 1 from 1 s to 6 s, because 1 waits for 0.
  EXPECT_EQ(to_seconds(causes.by_process[1][index(WaitingCause::peer_compute)]), 4);
  EXPECT_EQ(to_seconds(causes.by_process[2][index(WaitingCause::other_compute)]), 4);
  EXPECT_EQ(to_seconds(causes.by_process[2][index(WaitingCause::distance)]), 1);
  ASSERT_EQ(causes.by_awaited.size(), 2U);
  EXPECT_EQ(causes.by_awaited[0].process, ProcessId{1});
  EXPECT_EQ(causes.by_awaited[0].waiting_s, 5);
}

Task<> pass_on(Process& process) {
  const std::uint32_t rank = process.rank().index();
  if (rank > 0) {
    co_await process.receive(ProcessId{rank - 1});
  }
  co_await process.compute(std::chrono::seconds{1});
  if (rank + 1 < process.size()) {
    process.send(ProcessId{rank + 1}, Payload::of_size(0));
  }
}

TEST(WaitingCauses, OfAChainThatAllWaitForTakeNoQuadraticTime) {
  // Walking every chain would visit 2 * 10^9 intervals.
  constexpr std::uint32_t processes = 1 << 16;
  const Machine machine = unit_machine("kind=line,nodes=" + std::to_string(processes));
  std::vector<NodeId> map;
  for (std::uint32_t node = 0; node < processes; ++node) {
    map.emplace_back(node);
  }
  CausalRecord record{processes, machine.links};
  const RunReport report = run_without_simgrid({.machine = machine,
                                                .map = map,
                                                .body = pass_on,
                                                .stage_count = 0,
                                                .execution = Execution::automatic,
                                                .observer = &record});
  const Guest guest = Guest::parse("line:" + std::to_string(processes));
  const WaitingCauses causes = explain_waiting({record, report, machine, map, guest});
  // Process p waits 2p-1 s, of which 1 s is its predecessor's computing and p-1 s that of others.
  const double p = processes - 1;
  EXPECT_EQ(causes.of(WaitingCause::peer_compute), p);
  EXPECT_EQ(causes.of(WaitingCause::other_compute), p * (p - 1) / 2);
  EXPECT_EQ(causes.of(WaitingCause::distance), p * (p - 1) / 2);
}

}  // namespace
}  // namespace dcube::testing
