#include "explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "path_chain.hpp"
#include "readable.hpp"
#include "table.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_groups = 8;
constexpr std::size_t most_links = 5;
constexpr std::size_t most_processes = 5;
constexpr std::size_t most_awaiting = 10;

std::string time_text(Ticks time) { return readable_seconds(to_seconds(time)); }

/// What the sentences and tables of one explanation are made from.
struct Writer {
  const Scenario& scenario;
  const RunReport& report;
  const CriticalPath& path;
  const WaitingCauses& waiting;
  Guest guest;

  double share(Ticks time) const { return to_seconds(time) / to_seconds(path.length); }
  std::string share_text(Ticks time) const { return percent(share(time)); }
  /// "4 s (15.4 %)".
  std::string time_and_share(Ticks time) const {
    return fmt::format("{} ({})", time_text(time), share_text(time));
  }
  std::string process(ProcessId id) const {
    return id.index() < guest.process_count() ? fmt::format("process {}", id.index())
                                              : std::string{"the host"};
  }
};

const char* noun(CauseKind kind) {
  switch (kind) {
    case CauseKind::compute:
      return "computing";
    case CauseKind::endpoint:
      return "sending and receiving";
    case CauseKind::hop:
      return "hops";
    case CauseKind::queueing:
      return "queueing";
    case CauseKind::blocked:
      return "waiting for ever";
  }
  return "";
}

/// Kinds that have a part in the path, most time first.
std::vector<CauseKind> kinds_by_time(const CriticalPath& path) {
  std::vector<CauseKind> kinds;
  for (std::size_t kind = 0; kind < cause_kinds; ++kind) {
    if (path.by_kind[kind] > Ticks{0}) {
      kinds.push_back(static_cast<CauseKind>(kind));
    }
  }
  std::ranges::stable_sort(kinds, std::ranges::greater{},
                           [&](CauseKind kind) { return path.of(kind); });
  return kinds;
}

std::string topology_word(const Scenario& scenario) {
  return std::string{scenario.machine->topology->kind()};
}

