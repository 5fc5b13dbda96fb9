#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "dcube/trace/critical_path.hpp"
#include "explained_case.hpp"
#include "plain_causes.hpp"
#include "support/random_cases.hpp"
#include "support/script.hpp"

// Critical paths of random programs, compared with what is known of them otherwise.

namespace dcube::testing {
namespace {

/// The heaviest way through the activities of a run, forwards: computing, endpoint costs, hops and
/// queueing weigh what they took, and what a failure undid; waiting nothing. Knows the recorded
/// events alone.
class LongestPath {
 public:
  LongestPath(const History& history, const std::vector<BlockedProcess>& blocked,
              const PlainCauses& causes)
      : causes_{causes} {
    for (const Hop& hop : history.hops) {
      const MessageName message{hop.source, hop.send_number};
      way_[message] = hop.finish - causes.delivery(message).start;
    }
    for (const Interval& interval : history.intervals) {
      intervals_[interval.process].push_back(interval);
    }
    for (const BlockedProcess& process : blocked) {
      std::vector<Interval>& own = intervals_[process.process];
      while (!own.empty() && own.back().begin >= process.since) {
        own.pop_back();  // waiting for ever, or for a message that never arrives
      }
    }
    for (const auto& [process, own] : intervals_) {
      known_[process].assign(own.size(), Ticks{-1});
    }
  }

  Ticks of_all() {
    Ticks longest{0};
    for (const auto& [process, own] : intervals_) {
      longest = std::max(longest, until(process, own.size()));
    }
    return longest;
  }

 private:
  /// The heaviest way to where the process has done its first `count` intervals.
  Ticks until(ProcessId process, std::size_t count) {
    if (count == 0) {
      return Ticks{0};
    }
    if (known_[process][count - 1] >= Ticks{0}) {
      return known_[process][count - 1];
    }
    const Interval& last = intervals_[process][count - 1];
    Ticks weight = until(process, count - 1);
    if (last.activity == Activity::compute || last.activity == Activity::endpoint) {
      weight += last.end - last.begin;
    } else if (last.activity == Activity::communication && causes_.has_arrived_by_its_end(last)) {
      weight = std::max(weight, until_arrival(*last.message));
    } else {
      weight = std::max(weight, until(causes_.end_of(last)));
    }
    known_[process][count - 1] = weight;
    return weight;
  }
  Ticks until(const PlainCauses::Point& point) {
    return point.arrival ? until_arrival(*point.arrival)
                         : until(point.process, done_by(point.process, point.time));
  }
  Ticks until_arrival(const MessageName& message) {
    const auto way = way_.find(message);
    const Delivery& delivery = causes_.delivery(message);
    return until(causes_.start_of(message)) +
           (way == way_.end() ? delivery.arrival - delivery.start : way->second);
  }

  std::size_t done_by(ProcessId process, Ticks time) {
    const std::vector<Interval>& own = intervals_[process];
    return static_cast<std::size_t>(std::ranges::upper_bound(own, time, {}, &Interval::end) -
                                    own.begin());
  }

