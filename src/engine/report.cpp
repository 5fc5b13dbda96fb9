#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <numeric>

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
  const Link ends = machine.topology->link(link).value();
  const char* const arrow = machine.links.duplex == Duplex::half ? "-" : "->";
  return fmt::format("{}{}{}", ends.from.index(), arrow, ends.to.index());
}

namespace detail {

namespace {

/// Sums one kind of time over the processes.
class TimeSum {
 public:
  void add(Ticks time) {
    total_ += time.count();
    max_ = std::max(max_, time);
  }
  TimeSummary summary(std::size_t processes) const {
    const double total = to_seconds(total_);
    return {total, processes == 0 ? 0 : total / static_cast<double>(processes), max_};
  }

 private:
  Int128 total_ = 0;
  Ticks max_{0};
};

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
  report.outcome = blocked_.empty() ? Outcome::completed : Outcome::deadlock;
  report.blocked = blocked_;
  report.messages = messages_sent_;
  report.bytes = bytes_sent_;
  report.hops = network_.hop_count();
  report.queued_hops = network_.queued_hops();
  report.queued_s = network_.queued_seconds();
  report.events = report.hops + wakeups_;
  report.fingerprint = fingerprint_.value();
  report.peak_memory_bytes = peak_memory_bytes();
  for (const StageState& stage : stages_) {
    report.stages.push_back({stage.finish_max, to_seconds(stage.waiting)});
  }
  summarise_times(report);
  summarise_links(report);
  return report;
}

void Kernel::summarise_times(RunReport& report) const {
  report.process_ends.reserve(processes_.size());
  for (const ProcessState& process : processes_) {
    report.process_ends.push_back(process.clock);
    report.makespan = std::max(report.makespan, process.clock);
  }
  TimeSum compute, communication, waiting, endpoint, idle;
  for (const ProcessState& process : processes_) {
    compute.add(process.compute);
    communication.add(process.clock - process.compute - process.waiting - process.endpoint);
    waiting.add(process.waiting);
    endpoint.add(process.endpoint);
    idle.add(report.makespan - process.clock);
    report.waiting_processes += process.waiting > Ticks{0} ? 1 : 0;
  }
  report.waiting_intervals = waits_;
  report.longest_wait = longest_wait_;
  report.compute = compute.summary(processes_.size());
  report.communication = communication.summary(processes_.size());
  report.waiting = waiting.summary(processes_.size());
  report.endpoint = endpoint.summary(processes_.size());
  report.idle = idle.summary(processes_.size());
}

void Kernel::summarise_links(RunReport& report) const {
  const Topology& topology = *machine_.topology;
  const bool is_half_duplex = machine_.links.duplex == Duplex::half;
  report.link_counters = network_.link_counters();
  const LinkCounters& counters = report.link_counters;
  // A node's links see a message that passes twice and one that begins or ends there once.
  std::vector<std::uint64_t> touches(topology.node_count(), 0);
  LoadTally loads;
  Int128 busy_total = 0;
  double busy_max = 0;
  for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
    const std::optional<Link> link = topology.link(LinkId{slot});
    if (!link || (is_half_duplex && topology.reverse(LinkId{slot}) < LinkId{slot})) {
      continue;
    }
    const std::uint64_t load = counters.crossings[slot];
    loads.add(load);
    touches[link->from.index()] += load;
    touches[link->to.index()] += load;
    busy_total += static_cast<Int128>(counters.busy[slot]);
    busy_max = std::max(busy_max, counters.busy[slot]);
    note_busy_link(report.busiest_links, {LinkId{slot}, load});
  }
  report.link_load = loads.summary();
  if (report.makespan > Ticks{0} && loads.count() > 0) {
    const auto makespan = static_cast<double>(report.makespan.count());
    const auto links = static_cast<double>(loads.count());
    report.utilisation_max = busy_max / makespan;
    report.utilisation_mean = static_cast<double>(busy_total) / (makespan * links);
  }
  for (std::uint32_t rank = 0; rank < processes_.size(); ++rank) {
    touches[input_.map[rank].index()] -= processes_[rank].ends;
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
