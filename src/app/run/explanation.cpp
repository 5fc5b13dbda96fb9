#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/columns.hpp"
#include "dcube/show/readable.hpp"
#include "explanation_parts.hpp"
#include "run_summary.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t most_groups = 8;
constexpr std::size_t most_links = 5;
constexpr std::size_t most_processes = 5;
constexpr std::size_t most_awaiting = 10;
/// Share of the makespan; a sentence about less would mislead.
constexpr double least_share_told = 0.1;

/// Nouns by CauseKind.
constexpr std::array<const char*, cause_kinds> cause_nouns{"computing", "sending and receiving",
                                                           "hops", "queueing", "waiting for ever"};

const char* noun(CauseKind kind) { return cause_nouns.at(static_cast<std::size_t>(kind)); }

/// "in cube dimension 5", "with the host".
std::string in_group(const Writer& writer, const PairGroup& group) {
  switch (group.kind) {
    case PairGroup::Kind::guest_dimension:
      return "in " + group_name(writer.guest, group);
    case PairGroup::Kind::host:
      return "with the host";
    default:
      return "between other pairs";
  }
}

/// "torus dimensions 0, 1 (2 of 4 hops by a wrap-around)": the links that hops use.
std::string over_text(const Writer& writer, const GroupTotals& group) {
  std::vector<std::uint32_t> dimensions;
  std::uint64_t hops = 0;
  std::uint64_t wrapped = 0;
  bool uses_host = false;
  for (const GroupTotals::Over& over : group.over) {
    if (over.place.is_host) {
      uses_host = true;
      continue;
    }
    hops += over.total.hops;
    wrapped += over.place.is_wrap_around ? over.total.hops : 0;
    if (std::ranges::count(dimensions, over.place.dimension) == 0) {
      dimensions.push_back(over.place.dimension);
    }
  }
  if (group.over.empty() && group.messages > 0) {
    return "no link, inside a node";
  }
  std::string text;
  if (!dimensions.empty()) {
    const Topology& topology = *writer.scenario.machine->topology;
    text = topology.structure().link_classes.empty()
               ? fmt::format("{} {} {}", topology.kind(),
                             dimensions.size() == 1 ? "dimension" : "dimensions",
                             joined(dimensions, ", "))
               : fmt::format("{} links of {}", topology.kind(),
                             joined(dimensions, ", ", [&](std::uint32_t number) {
                               return topology.class_name(number);
                             }));
  }
  if (wrapped > 0) {
    text = wrapped == hops ? "the wrap-around of " + text
                           : fmt::format("{} ({} of {} by a wrap-around)", text, grouped(wrapped),
                                         counted(hops, "hop"));
  }
  if (uses_host) {
    text += text.empty() ? "the host's links" : " and the host's links";
  }
  return text;
}

std::string hops_each(const GroupTotals& group) {
  return group.least_hops == group.most_hops
             ? grouped(group.most_hops)
             : fmt::format("{} to {}", grouped(group.least_hops), grouped(group.most_hops));
}

// --- What the path goes on ---

/// "The longest hops are in cube dimension 5: 57.1 % of the makespan, 16 hops each, over .."
std::string hop_sentence(const Writer& writer) {
  const GroupTotals& longest = *std::ranges::max_element(
      writer.path.by_group, {}, [](const GroupTotals& group) { return group.total.hop_time; });
  const auto equal = kept(writer.path.by_group, [&](const GroupTotals& group) {
    return group.group != longest.group && group.total.hop_time == longest.total.hop_time;
  });
  const auto in_this = [&](const GroupTotals& group) { return in_group(writer, group.group); };
  return fmt::format(
      "The longest hops are {}: {} of the makespan, {} {} each, over {}{}.\n", in_this(longest),
      writer.share_text(longest.total.hop_time), hops_each(longest),
      longest.most_hops == 1 ? "hop" : "hops", over_text(writer, longest),
      equal.empty() ? "" : fmt::format("; as long {}", joined(equal, ", ", in_this)));
}

std::string opening(const Writer& writer) {
  const std::vector<CauseKind> kinds = kinds_by_time(writer.path);
  std::vector<std::string> shares;
  shares.reserve(kinds.size());
  for (const CauseKind kind : kinds) {
    shares.push_back(fmt::format("{}{} {}", writer.share_text(writer.path.of(kind)),
                                 shares.empty() ? " of the makespan is" : "", noun(kind)));
  }
  std::string text =
      fmt::format("{}: a chain of {} and {} that ends with {}.\n", joined(shares, ", "),
                  counted(writer.path.computations, "computation"),
                  counted(writer.path.messages, "message"), writer.process(writer.path.last));
  if (writer.share(writer.path.of(CauseKind::hop)) >= least_share_told) {
    text += hop_sentence(writer);
  }
  return text;
}

