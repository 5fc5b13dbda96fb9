#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/scenario/setting_words.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/workload/open_receive.hpp"
#include "dcube/workload/tag_mismatch.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t bar_width = 24;
constexpr std::size_t most_busy_links = 5;
constexpr std::size_t most_blocked = 10;

std::string bar(double share) {
  const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(bar_width)));
  return std::string(std::min(length, bar_width), '#');
}

/// Mean and longest time of one activity.
struct ActivityTime {
  std::string name;
  double mean_s;
  double max_s;
  double share;  ///< of the makespan
};

Columns<ActivityTime> time_columns(const TimeScale& scale) {
  using Row = const ActivityTime&;
  return {{"where the time went", Shown::text, [](Row time) { return "  " + time.name; }},
          {"mean", Shown::figure, [scale](Row time) { return scale.text(time.mean_s); }},
          {"max", Shown::figure, [scale](Row time) { return scale.text(time.max_s); }},
          {"of makespan", Shown::share, &ActivityTime::share},
          {"", Shown::text, [](Row time) { return bar(time.share); }}};
}

std::string time_section(const RunReport& report) {
  const double makespan_s = to_seconds(report.makespan);
  std::vector<ActivityTime> rows;
  std::vector<double> times;
  for (std::size_t i = 0; i < activity_count; ++i) {
    const TimeSummary& time = report.time_of(static_cast<Activity>(i));
    rows.push_back({std::string{activity_names.at(i)}, time.mean_s, to_seconds(time.max),
                    makespan_s > 0 ? time.mean_s / makespan_s : 0});
    times.insert(times.end(), {rows.back().mean_s, rows.back().max_s});
  }
  return text_table(time_columns(TimeScale{times}), rows).text();
}

std::string waiting_words(const RunReport& report) {
  if (report.waiting_intervals == 0) {
    return "none";
  }
  return fmt::format("{} in {}, the longest {}", counted(report.waiting_intervals, "interval"),
                     counted(report.waiting_processes, "process"),
                     format_time(report.longest_wait));
}

std::string message_words(const RunReport& report) {
  std::string text = fmt::format("{}, {}, {}", grouped(report.messages),
                                 readable_bytes(report.bytes), counted(report.hops, "hop"));
  if (report.queued_hops == 0) {
    return text + ", none queued";
  }
  return fmt::format("{}, {} queued for {} in all", text, grouped(report.queued_hops),
                     readable_seconds(report.queued_s));
}

std::string theory_words(const RunResult& result, bool has_faults) {
  if (!result.theory) {
    return result.report.outcome != Outcome::completed ? "none"
           : has_faults ? "no formula, and links that fail during a run need contention"
                        : "no formula, and a run like this is not made again without contention "
                          "(--set /machine/link/contention=false makes it)";
  }
  const Theory& theory = *result.theory;
  const std::string start = fmt::format("{} by {}", format_time(theory.makespan), theory.source);
  if (theory.source == run_in_which_nothing_queued) {
    return start;
  }
  const Ticks difference = result.report.makespan - theory.makespan;
  if (difference == Ticks{0}) {
    return start + ", as simulated";
  }
  const double share =
      theory.makespan > Ticks{0} ? to_seconds(difference) / to_seconds(theory.makespan) : 0;
  const bool is_longer = difference > Ticks{0};
  return fmt::format("{}, simulated {} ({}) {}", start,
                     format_time(is_longer ? difference : -difference), percent(std::abs(share)),
                     is_longer ? "longer" : "shorter");
}

std::optional<std::string> speedup_words(const Scenario& scenario, const RunResult& result) {
  if (!result.sequential_time || result.report.makespan == Ticks{0}) {
    return std::nullopt;
  }
  const double speedup = to_seconds(*result.sequential_time) / to_seconds(result.report.makespan);
  const std::uint32_t processes = scenario.embedding->process_count();
  return fmt::format("{:.2f} on {} (efficiency {}); one process takes {}", speedup,
                     counted(processes, "process"), percent(speedup / processes),
                     format_time(*result.sequential_time));
}

std::string simulation_words(const RunReport& report) {
  const double rate = report.wall_s > 0 ? static_cast<double>(report.events) / report.wall_s : 0;
  return fmt::format("{}, {} in {} ({} a second), peak memory {}",
                     report.execution == Execution::actors ? "actors" : "coroutines",
                     counted(report.events, "event"), readable_seconds(report.wall_s),
                     grouped(static_cast<std::uint64_t>(rate)),
                     readable_bytes(report.peak_memory_bytes));
}

Columns<RunInWords> measure_columns() {
  using Run = const RunInWords&;
  return {{"waiting", Shown::text, [](Run run) { return waiting_words(run.result.report); }},
          {"messages", Shown::text, [](Run run) { return message_words(run.result.report); }},
          {"theory", Shown::text,
           [](Run run) {
             return theory_words(run.result, !run.scenario.machine->links.faults.empty());
           }},
          {"speedup", Shown::text, [](Run run) { return speedup_words(run.scenario, run.result); }},
          {"simulation", Shown::text, [](Run run) { return simulation_words(run.result.report); }}};
}

Columns<BusyLink> link_columns(const Machine& machine) {
  return {{"busiest links", Shown::text,
           [&](const BusyLink& busy) { return "  " + link_name(machine, busy.link); }},
          {machine.links.packet_bytes ? "packets" : "messages", Shown::count, &BusyLink::load}};
}