/// "torus dimension 1 (wrap-around 2 of 4 hops)".
std::vector<std::string> over_texts(const Writer& writer, const GroupTotals& group) {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> seen;
  for (const GroupTotals::Over& over : group.over) {
    if (over.place.is_host) {
      texts.emplace_back("the host's links");
      continue;
    }
    const std::uint32_t dimension = over.place.dimension;
    if (std::ranges::count(seen, dimension) > 0) {
      continue;
    }
    seen.push_back(dimension);
    std::uint64_t wrapped = 0;
    std::uint64_t all = 0;
    for (const GroupTotals::Over& other : group.over) {
      if (!other.place.is_host && other.place.dimension == dimension) {
        all += other.total.hops;
        wrapped += other.place.is_wrap_around ? other.total.hops : 0;
      }
    }
    std::string text = fmt::format("{} dimension {}", topology_word(writer.scenario), dimension);
    if (wrapped == all) {
      text = "the wrap-around of " + text;
    } else if (wrapped > 0) {
      text += fmt::format(", {} of {} by its wrap-around", grouped(wrapped), counted(all, "hop"));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string hops_each(const GroupTotals& group) {
  return group.least_hops == group.most_hops
             ? grouped(group.most_hops)
             : fmt::format("{} to {}", grouped(group.least_hops), grouped(group.most_hops));
}

/// The group of pairs whose hops take longest.
const GroupTotals* longest_way(const CriticalPath& path) {
  const auto longest = std::ranges::max_element(
      path.by_group, {}, [](const GroupTotals& group) { return group.total.hop_time; });
  return longest == path.by_group.end() ? nullptr : &*longest;
}

// --- What the path goes on ---

std::string hop_sentence(const Writer& writer) {
  const GroupTotals& longest = *longest_way(writer.path);
  const auto equal = static_cast<std::size_t>(
      std::ranges::count(writer.path.by_group, longest.total.hop_time,
                         [](const GroupTotals& group) { return group.total.hop_time; }));
  const std::string as_long =
      equal == 1 ? "" : fmt::format(" (and as much in {})", counted(equal - 1, "other"));
  return fmt::format("The most, {} of the makespan, is hops in {}{}: {} {}, over {}.\n",
                     writer.share_text(longest.total.hop_time),
                     group_name(writer.guest, longest.group), as_long, hops_each(longest),
                     longest.messages == 1 ? "in one message" : "in each message",
                     fmt::join(over_texts(writer, longest), " and "));
}

std::string opening(const Writer& writer) {
  const std::vector<CauseKind> kinds = kinds_by_time(writer.path);
  std::vector<std::string> shares;
  shares.reserve(kinds.size());
  for (const CauseKind kind : kinds) {
    shares.push_back(fmt::format("{} {}", writer.share_text(writer.path.of(kind)), noun(kind)));
  }
  std::string text = fmt::format(
      "{} is the last to end. The chain of {} and {} that leads there is {}.\n",
      writer.process(writer.path.last), counted(writer.path.computations, "computation"),
      counted(writer.path.messages, "message"), fmt::join(shares, ", "));
  text.front() = text.front() == 'p' ? 'P' : 'T';
  if (writer.path.of(CauseKind::hop) > Ticks{0}) {
    text += hop_sentence(writer);
  }
  return text;
}

std::string group_table(const Writer& writer) {
  if (writer.path.by_group.empty()) {
    return {};
  }
  Table table{{{"messages of the chain", Table::Align::left},
               {"number"},
               {"hops each"},
               {"hops"},
               {"queueing"},
               {"endpoint"},
               {"of makespan"},
               {"over", Table::Align::left}}};
  for (std::size_t i = 0; i < std::min(most_groups, writer.path.by_group.size()); ++i) {
    const GroupTotals& group = writer.path.by_group[i];
    const Ticks all = group.total.hop_time + group.total.queueing + group.endpoint;
    table.add_row({"  " + group_name(writer.guest, group.group), grouped(group.messages),
                   hops_each(group), time_text(group.total.hop_time),
                   time_text(group.total.queueing), time_text(group.endpoint),
                   writer.share_text(all),
                   fmt::format("{}", fmt::join(over_texts(writer, group), "; "))});
  }
  const std::size_t more =
      writer.path.by_group.size() - std::min(most_groups, writer.path.by_group.size());
  return table.text() + (more == 0 ? "" : fmt::format("  and {} more\n", more));
}

std::string queue_sentence(const Writer& writer) {
  if (writer.path.of(CauseKind::queueing) == Ticks{0}) {
    return {};
  }
  std::vector<LinkTotals> queues = writer.path.by_link;
  std::erase_if(queues, [](const LinkTotals& link) { return link.total.queueing == Ticks{0}; });
  std::ranges::stable_sort(queues, std::ranges::greater{},
                           [](const LinkTotals& link) { return link.total.queueing; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most_links, queues.size()); ++i) {
    names.push_back(fmt::format("{} ({})", link_name(*writer.scenario.run_machine, queues[i].link),
                                time_text(queues[i].total.queueing)));
  }
  return fmt::format(
      "Its messages queue before {}{}.\n", fmt::join(names, ", "),
      queues.size() > names.size()
          ? fmt::format(" and {}", counted(queues.size() - names.size(), "other link"))
          : "");
}

// --- Why processes waited ---

const char* noun(WaitingCause cause) {
  switch (cause) {
    case WaitingCause::peer_compute:
      return "the awaited process computes";
    case WaitingCause::other_compute:
      return "one that it waits for computes";
    case WaitingCause::endpoint:
      return "sending and receiving";
    case WaitingCause::distance:
      return "hops of a message";
    case WaitingCause::queueing:
      return "a message queues";
    case WaitingCause::blocked:
      return "nobody comes";
  }
  return "";
}

std::string waiting_table(const Writer& writer) {
  std::vector<std::size_t> causes(waiting_causes);
  std::iota(causes.begin(), causes.end(), std::size_t{0});
  const auto total = [&](std::size_t cause) { return writer.waiting.total_s[cause]; };
  std::ranges::stable_sort(causes, std::ranges::greater{}, total);
  Table table{{{"while processes wait", Table::Align::left}, {"in all"}, {"of waiting"}}};
  for (const std::size_t cause : causes) {
    if (total(cause) > 0) {
      table.add_row({fmt::format("  {}", noun(static_cast<WaitingCause>(cause))),
                     readable_seconds(total(cause)), percent(total(cause) / writer.waiting.sum_s)});
    }
  }
  return table.text();
}

/// "Up to then the awaited processes had spent 8 s more on hops than those who waited for them."
std::string lateness_sentence(const WaitingCauses::LatenessTotals& lateness) {
  struct Part {
    double time_s;
    const char* on;
  };
  std::vector<Part> parts{{lateness.compute_s, "computing"},
                          {lateness.distance_s, "hops"},
                          {lateness.queueing_s, "queueing"},
                          {lateness.endpoint_s, "sending and receiving"}};
  std::erase_if(parts, [](const Part& part) { return part.time_s == 0; });
  if (parts.empty()) {
    return {};
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::time_s);
  std::vector<std::string> texts;
  for (const Part& part : parts) {
    texts.push_back(fmt::format("{} {} on {}", readable_seconds(std::abs(part.time_s)),
                                part.time_s > 0 ? "more" : "less", part.on));
  }
  return fmt::format(
      "Those they waited for were late because, in all, they had spent {} until then.\n",
      fmt::join(texts, ", "));
}

std::string blame_sentences(const Writer& writer) {
  const WaitingCauses& waiting = writer.waiting;
  std::string text = lateness_sentence(waiting.lateness);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most_processes, waiting.by_awaited.size()); ++i) {
    const WaitingCauses::Awaited& awaited = waiting.by_awaited[i];
    names.push_back(fmt::format("{} ({}, {})", writer.process(awaited.process),
                                readable_seconds(awaited.waiting_s),
                                counted(awaited.waits, "wait")));
  }
  text += fmt::format("Longest awaited: {}.\n", fmt::join(names, ", "));
  if (waiting.of(WaitingCause::distance) > 0) {
    const WaitingCauses::Group& group = *std::ranges::max_element(
        waiting.by_group, {}, [](const auto& one) { return one.distance_s; });
    text += fmt::format("Of the hops waited for, {} are in {}.\n",
                        percent(group.distance_s / waiting.of(WaitingCause::distance)),
                        group_name(writer.guest, group.group));
  }
  if (!waiting.by_link.empty()) {
    names.clear();
    for (std::size_t i = 0; i < std::min(most_links, waiting.by_link.size()); ++i) {
      names.push_back(fmt::format("{} ({})",
                                  link_name(*writer.scenario.run_machine, waiting.by_link[i].link),
                                  readable_seconds(waiting.by_link[i].waiting_s)));
    }
    text += fmt::format("Queues waited for: {}.\n", fmt::join(names, ", "));
  }
  return text;
}

std::string waiting_section(const Writer& writer) {
  if (writer.waiting.sum_s <= 0) {
    return "No process waits for another.\n";
  }
  return waiting_table(writer) + blame_sentences(writer);
}

// --- What could help ---

std::string hop_hint(const Writer& writer) {
  const GroupTotals& longest = *longest_way(writer.path);
  const std::string name = group_name(writer.guest, longest.group);
  if (longest.most_hops <= 1) {
    return fmt::format(
        "its longest hops, in {}, are already one a message, so no map can save them; links twice "
        "as fast would shorten it by {}",
        name, writer.time_and_share(writer.path.of(CauseKind::hop) / 2));
  }
  return fmt::format(
      "a map that halves the way in {} and changes nothing else would shorten it by at most {}",
      name, writer.time_and_share(longest.total.hop_time / 2));
}

/// What changing the largest part could save. The chain is made of what the program prescribes, so
/// it stays a chain, if no longer the longest, and the run cannot get shorter than it.
std::string hint(const Writer& writer) {
  const std::vector<CauseKind> kinds = kinds_by_time(writer.path);
  const auto first =
      std::ranges::find_if(kinds, [](CauseKind kind) { return kind != CauseKind::blocked; });
  if (first == kinds.end()) {
    return {};
  }
  switch (*first) {
    case CauseKind::compute:
      return fmt::format(
          "What could help: faster computing. The computations of this chain alone take {}, and no "
          "map or network makes the run shorter than that.\n",
          format_time(writer.path.of(CauseKind::compute)));
    case CauseKind::hop:
      return fmt::format("What could help: {}.\n", hop_hint(writer));
    case CauseKind::queueing:
      return fmt::format(
          "What could help: spreading the messages over more links. Without any queueing the chain "
          "would be {} shorter, and the run cannot gain more from that.\n",
          writer.time_and_share(writer.path.of(CauseKind::queueing)));
    default:
      return fmt::format(
          "What could help: fewer or larger messages. Without endpoint costs the chain would be {} "
          "shorter, and the run cannot gain more from that.\n",
          writer.time_and_share(writer.path.of(CauseKind::endpoint)));
  }
}

// --- Deadlock ---

/// Follows who awaits whom from the last process that did anything.
std::string deadlock_text(const Writer& writer) {
  const auto awaits = [&](ProcessId process) -> std::optional<ProcessId> {
    const auto found = std::ranges::find(writer.report.blocked, process, &BlockedProcess::process);
    return found == writer.report.blocked.end() ? std::nullopt : std::optional{found->awaits};
  };
  std::vector<ProcessId> seen{writer.path.last};
  if (!awaits(seen.front()) && !writer.report.blocked.empty()) {
    seen.front() = writer.report.blocked.front().process;
  }
  std::string text = fmt::format("The run stops because {}", writer.process(seen.front()));
  while (seen.size() <= most_awaiting) {
    const std::optional<ProcessId> next = awaits(seen.back());
    if (!next) {
      return text + ", which has ended.\n";
    }
    text += fmt::format("{} awaits {}", seen.size() == 1 ? "" : ", which", writer.process(*next));
    if (std::ranges::count(seen, *next) > 0) {
      return text + ": a ring in which nobody can go on.\n";
    }
    seen.push_back(*next);
  }
  return text + ", and so on.\n";
}

}  // namespace

std::string explanation_text(const Scenario& scenario, const RunResult& result) {
  const Writer writer{scenario, result.report, result.explanation.value().path,
                      result.explanation.value().waiting, scenario.program->guest()};
  const bool is_deadlock = result.report.outcome == Outcome::deadlock;
  std::string text = fmt::format("why {} {}\n", is_deadlock ? "it stops at" : "it takes",
                                 format_time(writer.path.length));
  if (is_deadlock) {
    text += deadlock_text(writer);
  }
  if (writer.path.length == Ticks{0}) {
    return text + "Nothing in it takes any time.\n";
  }
  text += opening(writer) + queue_sentence(writer) + "\n" +
          chain_text(writer.path, *scenario.run_machine) + "\n" + group_table(writer) + "\n" +
          waiting_section(writer);
  return is_deadlock ? text : text + hint(writer);
}

}  // namespace dcube::app
