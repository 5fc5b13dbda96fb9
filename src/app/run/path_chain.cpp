#include "path_chain.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "app/terminal/readable.hpp"
#include "app/terminal/table.hpp"
#include "core/mapped.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t first_lines = 6;
constexpr std::size_t last_lines = 5;
constexpr std::size_t most_queues_named = 2;

std::string time_text(Ticks time) { return readable_seconds(to_seconds(time)); }

/// What one process does, up to and with a message that it sends.
struct Line {
  Ticks begin{0};
  std::uint32_t stage = no_stage;
  ProcessId process;
  std::optional<ProcessId> awaited;  ///< the process of the line before, when it was waited for
  Ticks compute{0};
  Ticks endpoint{0};
  Ticks blocked{0};
  bool has_message = false;
  ProcessId to;
  std::uint32_t send_number = 0;
  std::uint64_t hops = 0;
  Ticks hop_time{0};
  Ticks queueing{0};
  std::vector<LinkId> queued_at;
};

bool is_of_message(const PathPart& part) {
  return part.kind == CauseKind::hop || part.kind == CauseKind::queueing;
}

bool continues(const Line& line, const PathPart& part) {
  if (line.process != part.process || line.stage != part.stage) {
    return false;
  }
  return !line.has_message || (is_of_message(part) && line.send_number == part.send_number);
}

void add(Line& line, const PathPart& part) {
  const Ticks duration = part.end - part.begin;
  switch (part.kind) {
    case CauseKind::compute:
      line.compute += duration;
      return;
    case CauseKind::endpoint:
      line.endpoint += duration;
      return;
    case CauseKind::blocked:
      line.blocked += duration;
      return;
    case CauseKind::queueing:
      line.queueing += duration;
      line.queued_at.push_back(part.link);
      break;
    case CauseKind::hop:
      ++line.hops;
      line.hop_time += duration;
      break;
  }
  line.has_message = true;
  line.to = part.peer;
  line.send_number = part.send_number;
}

std::vector<Line> lines_of(const CriticalPath& path) {
  std::vector<Line> lines;
  for (const PathPart& part : path.parts) {
    if (lines.empty() || !continues(lines.back(), part)) {
      const ProcessId before = lines.empty()              ? part.process
                               : lines.back().has_message ? lines.back().to
                                                          : lines.back().process;
      Line& line = lines.emplace_back();
      if (before != part.process) {
        line.awaited = before;
      }
      line.begin = part.begin;
      line.stage = part.stage;
      line.process = part.process;
    }
    add(lines.back(), part);
  }
  return lines;
}

std::string queue_text(const Line& line, const Machine& machine) {
  const std::string names = joined(line.queued_at | std::views::take(most_queues_named), ", ",
                                   [&](LinkId link) { return link_name(machine, link); });
  const std::size_t more =
      line.queued_at.size() - std::min(most_queues_named, line.queued_at.size());
  return fmt::format(", queues {} before {}{}", time_text(line.queueing), names,
                     more == 0 ? "" : fmt::format(" and {}", counted(more, "other link")));
}

std::string process_text(ProcessId process, ProcessId host) {
  return process < host ? std::to_string(process.index()) : "host";
}

std::string line_text(const Line& line, const Machine& machine, ProcessId host) {
  std::vector<std::string> texts;
  if (line.awaited) {
    texts.push_back(fmt::format("has waited for {}", process_text(*line.awaited, host)));
  }
  if (line.compute > Ticks{0}) {
    texts.push_back(fmt::format("computes {}", time_text(line.compute)));
  }
  if (line.endpoint > Ticks{0}) {
    texts.push_back(fmt::format("sends and receives for {}", time_text(line.endpoint)));
  }
  if (line.blocked > Ticks{0}) {
    texts.push_back(fmt::format("waits for ever, {} of it shown", time_text(line.blocked)));
  }
  if (line.has_message) {
    texts.push_back(fmt::format("message to {}: {} {}{}", process_text(line.to, host),
                                counted(line.hops, "hop"), time_text(line.hop_time),
                                line.queued_at.empty() ? "" : queue_text(line, machine)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::string chain_text(const CriticalPath& path, const Machine& machine, ProcessId host) {
  const std::vector<Line> lines = lines_of(path);
  Table table{{{"from"}, {"stage"}, {"process"}, {"", Table::Align::left}}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == first_lines && lines.size() > first_lines + last_lines + 1) {
      const std::size_t left_out = lines.size() - first_lines - last_lines;
      table.add_row({"..", "", "", fmt::format("{} more like these", grouped(left_out))});
      i = lines.size() - last_lines;
    }
    const Line& line = lines[i];
    table.add_row({time_text(line.begin), line.stage == no_stage ? "-" : std::to_string(line.stage),
                   process_text(line.process, host), line_text(line, machine, host)});
  }
  return table.text(2);
}

}  // namespace dcube::app
