#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "dcube/network/served_links.hpp"
#include "dcube/topology/platform.hpp"
#include "kernel.hpp"

namespace dcube {

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::deadlock:
      return "deadlock";
    case Outcome::not_verified:
      return "not_verified";
    case Outcome::unreachable:
      return "unreachable";
    case Outcome::crashed:
      return "crashed";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::refused:
      return "refused";
  }
  throw ContractViolation("an outcome is one of those listed");
}

std::string link_name(const Machine& machine, LinkId link) {
  if (const auto server = injection_server_of(*machine.topology, link)) {
    return fmt::format("the way {} node {}", server->passage == Passage::out ? "out of" : "into",
                       server->node.index());
  }
  const bool is_shared = machine.links.duplex == Duplex::half;
  const LinkId named = is_shared ? std::min(link, machine.topology->reverse(link)) : link;
  const Link ends = machine.topology->link(named).value();
  const std::string name =
      fmt::format("{}{}{}", ends.from.index(), is_shared ? "-" : "->", ends.to.index());
  const PlatformCosts* const platform = platform_costs(*machine.topology);
  const bool is_named = platform != nullptr && link.index() / 2 < platform->link_names.size() &&
                        !platform->link_names[link.index() / 2].empty();
  return is_named ? fmt::format("{} ({})", name, platform->link_names[link.index() / 2]) : name;
}

namespace detail {

namespace {

/// Keeps the ten most loaded links in order.
void note_busy_link(std::vector<BusyLink>& busiest, BusyLink candidate) {
  constexpr std::size_t most_listed = 10;
  if (candidate.load == 0 ||
      (busiest.size() == most_listed && busiest.back().load >= candidate.load)) {
    return;
  }
  const auto place =
      std::ranges::upper_bound(busiest, candidate.load, std::ranges::greater{}, &BusyLink::load);
  busiest.insert(place, candidate);
  if (busiest.size() > most_listed) {
    busiest.pop_back();
  }
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

}  // namespace

RunReport Kernel::report() const {
  RunReport report;
  report.cut_off = run_.network.cut_off();
  report.outcome = report.cut_off     ? Outcome::unreachable
                   : blocked_.empty() ? Outcome::completed
                                      : Outcome::deadlock;
  report.blocked = blocked_;
  report.heeds_time = run_.heeds_time;
  report.ports_depend = run_.ports_depend;
  report.has_jitter = run_.input.jitter.part > 0;
  report.takes_all_messages =
      run_.input.transport == Transport::contention_free && run_.messages.are_all_unused();
  report.exchanges = matching_.exchanges();
  report.hops = run_.network.hop_count();
  report.queued_hops = run_.network.queued_hops();
  report.queued_s = run_.network.queued_seconds();
  report.events = report.hops + run_.wakeups;
  report.peak_memory_bytes = peak_memory_bytes();
  run_.ledger.report(report, run_.processes);
  summarise_links(report);
  return report;
}

void Kernel::summarise_links(RunReport& report) const {
  report.link_counters = run_.network.link_counters();
  const LinkCounters& counters = report.link_counters;
  // A message, or packet, that passes a node touches its links twice; one that begins or ends there
  // once.
  std::vector<std::uint64_t> touches(run_.machine.topology->node_count(), 0);
  LoadTally loads;
  Int128 busy_total = 0;
  double busy_max = 0;
  for_each_served_link(run_.machine, [&](LinkId number, const Link& link) {
    const std::uint64_t load = counters.crossings[number.index()];
    const double busy = counters.busy[number.index()];
    loads.add(load);
    touches[link.from.index()] += load;
    touches[link.to.index()] += load;
    busy_total += static_cast<Int128>(busy);
    busy_max = std::max(busy_max, busy);
    note_busy_link(report.busiest_links, {number, load});
  });
  report.link_load = loads.summary();
  if (report.makespan > Ticks{0} && loads.count() > 0) {
    const auto makespan = static_cast<double>(report.makespan.count());
    const auto links = static_cast<double>(loads.count());
    report.utilisation_max = busy_max / makespan;
    report.utilisation_mean = static_cast<double>(busy_total) / (makespan * links);
  }
  const std::span<const std::uint64_t> local_ends = matching_.local_ends();
  for (std::size_t node = 0; node < local_ends.size(); ++node) {
    touches[node] += local_ends[node];
  }
  for (std::uint32_t rank = 0; rank < run_.processes.size(); ++rank) {
    const ProcessState& process = run_.processes[rank];
    // Messages that never left, or left again from the start, are not forwarded by anyone.
    std::uint64_t& touched = touches[run_.input.map[rank].index()];
    touched -= std::min(touched, std::uint64_t{process.send_count} + process.receive_count);
  }
  for (std::size_t node = 0; node < counters.further_ends.size(); ++node) {
    touches[node] -= std::min(touches[node], counters.further_ends[node]);
  }
  LoadTally forwarded;
  for (std::uint64_t& touched : touches) {
    touched /= 2;
    forwarded.add(touched);
  }
  report.node_load = forwarded.summary();
  report.node_loads = std::move(touches);
}

}  // namespace detail
}  // namespace dcube
