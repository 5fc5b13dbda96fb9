#include "run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/network/fluid_text.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/failures_over_time.hpp"
#include "dcube/scenario/run.hpp"
#include "dcube/scenario/scenario.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/show/text_table.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"
#include "phase_table.hpp"

namespace dcube::app {
namespace {

constexpr std::size_t bar_width = 24;
constexpr std::size_t most_busy_links = 5;
constexpr std::size_t most_blocked = 10;

std::string transfer_text(const TransferCost& cost) {
  const std::string fixed = format_time(cost.fixed);
  return cost.per_byte.is_zero() ? fixed
                                 : fmt::format("{} + {} a byte", fixed, format_time(cost.per_byte));
}

std::string hop_costs(const LinkModel& links) {
  const std::vector<TransferCost>& costs = links.per_dimension;
  const bool is_uniform = std::ranges::adjacent_find(costs, std::not_equal_to<>{}) == costs.end();
  std::string text = joined(first_of(costs, is_uniform ? 1 : costs.size()), ", ", transfer_text);
  if (!is_uniform) {
    text += " in dimensions 0, 1, ..";
  }
  if (!links.overrides.empty()) {
    text += fmt::format(" ({} differently)", counted(links.overrides.size(), "link"));
  }
  return text;
}

std::string endpoint_costs(const EndpointModel& endpoint) {
  if (endpoint.send == endpoint.receive) {
    return fmt::format("{} to send and to receive", transfer_text(endpoint.send));
  }
  return fmt::format("{} to send, {} to receive", transfer_text(endpoint.send),
                     transfer_text(endpoint.receive));
}

std::string node_words(const NodeModel& node) {
  return fmt::format("{}, {}, {} inside a node", counted(node.slots, "slot"),
                     node.cores ? counted(*node.cores, "core") : "as many cores",
                     transfer_text(node.local));
}

std::string jitter_words(const Jitter& jitter) {
  return fmt::format("computing times vary by up to {} of themselves (seed {})",
                     jitter_part_text(jitter), jitter.seed);
}

/// Words on switching; empty for whole messages that are stored and forwarded.
std::string switching_words(const LinkModel& links) {
  std::string text;
  if (links.switching == Switching::cut_through) {
    text += ", cut-through";
  } else if (links.switching == Switching::pipelined) {
    text += ", pipelined";
  }
  if (links.packet_bytes) {
    text += fmt::format(", packets of {}", readable_bytes(*links.packet_bytes));
  }
  return text;
}

std::string link_rules(const Machine& machine) {
  const bool is_contended = machine.links.contention == Contention::on;
  return fmt::format("{} duplex{}, {}", machine.links.duplex == Duplex::full ? "full" : "half",
                     machine.fluid ? std::string{} : switching_words(machine.links),
                     machine.fluid  ? fmt::format("{} by SimGrid ({})",
                                                 is_contended ? "shared" : "each message alone",
                                                  fluid_model_text(*machine.fluid))
                     : is_contended ? "first come first served"
                                    : "never queueing");
}

constexpr std::size_t most_failed_listed = 8;

template <class Item, class Name>
std::string list_words(const char* noun, const std::vector<Item>& items, Name name) {
  const std::size_t listed = std::min(items.size(), most_failed_listed);
  return fmt::format(
      "{}{} {}{}", noun, items.size() == 1 ? "" : "s", joined(first_of(items, listed), ", ", name),
      listed < items.size() ? fmt::format(" and {} more", items.size() - listed) : "");
}

std::string node_list(const std::vector<NodeId>& nodes) {
  return list_words("node", nodes, [](NodeId node) { return std::to_string(node.index()); });
}

std::string link_list(const std::vector<Link>& links) {
  return list_words("link", links, [](const Link& link) {
    return fmt::format("{}-{}", link.from.index(), link.to.index());
  });
}

/// "node 17, link 3-4; at 2 ms node 40; kept free: node 63"; nothing where nothing fails.
std::string failed_words(const Machine& machine) {
  std::vector<std::string> parts;
  std::vector<NodeId> fail_later;
  for (const FailuresAt& failures : failures_over_time(*machine.topology, machine.links.faults)) {
    std::vector<std::string> what;
    if (!failures.nodes.empty()) {
      what.push_back(node_list(failures.nodes));
    }
    if (!failures.links.empty()) {
      what.push_back(link_list(failures.links));
    }
    const bool is_later = failures.at > Ticks{0};
    parts.push_back((is_later ? fmt::format("at {} ", format_time(failures.at)) : std::string{}) +
                    joined(what, ", "));
    if (is_later) {
      fail_later.insert(fail_later.end(), failures.nodes.begin(), failures.nodes.end());
    }
  }
  std::vector<NodeId> spares = failures_of(*machine.topology).spares;
  std::erase_if(
      spares, [&](NodeId node) { return std::ranges::find(fail_later, node) != fail_later.end(); });
  if (!spares.empty()) {
    parts.push_back("kept free: " + node_list(spares));
  }
  return joined(parts, "; ");
}

std::string program_words(const Program& program) {
  const Guest guest = program.guest();
  return fmt::format("{}, {} ({})", program.kind(), counted(guest.process_count(), "process"),
                     guest.name());
}

/// A group is shown with all that it holds.
std::string answer_value(const Setting& value) {
  const Params* const group = value.group();
  return group == nullptr ? value.describe()
                          : "{" + joined(group->keys(), ", ", [&](const std::string& key) {
                              return fmt::format("{}: {}", key, group->find(key)->describe());
                            }) + "}";
}

std::string answer_words(const Scenario& scenario, const RunResult& result) {
  const Params answer = scenario.program->answer();
  std::vector<std::string> parts;
  if (result.verified) {
    parts.emplace_back(*result.verified ? "verified" : "WRONG");
  }
  for (const std::string& key : answer.keys()) {
    parts.push_back(fmt::format("{} {}", key, answer_value(*answer.find(key))));
  }
  return parts.empty() ? "no data to check" : joined(parts, ", ");
}

std::string setting_section(const Scenario& scenario, const RunResult& result) {
  const Machine& machine = *scenario.machine;
  Table table = facts_table();
  table.add_row({"machine", describe(machine)});
  if (const std::string failed = failed_words(machine); !failed.empty()) {
    table.add_row({"failed", failed});
  }
  table.add_row({"hop", fmt::format("{}, {}", hop_costs(machine.links), link_rules(machine))});
  if (machine.endpoint.send != TransferCost{} || machine.endpoint.receive != TransferCost{}) {
    table.add_row({"endpoint", endpoint_costs(machine.endpoint)});
  }
  if (machine.endpoint.gap != TransferCost{}) {
    table.add_row({"gap", fmt::format("{} at the interfaces of programs that are graphs",
                                      transfer_text(machine.endpoint.gap))});
  }
  if (machine.endpoint.eager_limit_bytes) {
    table.add_row({"eager", fmt::format("messages of up to {}",
                                        counted(*machine.endpoint.eager_limit_bytes, "byte"))});
  }
  if (machine.node.slots > 1 || machine.node.cores || machine.node.local != TransferCost{}) {
    table.add_row({"node", node_words(machine.node)});
  }
  if (machine.links.injection) {
    table.add_row({"injection", fmt::format("{} to leave a node and to enter one",
                                            transfer_text(*machine.links.injection))});
  }
  if (scenario.jitter.part > 0) {
    table.add_row({"jitter", jitter_words(scenario.jitter)});
  }
  table.add_row({"embedding", embedding_name(scenario.embedding_settings)});
  table.add_row({"program", program_words(*scenario.program)});
  table.add_row({"answer", answer_words(scenario, result)});
  return table.text(2);
}

std::string bar(double share) {
  const auto length = static_cast<std::size_t>(std::lround(share * static_cast<double>(bar_width)));
  return std::string(std::min(length, bar_width), '#');
}

std::string time_section(const RunReport& report) {
  std::vector<double> times;
  for (std::size_t i = 0; i < activity_count; ++i) {
    const TimeSummary& time = report.time_of(static_cast<Activity>(i));
    times.push_back(time.mean_s);
    times.push_back(to_seconds(time.max));
  }
  const TimeScale scale{times};
  const double makespan_s = to_seconds(report.makespan);
  Table table{{{"where the time went", Table::Align::left},
               {"mean"},
               {"max"},
               {"of makespan"},
               {"", Table::Align::left}}};
  for (std::size_t i = 0; i < activity_count; ++i) {
    const TimeSummary& time = report.time_of(static_cast<Activity>(i));
    const double share = makespan_s > 0 ? time.mean_s / makespan_s : 0;
    table.add_row({fmt::format("  {}", activity_names.at(i)), scale.text(time.mean_s),
                   scale.text(to_seconds(time.max)), percent(share), bar(share)});
  }
  return table.text();
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

std::string theory_words(const RunResult& result) {
  if (!result.theory) {
    return result.report.outcome == Outcome::completed
               ? "no formula, and a run like this is not made again without contention "
                 "(--set /machine/link/contention=false makes it)"
               : "none";
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

std::string speedup_words(const Scenario& scenario, const RunResult& result) {
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

std::string measures_section(const Scenario& scenario, const RunResult& result) {
  Table table = facts_table();
  table.add_row({"waiting", waiting_words(result.report)});
  table.add_row({"messages", message_words(result.report)});
  table.add_row({"theory", theory_words(result)});
  if (result.sequential_time && result.report.makespan > Ticks{0}) {
    table.add_row({"speedup", speedup_words(scenario, result)});
  }
  table.add_row({"simulation", simulation_words(result.report)});
  return table.text();
}

std::string links_section(const Machine& machine, const RunReport& report) {
  const std::size_t count = std::min(most_busy_links, report.busiest_links.size());
  if (count == 0) {
    return {};
  }
  Table table{{{"busiest links", Table::Align::left}, {"messages"}}};
  for (std::size_t i = 0; i < count; ++i) {
    const BusyLink& busy = report.busiest_links[i];
    table.add_row({"  " + link_name(machine, busy.link), grouped(busy.load)});
  }
  return table.text() + "\n";
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

std::string blocked_lines(const std::vector<BlockedProcess>& blocked) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most_blocked, blocked.size()); ++i) {
    const BlockedProcess& process = blocked[i];
    text += fmt::format(
        "\n  process {} {} {} since {}", process.process.index(),
        process.in_exchange ? "wants to exchange with" : "awaits a message from",
        process.awaits == anyone ? "anyone" : fmt::format("process {}", process.awaits.index()),
        format_time(process.since));
  }
  if (blocked.size() > most_blocked) {
    text += fmt::format("\n  and {} more", grouped(blocked.size() - most_blocked));
  }
  return text;
}

std::string cycle_line(const RunReport& report) {
  std::vector<ProcessId> cycle = waiting_cycle(report);
  if (cycle.empty()) {
    return "\n  no cycle: those they wait for have ended";
  }
  cycle.push_back(cycle.front());
  return "\n  cycle: " + joined(cycle, " -> ", &ProcessId::index);
}

/// ", wrap [true, false]": settings that the shape leaves open.
std::string wiring_of(const Topology& topology) {
  const Params details = topology.details();
  std::string text;
  for (const std::string& key : details.keys()) {
    const std::string* const word = details.find(key)->text();
    text += fmt::format(", {} {}", key, word != nullptr ? *word : details.find(key)->describe());
  }
  return text;
}

/// Choice of routes, where it is not the usual one.
std::string routes_of(const Machine& machine) {
  const Routing own = machine.links.routing.kind;
  if (own != Routing::fixed) {
    return fmt::format(", routing {}{}", own_ways_name(own),
                       own == Routing::minimal_adaptive
                           ? std::string{}
                           : fmt::format(" (seed {})", machine.links.routing.seed));
  }
  const Topology& topology = *machine.topology;
  return topology.routing() == usual_routing(topology)
             ? std::string{}
             : fmt::format(", routing {}", topology.routing());
}

}  // namespace

std::string describe(const Machine& machine) {
  const Topology& topology = *machine.topology;
  return fmt::format(
      "{} ({}), {}, {}", printable(machine.name), dcube::describe(topology),
      (topology.usable_count() == topology.node_count()
           ? counted(topology.node_count(), "node")
           : fmt::format("{} usable of {}", grouped(topology.usable_count()),
                         counted(topology.node_count(), "node"))) +
          (machine.node.slots == 1 ? std::string{}
                                   : fmt::format(" of {} slots", machine.node.slots)),
      counted(topology.link_count(), "link") + wiring_of(topology) + routes_of(machine));
}

std::string run_summary(const Scenario& scenario, const RunResult& result) {
  return fmt::format("{}{}\n{}\n{}{}{}fingerprint {:016x}\n", outcome_line(scenario, result.report),
                     setting_section(scenario, result), time_section(result.report),
                     phase_table(scenario, result),
                     links_section(*scenario.run_machine, result.report),
                     measures_section(scenario, result), result.report.fingerprint);
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
                         blocked_lines(report.blocked), cycle_line(report));
    case Outcome::unreachable:
      return fmt::format(
          "{}: a message of process {} cannot get from node {} to node {}, where "
          "process {} is: failures have parted them by {}",
          printable(scenario.source), report.cut_off->source.index(), report.cut_off->at.index(),
          report.cut_off->to.index(), report.cut_off->destination.index(),
          format_time(report.cut_off->time));
    default:
      return fmt::format("{}: the answer is wrong (a sequential computation gives another)",
                         printable(scenario.source));
  }
}

}  // namespace dcube::app
