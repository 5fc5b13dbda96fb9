#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/show/text_table.hpp"
#include "explanation_parts.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t first_lines = 6;
constexpr std::size_t last_lines = 5;
constexpr std::size_t most_queues_named = 2;

/// Work of one process, up to and with a message that it sends.
struct Line {
  Ticks begin{0};
  std::uint32_t stage = no_stage;
  ProcessId process;
  Follows follows = Follows::own;  ///< the line before
  ProcessId before;                ///< process of the line before, or receiver of its message
  std::array<Ticks, cause_kinds> by_kind{};
  bool begins_with_message = false;
  bool has_message = false;
  Ticks injection{0};
  std::optional<Ticks> inside_node;  ///< the message, which takes so long
  ProcessId to;
  std::uint32_t send_number = 0;
  std::uint64_t hops = 0;
  Ticks lost{0};  ///< part of the hops' time
  std::vector<LinkId> queued_at;

  Ticks of(CauseKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
};

bool continues(const Line& line, const PathPart& part) {
  if (line.process != part.process || line.stage != part.stage || part.follows != Follows::own) {
    return false;
  }
  return !line.has_message || (part.is_message && line.send_number == part.send_number);
}

void add(Line& line, const PathPart& part, const Machine& machine) {
  const Ticks time = part.end - part.begin;
  if (!part.is_message) {
    line.by_kind[static_cast<std::size_t>(part.kind)] += time;
    return;
  }
  if (part.is_lost) {
    line.lost += time;
  } else if (part.kind == CauseKind::queueing) {
    line.queued_at.push_back(part.link);
  } else if (part.kind == CauseKind::hop) {
    ++line.hops;
  } else if (injection_server_of(*machine.topology, part.link)) {
    line.injection += time;
  } else {
    line.inside_node = time;
  }
  if (part.kind != CauseKind::endpoint) {
    line.by_kind[static_cast<std::size_t>(part.kind)] += time;
  }
  line.has_message = true;
  line.to = part.peer;
  line.send_number = part.send_number;
}

std::vector<Line> lines_of(const CriticalPath& path, const Machine& machine) {
  std::vector<Line> lines;
  for (const PathPart& part : path.parts) {
    if (lines.empty() || !continues(lines.back(), part)) {
      const ProcessId before = lines.empty()              ? part.process
                               : lines.back().has_message ? lines.back().to
                                                          : lines.back().process;
      Line& line = lines.emplace_back();
      line.follows = part.follows;
      line.before = before;
      line.begins_with_message = part.is_message;
      line.begin = part.begin;
      line.stage = part.stage;
      line.process = part.process;
    }
    add(lines.back(), part, machine);
  }
  return lines;
}

std::string queue_text(const Line& line, const Writer& writer) {
  const std::string names =
      joined(first_of(line.queued_at, most_queues_named), ", ",
             [&](LinkId link) { return link_name(*writer.scenario.run_machine, link); });
  const std::size_t more =
      line.queued_at.size() - std::min(most_queues_named, line.queued_at.size());
  return fmt::format(", queues {} before {}{}", time_text(line.of(CauseKind::queueing)), names,
                     more == 0 ? "" : fmt::format(" and {}", counted(more, "other link")));
}

/// Text on what the process itself, rather than its message, has waited for; empty: nothing.
std::string wait_text(const Line& line, const Writer& writer) {
  switch (line.follows) {
    case Follows::partner:
      return fmt::format("has waited for {}", writer.number(line.before));
    case Follows::core:
      return fmt::format("has waited for a core of node {} that {} had",
                         run_map(writer.scenario).at(line.process.index()).index(),
                         writer.process(line.before));
    case Follows::receiver:
      return line.begins_with_message ? ""
                                      : fmt::format("has waited until {} was ready for its message",
                                                    writer.number(line.before));
    case Follows::order:
      return line.begins_with_message ? "" : "gets its message after that of an earlier receive";
    case Follows::own:
      break;
  }
  return {};
}

/// Departure of a message that its receiver holds up; empty for others.
std::string departure_text(const Line& line, const Writer& writer) {
  if (!line.begins_with_message || line.follows == Follows::own) {
    return {};
  }
  const std::string to = writer.number(line.to);
  return line.follows == Follows::order ? fmt::format(" leaves after an earlier receive of {}", to)
                                        : fmt::format(" leaves when {} is ready", to);
}

std::string message_text(const Line& line, const Writer& writer) {
  const std::string start =
      fmt::format("message to {}{}", writer.number(line.to), departure_text(line, writer));
  if (line.inside_node) {
    return fmt::format("{}: inside the node {}", start, time_text(*line.inside_node));
  }
  return fmt::format(
      "{}: {} {}{}{}{}", start, counted(line.hops, "hop"), time_text(line.of(CauseKind::hop)),
      line.lost == Ticks{0} ? "" : fmt::format(", {} of it lost to failures", time_text(line.lost)),
      line.injection == Ticks{0} ? "" : fmt::format(", injection {}", time_text(line.injection)),
      line.queued_at.empty() ? "" : queue_text(line, writer));
}

std::string line_text(const Line& line, const Writer& writer) {
  std::vector<std::string> texts;
  if (std::string wait = wait_text(line, writer); !wait.empty()) {
    texts.push_back(std::move(wait));
  }
  for (const auto& [kind, words] :
       {std::pair{CauseKind::compute, "computes {}"},
        std::pair{CauseKind::endpoint, "sends and receives for {}"},
        std::pair{CauseKind::blocked, "waits for ever, {} of it shown"}}) {
    if (line.of(kind) > Ticks{0}) {
      texts.push_back(fmt::format(fmt::runtime(words), time_text(line.of(kind))));
    }
  }
  if (line.has_message) {
    texts.push_back(message_text(line, writer));
  }
  return joined(texts, "; ");
}

}  // namespace

std::string chain_text(const Writer& writer) {
  const std::vector<Line> lines = lines_of(writer.path, *writer.scenario.run_machine);
  const std::vector<std::string> names = writer.scenario.program->stage_names();
  const auto stage_text = [&](std::uint32_t stage) {
    return stage == no_stage ? "-" : names.empty() ? std::to_string(stage) : names.at(stage);
  };
  Table table{
      {{"from"}, {names.empty() ? "stage" : "phase"}, {"process"}, {"", Table::Align::left}}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == first_lines && lines.size() > first_lines + last_lines + 1) {
      const std::size_t left_out = lines.size() - first_lines - last_lines;
      table.add_row({"..", "", "", fmt::format("{} more like these", grouped(left_out))});
      i = lines.size() - last_lines;
    }
    const Line& line = lines[i];
    table.add_row({time_text(line.begin), stage_text(line.stage), writer.number(line.process),
                   line_text(line, writer)});
  }
  return table.text(2);
}

}  // namespace dcube::app