std::string links_section(const Machine& machine, const RunReport& report) {
  const auto busiest = first_of(report.busiest_links, most_busy_links);
  return busiest.empty() ? std::string{} : text_table(link_columns(machine), busiest).text() + "\n";
}

std::string outcome_line(const Scenario& scenario, const RunReport& report) {
  const std::string name = printable(scenario.name);
  const std::string time = format_time(report.makespan);
  switch (report.outcome) {
    case Outcome::completed:
      return fmt::format("{}: completed in {}\n", name, time);
    case Outcome::not_verified:
      return fmt::format("{}: completed in {} with a WRONG answer\n", name, time);
    default:
      return fmt::format("{}: {} at {}\n", name, to_string(report.outcome), time);
  }
}

/// "; tag 0 arrived, tag 1 awaited", where tags are why a process waits in vain; else what it
/// receives, if that is known.
std::string tag_words(const Program& program, const RunReport& report,
                      const BlockedProcess& process) {
  const auto mismatch = tag_mismatch(program, process.awaits, process.process);
  const auto receive = open_receive(program, process.process);
  if (!mismatch) {
    return !receive ? ""
                    : fmt::format("; it receives {} with {}", counted(receive->bytes, "byte"),
                                  receive->tag == any_tag ? "any tag"
                                                          : fmt::format("tag {}", receive->tag));
  }
  constexpr std::size_t most_tags = 4;
  const auto words = [&](const std::vector<Tag>& tags) {
    return fmt::format("{} {}{}", tags.size() == 1 ? "tag" : "tags",
                       joined(first_of(tags, most_tags), ", "),
                       tags.size() > most_tags ? ", .." : "");
  };
  const bool has_sender_ended = std::ranges::find(report.blocked, process.awaits,
                                                  &BlockedProcess::process) == report.blocked.end();
  return mismatch->sent.empty()
             ? fmt::format("; {} awaited, which no message has", words(mismatch->awaited))
             : fmt::format("; {} {}, {} awaited", words(mismatch->sent),
                           has_sender_ended ? "arrived" : "sent", words(mismatch->awaited));
}

std::string wait_words(const BlockedProcess& process) {
  const std::string peer =
      process.awaits == anyone ? "anyone" : fmt::format("process {}", process.awaits.index());
  switch (process.what) {
    case Awaits::partner:
      return "wants to exchange with " + peer;
    case Awaits::receiver:
      return "wants to send to " + peer;
    case Awaits::message:
      return "awaits a message from " + peer;
    default:
      return "awaits one of several requests";
  }
}

std::string blocked_lines(const Program& program, const RunReport& report) {
  const std::vector<BlockedProcess>& blocked = report.blocked;
  std::string text;
  for (std::size_t i = 0; i < std::min(most_blocked, blocked.size()); ++i) {
    const BlockedProcess& process = blocked[i];
    text +=
        fmt::format("\n  process {} {} since {}{}", process.process.index(), wait_words(process),
                    format_time(process.since), tag_words(program, report, process));
  }
  if (blocked.size() > most_blocked) {
    text += fmt::format("\n  and {} more", grouped(blocked.size() - most_blocked));
  }
  return text;
}

std::string cycle_line(const RunReport& report) {
  std::vector<ProcessId> cycle = waiting_cycle(report);
  if (cycle.empty()) {
    const bool is_known =
        std::ranges::find(report.blocked, anyone, &BlockedProcess::awaits) == report.blocked.end();
    return is_known ? "\n  no cycle: those they wait for have ended" : "";
  }
  cycle.push_back(cycle.front());
  return "\n  cycle: " + joined(cycle, " -> ", &ProcessId::index);
}

}  // namespace

std::string run_summary(const Scenario& scenario, const RunResult& result) {
  const RunInWords run{scenario, result};
  return fmt::format("{}{}\n{}\n{}{}{}fingerprint {:016x}\n", outcome_line(scenario, result.report),
                     facts_table(setting_columns(), run).text(2), time_section(result.report),
                     phase_table(scenario, result),
                     links_section(*scenario.run_machine, result.report),
                     facts_table(measure_columns(), run).text(), result.report.fingerprint);
}

std::string failure_report(const Scenario& scenario, const RunReport& report) {
  switch (report.outcome) {
    case Outcome::completed:
      return {};
    case Outcome::deadlock:
      return fmt::format("{}: deadlock at {} ({} of {} wait for ever){}{}",
                         printable(scenario.source), format_time(report.makespan),
                         grouped(report.blocked.size()),
                         counted(report.process_ends.size(), "process"),
                         blocked_lines(*scenario.program, report), cycle_line(report));
    case Outcome::unreachable:
      return fmt::format(
          "{}: a message of process {} cannot get from node {} to node {}, where "
          "process {} is: failures have disconnected them by {}",
          printable(scenario.source), report.cut_off->source.index(), report.cut_off->at.index(),
          report.cut_off->to.index(), report.cut_off->destination.index(),
          format_time(report.cut_off->time));
    default:
      return fmt::format("{}: the answer is wrong (a sequential computation gives another)",
                         printable(scenario.source));
  }
}

}  // namespace dcube::app
