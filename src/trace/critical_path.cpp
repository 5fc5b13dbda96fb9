#include "dcube/trace/critical_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "advice.hpp"
#include "cause_tree.hpp"
#include "message_way.hpp"

namespace dcube {
namespace {

/// Last act of the run: its process, its end, and the process that it waits for ever after, if any.
struct LastAct {
  ProcessId process;
  Ticks time{0};
  std::optional<ProcessId> awaits;
};

LastAct last_act(const RunReport& report) {
  std::vector<Ticks> ends = report.process_ends;
  for (const BlockedProcess& blocked : report.blocked) {
    ends[blocked.process.index()] = blocked.since;
  }
  LastAct last;
  for (std::uint32_t process = 0; process < ends.size(); ++process) {
    if (ends[process] > last.time) {
      last = {ProcessId{process}, ends[process], std::nullopt};
    }
  }
  for (const BlockedProcess& blocked : report.blocked) {
    if (blocked.process == last.process && blocked.awaits != anyone) {
      last.awaits = blocked.awaits;
    }
  }
  return last;
}

Follows follows_of(Awaits awaits) {
  switch (awaits) {
    case Awaits::partner:
      return Follows::partner;
    case Awaits::receiver:
      return Follows::receiver;
    case Awaits::core:
      return Follows::core;
    case Awaits::message:
      return Follows::order;
    default:
      return Follows::own;
  }
}

void add_hop(HopTotals& totals, const WayPart& hop) {
  ++totals.hops;
  totals.queueing += hop.start - hop.arrival;
  totals.hop_time += hop.finish - hop.start;
  totals.bytes += hop.bytes;
}

Ticks time_of(const HopTotals& totals) { return totals.hop_time + totals.queueing; }
Ticks time_of(const GroupTotals& group) { return time_of(group.total) + group.endpoint; }

/// Appends parts and adds them up.
class PathBuilder {
 public:
  explicit PathBuilder(const ExplainedRun& run) : run_{run}, ways_{run}, least_{run.machine} {}

  void add(const Cause& cause) {
    const CauseFacts facts = facts_of(run_.record, cause);
    if (facts.activity == Activity::waiting) {
      follows_ = follows_of(facts.awaits);
      return;
    }
    if (facts.activity == Activity::communication) {
      add_message(facts);
      return;
    }
    const CausalRecord::Step step = run_.record.step(cause.process, cause.step);
    const bool computes = step.activity == Activity::compute;
    add_part({.kind = computes ? CauseKind::compute : CauseKind::endpoint,
              .begin = step.begin,
              .end = step.end,
              .process = cause.process,
              .peer = step.peer,
              .stage = step.stage,
              .link = {}});
    least_.add_step(computes, step.end - step.begin);
    if (const auto steps = run_.record.background_at(cause.process, step.end)) {
      if (const NotedSteps& noted = run_.record.background(cause.process)[*steps];
          noted.steps.message) {
        note_background(noted);
      }
    }
    if (computes) {
      ++path_.computations;
    } else {
      group_of(cause.process, step.peer).totals.endpoint += step.end - step.begin;
    }
  }

  void add_blocked(const LastAct& last, Ticks until) {
    if (last.time < until) {
      add_part({.kind = CauseKind::blocked,
                .begin = last.time,
                .end = until,
                .process = last.process,
                .peer = last.awaits.value_or(last.process),
                .link = {}});
    }
  }

  CriticalPath finish(ProcessId last) {
    path_.last = last;
    path_.length = run_.report.makespan;
    for (auto& [key, group] : groups_) {
      for (const auto& [place, total] : group.over) {
        group.totals.over.push_back({place, total});
      }
      std::ranges::stable_sort(group.totals.over, std::ranges::greater{},
                               [](const GroupTotals::Over& over) { return time_of(over.total); });
      path_.by_group.push_back(std::move(group.totals));
    }
    std::ranges::stable_sort(path_.by_group, std::ranges::greater{},
                             [](const GroupTotals& group) { return time_of(group); });
    for (const auto& [link, total] : links_) {
      path_.by_link.push_back({link, total});
    }
    std::ranges::stable_sort(path_.by_link, std::ranges::greater{},
                             [](const LinkTotals& link) { return time_of(link.total); });
    if (run_.report.outcome == Outcome::completed) {
      advise(run_, least_, path_);
    }
    return std::move(path_);
  }

 private:
  struct Group {
    GroupTotals totals;
    std::map<LinkPlace, HopTotals> over;
  };