std::string group_table(const Writer& writer) {
  const std::vector<GroupTotals>& groups = writer.path.by_group;
  if (groups.empty()) {
    return {};
  }
  using Row = const GroupTotals&;
  Columns<GroupTotals> columns{
      {"messages of the chain", Shown::text,
       [&](Row group) { return "  " + group_name(writer.guest, group.group); }},
      {"number", Shown::count, &GroupTotals::messages},
      {"hops each", Shown::figure, hops_each},
      {"hops", Shown::figure, [](Row group) { return time_text(group.total.hop_time); }}};
  if (writer.path.of(CauseKind::queueing) > Ticks{0}) {
    columns.push_back(
        {"queueing", Shown::figure, [](Row group) { return time_text(group.total.queueing); }});
  }
  if (writer.path.of(CauseKind::endpoint) > Ticks{0}) {
    columns.push_back(
        {"endpoint", Shown::figure, [](Row group) { return time_text(group.endpoint); }});
  }
  columns.push_back({"of makespan", Shown::figure, [&](Row group) {
                       return writer.share_text(group.total.hop_time + group.total.queueing +
                                                group.endpoint);
                     }});
  columns.push_back({"over", Shown::text, [&](Row group) { return over_text(writer, group); }});
  const std::size_t more = groups.size() - std::min(most_groups, groups.size());
  return text_table(columns, first_of(groups, most_groups)).text() +
         (more == 0 ? "" : fmt::format("  and {} more\n", more)) + "\n";
}

std::string queue_sentence(const Writer& writer) {
  if (writer.path.of(CauseKind::queueing) == Ticks{0}) {
    return {};
  }
  std::vector<LinkTotals> queues = writer.path.by_link;
  std::erase_if(queues, [](const LinkTotals& link) { return link.total.queueing == Ticks{0}; });
  std::ranges::stable_sort(queues, std::ranges::greater{},
                           [](const LinkTotals& link) { return link.total.queueing; });
  const std::string names =
      joined(first_of(queues, most_links), ", ", [&](const LinkTotals& queue) {
        return fmt::format("{} ({})", link_name(*writer.scenario.run_machine, queue.link),
                           time_text(queue.total.queueing));
      });
  return fmt::format("Its messages queue before {}{}.\n", names,
                     queues.size() > most_links
                         ? fmt::format(" and {}", counted(queues.size() - most_links, "other link"))
                         : "");
}

std::string lost_sentence(const Writer& writer) {
  const Ticks lost =
      sum_of(writer.path.by_group, [](const GroupTotals& group) { return group.total.lost; });
  return lost == Ticks{0}
             ? ""
             : fmt::format("Its messages lost {} to failures, on hops or waiting for them.\n",
                           time_text(lost));
}

// --- Why processes waited ---

/// Nouns by WaitingCause.
constexpr std::array<const char*, waiting_causes> waiting_nouns{"the awaited process computes",
                                                                "one that it waits for computes",
                                                                "sending and receiving",
                                                                "hops of a message",
                                                                "a message queues",
                                                                "nobody comes"};

std::string waiting_table(const Writer& writer) {
  const auto total = [&](std::size_t cause) { return writer.waiting.total_s[cause]; };
  auto causes = kept(numbered<std::size_t>(waiting_causes),
                     [&](std::size_t cause) { return total(cause) > 0; });
  std::ranges::stable_sort(causes, std::ranges::greater{}, total);
  const Columns<std::size_t> columns{
      {"while processes wait", Shown::text,
       [](std::size_t cause) { return fmt::format("  {}", waiting_nouns.at(cause)); }},
      {"in all", Shown::figure, [&](std::size_t cause) { return readable_seconds(total(cause)); }},
      {"of waiting", Shown::share,
       [&](std::size_t cause) { return total(cause) / writer.waiting.sum_s; }}};
  return text_table(columns, causes).text();
}

