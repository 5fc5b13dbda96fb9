#include "advice.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/network/routing_names.hpp"

namespace dcube {
namespace {

ExactTime half(const ExactTime& time) {
  return time.denominator() <= std::numeric_limits<std::int64_t>::max() / 2
             ? ExactTime{time.numerator(), 2 * time.denominator()}
             : ExactTime{time.numerator() / 2, time.denominator()};
}
TransferCost half(const TransferCost& cost) {
  return {half(cost.fixed), half(cost.per_byte), cost.never_queues};
}

/// Half of the time, rounded up to whole picoseconds: savings are bounds.
Ticks half_of(Ticks time) { return (time + Ticks{1}) / 2; }

/// Whether a process ends before a collective that it has started: how far that goes depends on
/// when.
bool leaves_collectives(const ExplainedRun& run) {
  for (std::uint32_t process = 0; process < run.map.size(); ++process) {
    const auto is_left = [](const BackgroundCollective& collective) {
      return collective.awaited == BackgroundCollective::not_yet;
    };
    if (std::ranges::any_of(run.record.collectives(ProcessId{process}), is_left)) {
      return true;
    }
  }
  return false;
}

Unbound unbound_of(const ExplainedRun& run, const CriticalPath& path) {
  const Routing routing = run.machine.links.routing.kind;
  // Steps of collectives in the background number a process's messages and computations as they
  // come, and messages draw their routes by number, computations their jitter.
  const bool draws_as_it_comes =
      (is_drawn(routing) || run.report.has_jitter) && run.record.has_collectives();
  if (run.report.heeds_time || path.unbound == Unbound::takes_what_comes_first ||
      draws_as_it_comes || leaves_collectives(run)) {
    return Unbound::takes_what_comes_first;
  }
  if (run.report.ports_depend) {
    return Unbound::ports_depend;
  }
  if (std::ranges::count(path.parts, Follows::core, &PathPart::follows) > 0) {
    return Unbound::waits_for_cores;
  }
  if (!run.machine.links.faults.empty()) {
    return Unbound::links_fail;
  }
  return routing == Routing::minimal_adaptive || routing == Routing::ugal ? Unbound::ways_are_chosen
                                                                          : Unbound::nothing;
}

/// Whether a chain has endpoint time that holds what the messages of several ports take, too: how
/// much of it stays without endpoint costs is not known.
bool has_time_of_ports(const ExplainedRun& run, const CriticalPath& path) {
  return run.machine.endpoint.several_ports.threads &&
         std::ranges::any_of(path.parts, [](const PathPart& part) {
           return part.kind == CauseKind::endpoint && part.peer == part.process;
         });
}

}  // namespace

Machine changed(const Machine& machine, Change change) {
  Machine other = machine;
  LinkModel& links = other.links;
  switch (change) {
    case Change::free_network:
      links.per_dimension.assign(links.per_dimension.size(), {});
      links.overrides.clear();
      links.contention = Contention::off;
      links.faults.clear();
      [[fallthrough]];
    case Change::no_endpoint_costs:
      links.injection = {};
      other.endpoint.send = other.endpoint.receive = other.endpoint.gap = {};
      other.endpoint.larger.clear();
      other.node.local = {};
      break;
    case Change::faster_links:
      for (TransferCost& cost : links.per_dimension) {
        cost = half(cost);
      }
      for (auto& [link, cost] : links.overrides) {
        cost = half(cost);
      }
      break;
    case Change::no_queueing:
      links.contention = Contention::off;
      links.faults.clear();
      break;
    case Change::more_cores:
      other.node.cores.reset();
      break;
    case Change::no_eager_limit:
      other.endpoint.eager_limit_bytes.reset();
      break;
    case Change::faster_computing:
    case Change::shorter_ways:
      break;
  }
  return other;
}

void LeastTimes::add_step(bool computes, Ticks time) {
  add(Change::faster_links, time);
  add(Change::no_queueing, time);
  add(Change::faster_computing, computes ? time - half_of(time) : time);
  add(Change::free_network, computes ? time : Ticks{0});
  add(Change::no_endpoint_costs, computes ? time : Ticks{0});
}

void LeastTimes::add_message(std::uint64_t bytes, std::span<const WayPart> way) {
  using Injection = WayCosts::Injection;
  costs_.set_bytes(bytes);
  faster_costs_.set_bytes(bytes);
  const Ticks lost = sum_of(way, &WayPart::lost);
  const Ticks alone = lost + costs_.alone(way, Injection::passed).end();
  add(Change::no_queueing, alone);
  add(Change::faster_computing, alone);
  add(Change::faster_links, lost + faster_costs_.alone(way, Injection::passed).end());
  add(Change::no_endpoint_costs, lost + costs_.alone(way, Injection::left_out).end());
}

/// The program prescribes the order of the chain's parts, unless something makes it unbound. So a
/// chain with shorter parts is still a chain, and no run is shorter than it. How long its messages
/// queue then is not prescribed.
void advise(const ExplainedRun& run, const LeastTimes& least, CriticalPath& path) {
  path.unbound = unbound_of(run, path);
  const bool is_bound = path.unbound == Unbound::nothing;
  const auto add = [&](Change change) {
    path.advice.push_back({change, {}, path.length - least.after(change), is_bound});
  };
  const auto counts = [&path](Follows follows) {
    return std::ranges::count(path.parts, follows, &PathPart::follows) > 0;
  };
  for (const CauseKind kind : kinds_by_time(path)) {
    switch (kind) {
      case CauseKind::compute:
        if (counts(Follows::core)) {
          path.advice.push_back({Change::more_cores, {}, std::nullopt, false});
        } else {
          add(Change::faster_computing);
          add(Change::free_network);
        }
        break;
      case CauseKind::hop: {
        const GroupTotals& longest = longest_way(path);
        const bool go_by_bytes = longest.total.bytes > longest.total.way();
        if (go_by_bytes || longest.most_hops <= 1) {
          add(Change::faster_links);
        }
        if (longest.most_hops > 1) {
          const Ticks after = least.after(Change::no_queueing) - half_of(longest.total.way());
          path.advice.push_back(
              {Change::shorter_ways, longest.group, path.length - after, is_bound});
        }
        if (!go_by_bytes && longest.most_hops > 1) {
          add(Change::faster_links);
        }
        break;
      }
      case CauseKind::queueing:
        add(Change::no_queueing);
        break;
      case CauseKind::endpoint:
        if (!has_time_of_ports(run, path)) {
          add(Change::no_endpoint_costs);
        }
        break;
      case CauseKind::blocked:
        break;
    }
  }
  if (counts(Follows::receiver)) {
    path.advice.push_back({Change::no_eager_limit, {}, std::nullopt, false});
  }
}

std::vector<CauseKind> kinds_by_time(const CriticalPath& path) {
  auto kinds =
      mapped(numbered(cause_kinds), [](auto kind) { return static_cast<CauseKind>(kind); });
  std::erase_if(kinds, [&](CauseKind kind) { return path.of(kind) <= Ticks{0}; });
  std::ranges::stable_sort(kinds, std::ranges::greater{},
                           [&](CauseKind kind) { return path.of(kind); });
  return kinds;
}

const GroupTotals& longest_way(const CriticalPath& path) {
  return *std::ranges::max_element(path.by_group, {},
                                   [](const GroupTotals& group) { return group.total.way(); });
}

}  // namespace dcube