  const PlainCauses& causes_;
  std::map<MessageName, Ticks> way_;
  std::map<ProcessId, std::vector<Interval>> intervals_;
  std::map<ProcessId, std::vector<Ticks>> known_;
};

TEST(RandomCasesCriticalPath, PartsOfRandomProgramsFollowEachOtherFromZeroToTheMakespan) {
  const auto [first, number] = random_cases(6000);
  std::uint64_t parts = 0, queued = 0, blocked = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const CriticalPath path = explained.path();
    Ticks time{0};
    for (const PathPart& part : path.parts) {
      ASSERT_EQ(part.begin, time) << scripted.description;
      ASSERT_LT(part.begin, part.end) << scripted.description;
      time = part.end;
      ++parts;
      queued += part.kind == CauseKind::queueing ? 1 : 0;
      blocked += part.kind == CauseKind::blocked ? 1 : 0;
    }
    ASSERT_EQ(time, explained.report.makespan) << scripted.description;
    ASSERT_EQ(path.length, explained.report.makespan) << scripted.description;
    ASSERT_EQ(std::accumulate(path.by_kind.begin(), path.by_kind.end(), Ticks{0}), path.length);
  }
  fmt::print("{} cases: {} parts, {} of them queueing\n", number, parts, queued);
  EXPECT_GT(queued, number / 2);
  EXPECT_GT(blocked, 0U);
}

TEST(RandomCasesCriticalPath, OfRandomProgramsIsTheLongestPathOverTheRecordedEvents) {
  const auto [first, number] = random_cases(6000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const CriticalPath path = explained.path();
    const PlainCauses causes{explained.history, explained.machine.topology->link_slots()};
    const Ticks longest = LongestPath{explained.history, explained.report.blocked, causes}.of_all();
    ASSERT_EQ(path.length - path.of(CauseKind::blocked), longest) << scripted.description;
  }
}

/// Whether a message is at one server at a time, so that its hops tell how long each took.
bool are_at_one_server(const LinkModel& links) {
  return links.switching != Switching::cut_through && !links.packet_bytes;
}

/// A message that cuts through or is in packets is at several servers at once, and its hops do not
/// tell how long each has held it up. Then pieces of one process that follow each other, none of
/// them computing, are made one.
std::vector<PlainCauses::Piece> comparable(const std::vector<PlainCauses::Piece>& pieces,
                                           const LinkModel& links) {
  if (are_at_one_server(links)) {
    return pieces;
  }
  std::vector<PlainCauses::Piece> merged;
  for (PlainCauses::Piece piece : pieces) {
    if (piece.kind != CauseKind::compute) {
      piece.kind = CauseKind::hop;
      piece.server = LinkId{};
      if (!merged.empty() && merged.back().kind == piece.kind &&
          merged.back().process == piece.process) {
        merged.back().end = piece.end;
        continue;
      }
    }
    merged.push_back(piece);
  }
  return merged;
}

TEST(RandomCasesCriticalPath, IsWhatAWalkBackEventByEventFinds) {
  const auto [first, number] = random_cases(6000);
  std::array<std::uint64_t, follows_names.size()> follows{};
  std::uint64_t inside = 0;
  const std::uint64_t& rarest = follows[static_cast<std::size_t>(Follows::order)];
  for (std::uint64_t seed = first;
       seed < first + number || (rarest == 0 && seed < first + 10 * number); ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const CriticalPath path = explained.path();
    std::vector<PlainCauses::Piece> pieces;
    for (const PathPart& part : path.parts) {
      if (part.kind != CauseKind::blocked) {
        pieces.push_back(piece_of(part, explained.machine));
      }
      ++follows.at(static_cast<std::size_t>(part.follows));
      inside +=
          part.is_message && explained.map[part.process.index()] == explained.map[part.peer.index()]
              ? 1
              : 0;
    }
    const PlainCauses causes{explained.history, explained.machine.topology->link_slots()};
    const Ticks last = path.length - path.of(CauseKind::blocked);
    const LinkModel& links = explained.machine.links;
    ASSERT_EQ(comparable(pieces, links),
              comparable(causes.chain({path.last, last, std::nullopt}), links))
        << scripted.description;
  }
  fmt::print("{} cases: {} parts follow own, {} partner, {} receiver, {} core, {} order\n", number,
             follows[0], follows[1], follows[2], follows[3], follows[4]);
  EXPECT_GT(follows[static_cast<std::size_t>(Follows::receiver)], number / 10);
  EXPECT_GT(follows[static_cast<std::size_t>(Follows::core)], number / 100);
  EXPECT_GT(follows[static_cast<std::size_t>(Follows::order)], 0U);
  EXPECT_GT(inside, number / 10);
}

TEST(RandomCasesCriticalPath, HopsAndQueuesAreThoseThatHappened) {
  const auto [first, number] = random_cases(6000);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    if (!are_at_one_server(scripted.machine.links)) {
      continue;
    }
    const ExplainedCase explained{input_of(scripted, nullptr)};
    std::map<std::pair<MessageName, Ticks>, Hop> hops;  // by start
    for (const Hop& hop : explained.history.hops) {
      hops[{{hop.source, hop.send_number}, hop.start}] = hop;
    }
    for (const PathPart& part : explained.path().parts) {
      if ((part.kind != CauseKind::hop && part.kind != CauseKind::queueing) || part.is_lost) {
        continue;
      }
      const bool queues = part.kind == CauseKind::queueing;
      const auto found =
          hops.find({{part.process, part.send_number}, queues ? part.end : part.begin});
      ASSERT_NE(found, hops.end()) << scripted.description;
      const Hop& hop = found->second;
      ASSERT_EQ(hop.link, piece_of(part, scripted.machine).server) << scripted.description;
      ASSERT_EQ(part.end, queues ? hop.start : hop.finish) << scripted.description;
      ASSERT_EQ(part.begin, queues ? hop.arrival : hop.start) << scripted.description;
    }
  }
}

/// When the message arrives that nobody else is in the way of.
Ticks time_alone(const Machine& machine, LinkModel links, const AwaitedMessage& message,
                 NodeId from, NodeId to) {
  links.contention = Contention::off;
  Network network{*machine.topology, links};
  network.send({message.name.source, message.name.send_number, from, to, message.bytes, Ticks{0}});
  network.advance(Ticks::max());
  return network.now();
}