/// "Those they waited for were late because, in all, they had spent 8 s more on hops until then."
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
  return fmt::format(
      "Those they waited for were late because, in all, they had spent {} until then.\n",
      joined(parts, ", ", [](const Part& part) {
        return fmt::format("{} {} on {}", readable_seconds(std::abs(part.time_s)),
                           part.time_s > 0 ? "more" : "less", part.on);
      }));
}

/// "Of the waiting, 40.0 % is for a core of the node."
std::string awaits_sentence(const WaitingCauses& waiting) {
  std::vector<std::string> shares;
  for (const auto& [awaits, what] :
       {std::pair{Awaits::core, "a core of the node"},
        std::pair{Awaits::receiver, "the receiver of a message above the eager limit"}}) {
    if (const double time_s = waiting.for_s[static_cast<std::size_t>(awaits)]; time_s > 0) {
      shares.push_back(fmt::format("{}{} for {}", percent(time_s / waiting.sum_s),
                                   shares.empty() ? " is" : "", what));
    }
  }
  return shares.empty() ? "" : fmt::format("Of the waiting, {}.\n", joined(shares, ", "));
}

std::string blame_sentences(const Writer& writer) {
  const WaitingCauses& waiting = writer.waiting;
  std::string text = awaits_sentence(waiting) + lateness_sentence(waiting.lateness);
  text += fmt::format(
      "Longest awaited: {}.\n",
      joined(first_of(waiting.by_awaited, most_processes), ", ", [&](const auto& awaited) {
        return fmt::format("{} ({}, {})", writer.process(awaited.process),
                           readable_seconds(awaited.waiting_s), counted(awaited.waits, "wait"));
      }));
  if (waiting.of(WaitingCause::distance) > 0) {
    const WaitingCauses::Group& group = *std::ranges::max_element(
        waiting.by_group, {}, [](const auto& one) { return one.distance_s; });
    text += fmt::format("Of the hops waited for, {} are {}.\n",
                        percent(group.distance_s / waiting.of(WaitingCause::distance)),
                        in_group(writer, group.group));
  }
  if (!waiting.by_link.empty()) {
    text += fmt::format("Queues waited for: {}.\n",
                        joined(first_of(waiting.by_link, most_links), ", ", [&](const auto& queue) {
                          return fmt::format("{} ({})",
                                             link_name(*writer.scenario.run_machine, queue.link),
                                             readable_seconds(queue.waiting_s));
                        }));
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

/// Number of parts of the path that follow in this way from those before them.
std::size_t count_of(const CriticalPath& path, Follows follows) {
  return static_cast<std::size_t>(std::ranges::count(path.parts, follows, &PathPart::follows));
}

/// "the run at most 4 s (15.4 %) shorter, up to 1 s of it by less queueing", or the same of this
/// chain, where that is no bound.
std::string shorter(const Writer& writer, const Advice& advice) {
  const Ticks gain = advice.gain.value();
  Ticks queueing{0};
  if (advice.change != Change::no_queueing) {
    queueing = std::min(gain, writer.path.of(CauseKind::queueing));
  }
  return fmt::format("{} {} shorter{}", advice.is_bound ? "the run at most" : "this chain",
                     writer.time_and_share(gain),
                     queueing <= gain / 100
                         ? ""
                         : fmt::format(", up to {} of it by less queueing", time_text(queueing)));
}

/// Reason why the chain's gain is no bound for the run; empty when it is one.
std::string caution(Unbound unbound) {
  const char* const why = [unbound] {
    switch (unbound) {
      case Unbound::takes_what_comes_first:
        return "processes act by what comes first";
      case Unbound::waits_for_cores:
        return "the chain waits for a core";
      case Unbound::ports_depend:
        return "ports of a process wait for each other";
      case Unbound::ways_are_chosen:
        return "messages choose their routes";
      case Unbound::links_fail:
        return "links fail at fixed instants";
      case Unbound::nothing:
        break;
    }
    return "";
  }();
  return *why == 0 ? std::string{}
                   : fmt::format(
                         " This is a hint and no bound for the run: {}, so another order "
                         "may be faster.",
                         why);
}

/// Sentence about a change and its effect.
std::string advice_text(const Writer& writer, const Advice& advice) {
  switch (advice.change) {
    case Change::faster_computing:
      return fmt::format("faster computing. Twice as fast, it makes {}.", shorter(writer, advice));
    case Change::free_network: {
      const std::string time = format_time(writer.path.length - advice.gain.value());
      return advice.is_bound
                 ? fmt::format(
                       "The computations of this chain alone take {}, and no map or network makes "
                       "the run shorter than that.",
                       time)
                 : fmt::format("The computations of this chain alone take {}.", time);
    }
    case Change::shorter_ways:
      return fmt::format(
          "a map with a shorter route {}. One that halves its hops' time and changes nothing else "
          "makes {}.",
          in_group(writer, advice.group), shorter(writer, advice));
    case Change::faster_links: {
      const GroupTotals& longest = longest_way(writer.path);
      const bool is_one_hop = longest.most_hops <= 1;
      return fmt::format(
          "faster links, {}. Links twice as fast make {}.",
          is_one_hop
              ? fmt::format("but no other map, since messages {} take one hop each",
                            in_group(writer, longest.group))
              : fmt::format("rather than another map, since {} of it is that of bytes which take "
                            "as long over one hop as over many",
                            time_text(longest.total.bytes)),
          shorter(writer, advice));
    }
    case Change::no_queueing:
      return fmt::format("spreading the messages over more links. No queueing at all makes {}.",
                         shorter(writer, advice));
    case Change::no_endpoint_costs:
      return fmt::format("fewer or larger messages. No send/receive overhead at all makes {}.",
                         shorter(writer, advice));
    case Change::more_cores: {
      const std::size_t waits = count_of(writer.path, Follows::core);
      return fmt::format(
          "more cores, or a map that places processes which compute at the same time on different "
          "nodes: {} of this chain {} for a core. All of them take {}.",
          counted(waits, "computation"), waits == 1 ? "waits" : "wait",
          format_time(writer.path.of(CauseKind::compute)));
    }
    case Change::no_eager_limit: {
      const std::size_t waits = count_of(writer.path, Follows::receiver);
      return fmt::format(
          "In this chain a receiver is waited for {}, since messages above the eager limit leave "
          "no earlier: receives that are posted earlier, or a higher limit, could help, too.",
          waits == 1 ? "once" : fmt::format("{} times", grouped(waits)));
    }
  }
  return {};
}

/// Hint about the saving by changing the largest part, and about receivers.
std::string hint(const Writer& writer) {
  const std::vector<Advice>& advice = writer.path.advice;
  if (advice.empty()) {
    return {};
  }
  std::string text = "What could help: " + advice_text(writer, advice.front());
  if (advice.front().gain) {
    text += caution(writer.path.unbound);
  }
  if (advice.front().change == Change::faster_computing) {
    text += " " + advice_text(writer, advice[1]);
  }
  if (advice.back().change == Change::no_eager_limit) {
    text += "\n" + advice_text(writer, advice.back());
  }
  return text + "\n";
}

// --- Deadlock ---

/// Text on a deadlock: follows awaited processes from the last one that did anything.
std::string deadlock_text(const Writer& writer) {
  const auto blocked = [&](ProcessId process) -> const BlockedProcess* {
    const auto found = std::ranges::find(writer.report.blocked, process, &BlockedProcess::process);
    return found == writer.report.blocked.end() ? nullptr : &*found;
  };
  std::vector<ProcessId> seen{writer.path.last};
  if (blocked(seen.front()) == nullptr && !writer.report.blocked.empty()) {
    seen.front() = writer.report.blocked.front().process;
  }
  std::string text = fmt::format("The run stops because {}", writer.process(seen.front()));
  while (seen.size() <= most_awaiting) {
    const BlockedProcess* const waiting = blocked(seen.back());
    if (waiting == nullptr) {
      return text + ", which has ended.\n";
    }
    const char* const which = seen.size() == 1 ? "" : ", which";
    const ProcessId next = waiting->awaits;
    if (next == anyone) {
      return text + fmt::format("{} awaits {}.\n", which,
                                waiting->what == Awaits::nothing
                                    ? "several requests, none of which is complete"
                                    : "a message that nobody sends");
    }
    text += fmt::format("{} awaits {}", which, writer.process(next));
    if (std::ranges::count(seen, next) > 0) {
      return text + ": a ring in which nobody can go on.\n";
    }
    seen.push_back(next);
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
  text += opening(writer) + queue_sentence(writer) + lost_sentence(writer) + "\n" +
          chain_text(writer) + "\n" + phases_on_path_table(scenario, writer.path) +
          group_table(writer) + waiting_section(writer) +
          overlap_table(writer, result.explanation->overlap);
  return is_deadlock ? text : text + hint(writer);
}

}  // namespace dcube::app