  void add_message(const CauseFacts& facts) {
    const AwaitedMessage& message = run_.record.message(facts.message);
    Group& group = group_of(facts.peer, facts.destination);
    const Origin origin = run_.record.start_of(facts.message);
    const bool is_arrival = origin.arrival != Origin::none;
    if (is_arrival || origin.process != facts.peer) {
      follows_ =
          !is_arrival && origin.process == facts.destination ? Follows::receiver : Follows::order;
    }
    PathPart part;
    part.stage = facts.stage;
    if (origin.steps != Origin::none) {
      note_sending(origin, message.start);
    }
    if (const auto receiving = run_.record.background_receiving(message.name)) {
      const NotedSteps& steps = run_.record.background(receiving->first)[receiving->second];
      part.stage = run_.record.collectives(receiving->first)[steps.steps.collective].stage;
      note_background(steps);
    }
    part.process = facts.peer;
    part.peer = facts.destination;
    part.send_number = message.name.send_number;
    part.is_message = true;
    const auto add = [&](CauseKind kind, Ticks begin, Ticks end, Ticks bytes = Ticks{0}) {
      part.kind = kind;
      part.begin = begin;
      part.end = end;
      part.bytes = bytes;
      add_part(part);
    };
    if (run_.map[facts.peer.index()] == run_.map[facts.destination.index()]) {
      add(CauseKind::endpoint, message.start, facts.end);  // inside the node
      group.totals.endpoint += facts.end - message.start;
      least_.add_step(false, facts.end - message.start);
      count_message(group.totals, 0);
      return;
    }
    std::uint64_t hops = 0;
    const std::vector<WayPart>& way = ways_.of(message, facts.destination, facts.end);
    least_.add_message(message.bytes, way);
    for (const WayPart& at : way) {
      if (at.lost > Ticks{0}) {
        part.link = {};
        part.is_lost = true;
        add(CauseKind::hop, at.arrival - at.lost, at.arrival);
        part.is_lost = false;
        group.totals.total.hop_time += at.lost;
        group.totals.total.lost += at.lost;
      }
      const Ticks queueing = at.start - at.arrival;
      part.link = at.link;
      if (queueing > Ticks{0}) {
        add(CauseKind::queueing, at.arrival, at.start);
      }
      if (at.is_injection) {
        add(CauseKind::endpoint, at.start, at.finish);
        group.totals.endpoint += at.finish - at.start;
        group.totals.total.queueing += queueing;
        links_[at.shared_link(run_.machine)].queueing += queueing;
        continue;
      }
      add(CauseKind::hop, at.start, at.finish, at.bytes);
      ++hops;
      add_hop(group.totals.total, at);
      add_hop(group.over[link_place(*run_.machine.topology, at.link)], at);
      add_hop(links_[at.shared_link(run_.machine)], at);
    }
    count_message(group.totals, hops);
  }

  /// Other runs may interrupt a process elsewhere by steps that cost it time or wait for it.
  void note_background(const NotedSteps& noted) {
    const BackgroundSteps& steps = noted.steps;
    const Ticks ready = run_.record.background(steps.process)[noted.before].steps.end;
    const Ticks arrival = run_.record.deliveries()[noted.delivery].arrival;
    if (steps.begin < steps.end || steps.begin != std::max(ready, arrival)) {
      path_.unbound = Unbound::takes_what_comes_first;
    }
  }

  /// The steps that let a message leave at `time`, back to those that began earlier or did not have
  /// to wait for their port.
  void note_sending(const Origin& origin, Ticks time) {
    const std::span<const NotedSteps> all = run_.record.background(origin.process);
    for (std::uint32_t number = origin.steps; number != Origin::none; number = all[number].before) {
      const NotedSteps& noted = all[number];
      if (!noted.steps.message || noted.steps.end < time) {
        return;
      }
      note_background(noted);
      if (noted.steps.begin < time || noted.arrival != Origin::none) {
        return;
      }
    }
  }

  void count_message(GroupTotals& totals, std::uint64_t hops) {
    totals.least_hops = totals.messages == 0 ? hops : std::min(totals.least_hops, hops);
    totals.most_hops = std::max(totals.most_hops, hops);
    ++totals.messages;
    ++path_.messages;
  }

  void add_part(PathPart part) {
    part.follows = std::exchange(follows_, Follows::own);
    path_.by_kind[static_cast<std::size_t>(part.kind)] += part.end - part.begin;
    path_.parts.push_back(part);
  }

  Group& group_of(ProcessId a, ProcessId b) {
    const PairGroup group = pair_group(run_.guest, a, b);
    Group& found = groups_[group];
    found.totals.group = group;
    return found;
  }

  const ExplainedRun& run_;
  MessageWays ways_;
  LeastTimes least_;
  Follows follows_ = Follows::own;  ///< of the next part
  CriticalPath path_;
  std::map<PairGroup, Group> groups_;
  std::map<LinkId, HopTotals> links_;
};

}  // namespace

CriticalPath find_critical_path(const ExplainedRun& run) {
  const LastAct last = last_act(run.report);
  std::vector<Cause> chain;
  for (std::optional<Cause> cause = cause_at(run.record, last.process, last.time); cause;
       cause = cause_before(run.record, *cause)) {
    chain.push_back(*cause);
  }
  PathBuilder builder{run};
  for (auto cause = chain.rbegin(); cause != chain.rend(); ++cause) {
    builder.add(*cause);
  }
  builder.add_blocked(last, run.report.makespan);
  return builder.finish(last.process);
}

}  // namespace dcube
