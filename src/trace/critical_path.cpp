#include "dcube/trace/critical_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cause_tree.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Who was the last to do anything, when that was, and for whom it waits for ever after that.
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

/// Appends parts and adds them up.
class PathBuilder {
 public:
  explicit PathBuilder(const ExplainedRun& run) : run_{run} {}

  void add(const Cause& cause);
  void add_blocked(const LastAct& last, Ticks until);
  CriticalPath finish();

 private:
  struct Group {
    GroupTotals totals;
    std::map<LinkPlace, HopTotals> over;
  };

  void add_message(const CauseFacts& facts);
  void count_message(GroupTotals& totals, std::uint64_t hops);
  template <class OnHop>
  void follow(const AwaitedMessage& message, ProcessId destination, OnHop on_hop);
  bool is_injection(LinkId link) const {
    return injection_server_of(*run_.machine.topology, link).has_value();
  }
  Ticks hop_time_on(LinkId link) const;
  void add_part(PathPart part);
  Group& group_of(ProcessId a, ProcessId b);

  const ExplainedRun& run_;
  std::uint64_t bytes_ = 0;           ///< of the message followed last
  std::vector<Ticks> per_dimension_;  ///< what its hops take
  Follows follows_ = Follows::own;    ///< of the next part
  CriticalPath path_;
  std::map<PairGroup, Group> groups_;
  std::map<LinkId, HopTotals> links_;
};

void PathBuilder::add_part(PathPart part) {
  part.follows = std::exchange(follows_, Follows::own);
  path_.by_kind[static_cast<std::size_t>(part.kind)] += part.end - part.begin;
  path_.parts.push_back(part);
}

PathBuilder::Group& PathBuilder::group_of(ProcessId a, ProcessId b) {
  const PairGroup group = pair_group(run_.guest, a, b);
  Group& found = groups_[group];
  found.totals.group = group;
  return found;
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

void PathBuilder::add(const Cause& cause) {
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
  if (computes) {
    ++path_.computations;
  } else {
    group_of(cause.process, step.peer).totals.endpoint += step.end - step.begin;
  }
}

void add_hop(HopTotals& totals, Ticks queueing, Ticks time) {
  ++totals.hops;
  totals.queueing += queueing;
  totals.hop_time += time;
}

Ticks PathBuilder::hop_time_on(LinkId link) const {
  const LinkModel& links = run_.machine.links;
  if (is_injection(link)) {
    return hop_time(*links.injection, bytes_);
  }
  const auto found = links.overrides.find(link);
  return found == links.overrides.end()
             ? per_dimension_[run_.machine.topology->link(link).value().dimension]
             : hop_time(found->second, bytes_);
}

/// Follows a message over its links, and through injection, again: its hops in order, each with
/// when it reached the link, began and ended. The cost of a hop is known; its begin follows from
/// the hop before it and from the record of the hops that queued.
template <class OnHop>
void PathBuilder::follow(const AwaitedMessage& message, ProcessId destination, OnHop on_hop) {
  if (per_dimension_.empty() || bytes_ != message.bytes) {
    bytes_ = message.bytes;
    per_dimension_.clear();
    for (const TransferCost& cost : run_.machine.links.per_dimension) {
      per_dimension_.push_back(hop_time(cost, bytes_));
    }
  }
  const std::span<const QueuedHop> queued = run_.record.queued_hops(message.name);
  auto next_queued = queued.begin();
  Ticks time = message.start;
  NodeId at = run_.map[message.name.source.index()];
  const NodeId to = run_.map[destination.index()];
  const auto cross = [&](LinkId link) {
    const Ticks arrival = time;
    if (next_queued != queued.end() && next_queued->arrival == arrival) {
      time = next_queued->start;
      ++next_queued;
    }
    const Ticks start = time;
    time += hop_time_on(link);
    on_hop(link, arrival, start, time);
  };
  const auto inject = [&](NodeId node, Passage passage) {
    if (run_.machine.links.injection) {
      cross(injection_server(*run_.machine.topology, node, passage));
    }
  };
  inject(at, Passage::out);
  while (at != to) {
    const Run run = run_.machine.topology->next_run(at, to);
    std::uint32_t link = run.first.index();
    for (std::uint32_t i = 0; i < run.hops; ++i, link += static_cast<std::uint32_t>(run.stride)) {
      cross(LinkId{link});
    }
    at = run.end;
  }
  inject(to, Passage::in);
  expects(next_queued == queued.end(), "every queued hop is on its message's way");
}

/// The number under which a link's messages are counted: half duplex, the lower of its two.
LinkId shared_link(const Machine& machine, LinkId link) {
  return machine.links.duplex == Duplex::half ? std::min(link, machine.topology->reverse(link))
                                              : link;
}

void PathBuilder::add_message(const CauseFacts& facts) {
  const AwaitedMessage& message = run_.record.message(facts.message);
  Group& group = group_of(facts.peer, facts.destination);
  if (const Origin origin = run_.record.start_of(facts.message); origin != Origin{facts.peer}) {
    follows_ = origin == Origin{facts.destination} ? Follows::receiver : Follows::order;
  }
  PathPart part;
  part.stage = facts.stage;
  part.process = facts.peer;
  part.peer = facts.destination;
  part.send_number = message.name.send_number;
  part.is_message = true;
  if (run_.map[facts.peer.index()] == run_.map[facts.destination.index()]) {
    part.kind = CauseKind::endpoint;  // inside the node
    part.begin = message.start;
    part.end = facts.end;
    add_part(part);
    group.totals.endpoint += part.end - part.begin;
    count_message(group.totals, 0);
    return;
  }
  std::uint64_t hops = 0;
  follow(message, facts.destination, [&](LinkId link, Ticks arrival, Ticks start, Ticks finish) {
    part.link = link;
    if (start > arrival) {
      part.kind = CauseKind::queueing;
      part.begin = arrival;
      part.end = start;
      add_part(part);
    }
    part.begin = start;
    part.end = finish;
    if (is_injection(link)) {
      part.kind = CauseKind::endpoint;
      add_part(part);
      group.totals.endpoint += finish - start;
      group.totals.total.queueing += start - arrival;
      links_[link].queueing += start - arrival;
      return;
    }
    part.kind = CauseKind::hop;
    add_part(part);
    ++hops;
    add_hop(group.totals.total, start - arrival, finish - start);
    add_hop(group.over[link_place(*run_.machine.topology, link)], start - arrival, finish - start);
    add_hop(links_[shared_link(run_.machine, link)], start - arrival, finish - start);
  });
  expects(part.end == facts.end, "a message followed again arrives when it did");
  count_message(group.totals, hops);
}

void PathBuilder::count_message(GroupTotals& totals, std::uint64_t hops) {
  totals.least_hops = totals.messages == 0 ? hops : std::min(totals.least_hops, hops);
  totals.most_hops = std::max(totals.most_hops, hops);
  ++totals.messages;
  ++path_.messages;
}

void PathBuilder::add_blocked(const LastAct& last, Ticks until) {
  if (last.time < until) {
    add_part({.kind = CauseKind::blocked,
              .begin = last.time,
              .end = until,
              .process = last.process,
              .peer = last.awaits.value_or(last.process),
              .link = {}});
  }
}

Ticks time_of(const HopTotals& totals) { return totals.hop_time + totals.queueing; }
Ticks time_of(const GroupTotals& group) { return time_of(group.total) + group.endpoint; }

CriticalPath PathBuilder::finish() {
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
  return std::move(path_);
}

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
  CriticalPath path = builder.finish();
  path.last = last.process;
  path.length = run.report.makespan;
  return path;
}

}  // namespace dcube
