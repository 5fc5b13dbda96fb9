#include "trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/printable.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_links = 5;

std::uint32_t traced_processes(const TraceSummary& summary) {
  std::uint32_t count = 0;
  for (std::uint32_t rank = 0; rank < summary.run.processes; ++rank) {
    count += summary.run.filter.shows(ProcessId{rank}) ? 1 : 0;
  }
  return count;
}

/// As results name networks: "8x8 torus", "ring of 16", "6-dimensional hypercube".
std::string shape_words(const TraceDescription& run) {
  if (run.topology == "hypercube") {
    return fmt::format("{}-dimensional hypercube", run.shape.size());
  }
  return run.shape.size() == 1 ? fmt::format("{} of {}", run.topology, run.shape.front())
                               : fmt::format("{} {}", fmt::join(run.shape, "x"), run.topology);
}

std::string head(const std::string& name, const TraceSummary& summary) {
  const TraceDescription& run = summary.run;
  std::string text =
      printable(fmt::format("{}: {} under {}, {}, on {} ({}): {} at {}", name, run.program,
                            run.embedding, counted(run.processes, "process"), run.machine,
                            shape_words(run), run.outcome, format_time(run.makespan))) +
      "\n";
  if (run.filter.processes) {
    text += fmt::format("only processes {}\n", format_process_ranges(*run.filter.processes));
  }
  if (run.filter.links) {
    text += fmt::format("only links {}\n", format_links(*run.filter.links));
  }
  return text +
         fmt::format("from {} to {}\n", format_time(summary.begin), format_time(summary.end));
}

std::string time_section(const TraceSummary& summary) {
  const double available =
      to_seconds(summary.end - summary.begin) * static_cast<double>(traced_processes(summary));
  std::vector<double> totals;
  std::vector<double> longest;
  for (const TraceSummary::ActivityTime& time : summary.time) {
    totals.push_back(time.total_s);
    longest.push_back(to_seconds(time.longest));
  }
  const TimeScale total_scale{totals};
  const TimeScale longest_scale{longest};
  Table table{{{"where the time went", Table::Align::left},
               {"intervals"},
               {"total"},
               {"longest"},
               {"share"}}};
  for (std::size_t i = 0; i < activity_count; ++i) {
    const TraceSummary::ActivityTime& time = summary.time.at(i);
    table.add_row({fmt::format("  {}", activity_names.at(i)), grouped(time.intervals),
                   total_scale.text(time.total_s), longest_scale.text(to_seconds(time.longest)),
                   percent(available > 0 ? time.total_s / available : 0)});
  }
  return table.text();
}

std::string message_line(const TraceSummary& summary) {
  std::string text =
      fmt::format("{}, {}, the longest under way for {}; {}",
                  counted(summary.run.messages, "message"), readable_bytes(summary.bytes),
                  format_time(summary.longest_flight), counted(summary.run.hops, "hop"));
  text += summary.queued_hops == 0
              ? ", none queued"
              : fmt::format(", {} queued for {} in all", grouped(summary.queued_hops),
                            readable_seconds(summary.queued_s));
  return text + "\n";
}

std::string links_section(const TraceSummary& summary) {
  if (summary.links.empty()) {
    return {};
  }
  const double window_s = to_seconds(summary.end - summary.begin);
  Table table{{{"busiest links", Table::Align::left},
               {"messages"},
               {"busy"},
               {"queued"},
               {"for, in all"},
               {"longest"}}};
  for (std::size_t i = 0; i < std::min(most_links, summary.links.size()); ++i) {
    const TraceSummary::LinkUse& link = summary.links[i];
    table.add_row({"  " + link.name, grouped(link.messages),
                   percent(window_s > 0 ? to_seconds(link.busy) / window_s : 0),
                   grouped(link.queued), readable_seconds(link.queued_s),
                   format_time(link.longest_queue)});
  }
  return "\n" + table.text();
}

std::string cause(const TraceSummary::Wait& wait) {
  return wait.message ? fmt::format("message {} of process {}", wait.message->send_number,
                                    wait.message->source.index())
                      : fmt::format("process {} to be ready", wait.peer.index());
}

std::string waits_section(const TraceSummary& summary) {
  if (summary.longest_waits.empty()) {
    return "\nnobody waits\n";
  }
  Table table{{{"longest waits", Table::Align::left},
               {"for", Table::Align::left},
               {"stage"},
               {"from"},
               {"to"},
               {"time"}}};
  for (const TraceSummary::Wait& wait : summary.longest_waits) {
    table.add_row({fmt::format("  process {}", wait.process.index()), cause(wait),
                   wait.stage == no_stage ? "-" : std::to_string(wait.stage),
                   format_time(wait.begin), format_time(wait.end),
                   format_time(wait.end - wait.begin)});
  }
  return "\n" + table.text();
}

}  // namespace

std::string trace_summary(const std::string& name, const TraceSummary& summary) {
  return fmt::format("{}\n{}{}{}\n{}", head(name, summary), time_section(summary),
                     links_section(summary), waits_section(summary), message_line(summary));
}

std::string process_times(const TraceSummary& summary) {
  std::vector<Table::Column> columns{{"process"}, {"node"}};
  for (const char* activity : activity_names) {
    columns.push_back({activity});
  }
  columns.push_back({"longest wait"});
  columns.push_back({"sent"});
  columns.push_back({"received"});
  Table table{columns};
  for (std::uint32_t rank = 0; rank < summary.processes.size(); ++rank) {
    if (!summary.run.filter.shows(ProcessId{rank})) {
      continue;
    }
    const TraceSummary::ProcessTime& process = summary.processes[rank];
    std::vector<std::string> cells{
        std::to_string(rank),
        rank < summary.run.map.size() ? std::to_string(summary.run.map[rank].index()) : "-"};
    for (const Ticks time : process.by_activity) {
      cells.push_back(format_time(time));
    }
    cells.push_back(format_time(process.longest_wait));
    cells.push_back(grouped(process.sent));
    cells.push_back(grouped(process.received));
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace dcube::app