TEST(RandomCasesCriticalPath, OfAMessageCountsAsQueueingAndInjectionWhatItWouldNotTakeWithout) {
  const auto [first, number] = random_cases(3000);
  std::uint64_t messages = 0, queued = 0, injected = 0;
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const LinkModel& links = scripted.machine.links;
    if (!links.faults.empty() || links.routing.kind == Routing::minimal_adaptive ||
        links.routing.kind == Routing::ugal) {
      continue;
    }
    const ExplainedCase explained{input_of(scripted, nullptr)};
    struct Spent {
      Ticks whole{0};
      Ticks queueing{0};
      Ticks injection{0};
      ProcessId to;
    };
    std::map<MessageName, Spent> ways;
    for (const PathPart& part : explained.path().parts) {
      if (part.is_message &&
          explained.map[part.process.index()] != explained.map[part.peer.index()]) {
        Spent& way = ways[{part.process, part.send_number}];
        const Ticks time = part.end - part.begin;
        way.whole += time;
        way.queueing += part.kind == CauseKind::queueing ? time : Ticks{0};
        way.injection += part.kind == CauseKind::endpoint ? time : Ticks{0};
        way.to = part.peer;
        ASSERT_LT(part.bytes, time) << scripted.description;
      }
    }
    std::map<MessageName, Delivery> deliveries;
    for (const Delivery& delivery : explained.history.deliveries) {
      deliveries[{delivery.source, delivery.send_number}] = delivery;
    }
    for (const auto& [name, way] : ways) {
      const AwaitedMessage message{name, deliveries.at(name).bytes, Ticks{0}};
      const NodeId from = explained.map[name.source.index()];
      const NodeId to = explained.map[way.to.index()];
      const Ticks alone = time_alone(scripted.machine, links, message, from, to);
      LinkModel free = links;
      free.injection = {};
      ASSERT_EQ(way.queueing, way.whole - alone) << scripted.description;
      ASSERT_EQ(way.injection, alone - time_alone(scripted.machine, free, message, from, to))
          << scripted.description;
      ++messages;
      queued += way.queueing > Ticks{0} ? 1 : 0;
      injected += way.injection > Ticks{0} ? 1 : 0;
    }
  }
  EXPECT_GT(messages, number / 2);
  EXPECT_GT(queued, number / 10);
  EXPECT_GT(injected, number / 10);
}

TEST(RandomCasesCriticalPath, TotalsAreThoseOfTheParts) {
  const auto [first, number] = random_cases(600);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase explained{input_of(scripted, nullptr)};
    const CriticalPath path = explained.path();
    Ticks link_hops{0}, link_queues{0}, group_hops{0}, group_queues{0}, group_endpoints{0},
        over_hops{0}, lost{0}, lost_parts{0};
    for (const LinkTotals& link : path.by_link) {
      link_hops += link.total.hop_time;
      link_queues += link.total.queueing;
    }
    for (const GroupTotals& group : path.by_group) {
      group_hops += group.total.hop_time;
      lost += group.total.lost;
      group_queues += group.total.queueing;
      group_endpoints += group.endpoint;
      for (const GroupTotals::Over& over : group.over) {
        over_hops += over.total.hop_time;
      }
    }
    for (const PathPart& part : path.parts) {
      lost_parts += part.is_lost ? part.end - part.begin : Ticks{0};
    }
    ASSERT_EQ(lost, lost_parts) << scripted.description;
    ASSERT_EQ(link_hops, path.of(CauseKind::hop) - lost) << scripted.description;
    ASSERT_EQ(group_hops, path.of(CauseKind::hop)) << scripted.description;
    ASSERT_EQ(over_hops, path.of(CauseKind::hop) - lost) << scripted.description;
    ASSERT_EQ(link_queues, path.of(CauseKind::queueing)) << scripted.description;
    ASSERT_EQ(group_queues, path.of(CauseKind::queueing)) << scripted.description;
    ASSERT_EQ(group_endpoints, path.of(CauseKind::endpoint)) << scripted.description;
  }
}

TEST(RandomCasesCriticalPath, IsTheSameWhenOnlyQueuedHopsAreReported) {
  const auto [first, number] = random_cases(600);
  for (std::uint64_t seed = first; seed < first + number; ++seed) {
    const ScriptCase scripted = random_case(seed, Extent::all);
    const ExplainedCase all{input_of(scripted, nullptr)};
    CausalRecord record{static_cast<std::uint32_t>(all.map.size()), all.machine.links};
    run_without_simgrid(input_of(scripted, &record));
    const CriticalPath path =
        find_critical_path({record, all.report, all.machine, all.map, all.guest});
    ASSERT_EQ(path.parts, all.path().parts) << scripted.description;
  }
}

}  // namespace
}  // namespace dcube::testing
