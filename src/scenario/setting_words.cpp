#include "dcube/scenario/setting_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "dcube/network/fluid_text.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/scenario/documents.hpp"
#include "dcube/scenario/failures_over_time.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/routing.hpp"

namespace dcube {
namespace {

// --- For people ---

std::string transfer_text(const TransferCost& cost) {
  const std::string fixed = format_time(cost.fixed);
  return cost.per_byte.is_zero() ? fixed
                                 : fmt::format("{} + {} a byte", fixed, format_time(cost.per_byte));
}

/// "1 us + 20 ps a byte (50 GB/s)".
std::string link_text(const TransferCost& cost) {
  return transfer_text(cost) + (cost.per_byte.is_zero()
                                    ? " (no bandwidth)"
                                    : fmt::format(" ({})", readable_rate(cost.per_byte)));
}

/// Costs of hops by class, and how many directed links have others.
struct UsualCosts {
  std::vector<TransferCost> by_class;
  std::size_t others = 0;
};

/// Those of the machine; where every link has costs of its own, the most frequent of these.
UsualCosts usual_costs(const Machine& machine) {
  const auto& overrides = machine.links.overrides;
  if (overrides.empty() || overrides.size() < 2 * machine.topology->link_count()) {
    return {machine.links.per_dimension, overrides.size()};
  }
  std::map<TransferCost, std::size_t> links;
  for (const auto& [link, cost] : overrides) {
    ++links[cost];
  }
  const auto most = std::ranges::max_element(links, {}, &decltype(links)::value_type::second);
  return {{most->first}, overrides.size() - most->second};
}

std::string hop_costs(const Machine& machine) {
  const auto [costs, others] = usual_costs(machine);
  const bool is_uniform = std::ranges::adjacent_find(costs, std::not_equal_to<>{}) == costs.end();
  std::string text = joined(first_of(costs, is_uniform ? 1 : costs.size()), ", ", link_text);
  if (!is_uniform) {
    const std::vector<std::string>& classes = machine.topology->structure().link_classes;
    text += classes.empty() ? " in dimensions 0, 1, .."
                            : fmt::format(" on links of {}", joined(classes, ", "));
  }
  if (others > 0) {
    text += fmt::format(" ({} differently)", counted(others, "link"));
  }
  return text;
}

std::string overhead_text(const TransferCost& send, const TransferCost& receive) {
  if (send == receive) {
    return fmt::format("{} of overhead to send and to receive", transfer_text(send));
  }
  return fmt::format("{} of overhead to send, {} to receive", transfer_text(send),
                     transfer_text(receive));
}

std::string endpoint_costs(const EndpointModel& endpoint) {
  std::string text = overhead_text(endpoint.send, endpoint.receive);
  for (const EndpointStep& step : endpoint.larger) {
    text += fmt::format("; above {} {}", counted(step.above, "byte"),
                        overhead_text(step.send, step.receive));
  }
  return text;
}

std::string call_costs(const EndpointModel& endpoint) {
  std::string text = fmt::format("{} a call, {} for each of its ports, {} to combine a byte",
                                 format_time(endpoint.call), format_time(endpoint.call_per_port),
                                 format_time(endpoint.combine_per_byte));
  const auto add = [&](const ExactTime& cost, const char* what) {
    if (!cost.is_zero()) {
      text += fmt::format(", {} to {}", format_time(cost), what);
    }
  };
  add(endpoint.combine, "combine a message");
  add(endpoint.copy_per_byte, "copy a byte");
  add(endpoint.plan, "work out a message");
  add(endpoint.piece, "send a piece of it");
  add(endpoint.exchange, "exchange something small");
  const SeveralPorts& several = endpoint.several_ports;
  std::vector<std::string> differing;
  const auto add_differing = [&](const std::optional<ExactTime>& cost, const char* what) {
    if (cost) {
      differing.push_back(fmt::format("{} to {}", format_time(*cost), what));
    }
  };
  add_differing(several.combine_per_byte, "combine a byte");
  add_differing(several.combine, "combine a message");
  add_differing(several.copy_per_byte, "copy a byte");
  add_differing(several.plan, "work out a message");
  if (several.in_step) {
    differing.emplace_back("in step");
  }
  if (several.threads) {
    differing.emplace_back("a core for each");
  }
  return differing.empty() ? text
                           : fmt::format("{}; at several ports {}", text, joined(differing, ", "));
}

std::string node_words(const NodeModel& node) {
  return fmt::format("{}, {}, {} inside a node", counted(node.slots, "slot"),
                     node.cores ? counted(*node.cores, "core") : "as many cores",
                     transfer_text(node.local));
}

std::string injection_words(const LinkModel& links) {
  const auto& [out, in] = links.injection;
  const auto text = [](const auto& cost) { return cost ? transfer_text(*cost) : "nothing"; };
  const std::string nics = links.interfaces > 1 ? fmt::format("{} NICs", links.interfaces) : "NIC";
  return out == in
             ? fmt::format("{} to leave a node and to enter one ({})", text(out), nics)
             : fmt::format("{} to leave a node, {} to enter one ({})", text(out), text(in), nics);
}

std::string packet_words(const LinkModel& links) {
  return links.packet_bytes ? fmt::format(", packets of {}", readable_bytes(*links.packet_bytes))
                            : std::string{};
}

const char* switching_words(const LinkModel& links) {
  switch (links.switching) {
    case Switching::cut_through:
      return "cut-through";
    case Switching::pipelined:
      return "pipelined";
    default:
      return "store and forward";
  }
}

/// How links with contention serve.
const char* service_words(const LinkModel& links) {
  return links.service == Service::round_robin ? "round robin" : "first come first served";
}

/// How messages share links.
std::string sharing_words(const Machine& machine) {
  const bool is_contended = machine.links.contention == Contention::on;
  return machine.fluid
             ? fmt::format("{} by SimGrid ({})", is_contended ? "shared" : "each message alone",
                           fluid_model_text(*machine.fluid))
         : is_contended ? service_words(machine.links)
                        : "never queueing";
}

std::string link_rules(const Machine& machine) {
  return fmt::format("{} duplex, {}{}", machine.links.duplex == Duplex::full ? "full" : "half",
                     machine.fluid ? std::string{}
                                   : fmt::format("{}{}, ", switching_words(machine.links),
                                                 packet_words(machine.links)),
                     sharing_words(machine));
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
    return fmt::format(
        ", routing {}{}", own_ways_name(own),
        !is_drawn(own) ? std::string{} : fmt::format(" (seed {})", machine.links.routing.seed));
  }
  const Topology& topology = *machine.topology;
  return topology.routing() == usual_routing(topology)
             ? std::string{}
             : fmt::format(", routing {}", topology.routing());
}

std::string machine_words(const Machine& machine) {
  const Topology& topology = *machine.topology;
  return fmt::format(
      "{} ({}), {}, {}", printable(machine.name), describe(topology),
      (topology.usable_count() == topology.terminal_count()
           ? counted(topology.terminal_count(), "node")
           : fmt::format("{} usable of {}", grouped(topology.usable_count()),
                         counted(topology.terminal_count(), "node"))) +
          (machine.node.slots == 1 ? std::string{}
                                   : fmt::format(" of {} slots", machine.node.slots)),
      counted(topology.link_count(), "link") + wiring_of(topology) + routes_of(machine));
}

// --- In results ---

std::string cost_text(std::string_view noun, const TransferCost& cost) {
  return fmt::format("{} {} + {}/byte", noun, format_time(cost.fixed), format_time(cost.per_byte));
}

std::string injection_text(const LinkModel& links) {
  const auto& [out, in] = links.injection;
  const auto text = [](const auto& cost) { return cost ? cost_text("latency", *cost) : "none"; };
  return (out == in ? text(out) : fmt::format("out: {}; in: {}", text(out), text(in))) +
         (links.interfaces > 1 ? fmt::format(" x {}", links.interfaces) : "");
}

std::string hop_text(const Machine& machine) {
  const auto [costs, others] = usual_costs(machine);
  std::string text = costs.empty() ? "no links" : cost_text("latency", costs.front());
  if (std::ranges::adjacent_find(costs, std::ranges::not_equal_to{}) != costs.end()) {
    text.clear();
    for (std::size_t dimension = 0; dimension < costs.size(); ++dimension) {
      text += fmt::format("{}{}: {}", dimension == 0 ? "" : "; ",
                          machine.topology->class_name(static_cast<std::uint32_t>(dimension)),
                          cost_text("latency", costs[dimension]));
    }
  }
  if (others > 0) {
    text += fmt::format("; {} directed links have costs of their own", others);
  }
  return text;
}

std::string switching_text(const Machine& machine) {
  const LinkModel& links = machine.links;
  const char* const duplex = links.duplex == Duplex::full ? "full" : "half";
  if (machine.fluid) {
    return fmt::format(
        "fluid ({}), {} duplex, {}; nothing queues, and times are as exact as SimGrid's doubles",
        fluid_model_text(*machine.fluid), duplex,
        links.contention == Contention::on ? "links shared by max-min fairness"
                                           : "every message has its links alone");
  }
  std::string text =
      links.switching == Switching::cut_through ? "cut_through" : "store_and_forward";
  if (links.switching == Switching::pipelined) {
    text += ", pipelined links";
  }
  if (links.packet_bytes) {
    text += fmt::format(", packets of {} bytes", *links.packet_bytes);
  }
  return fmt::format("{}, {} duplex, links {}", text, duplex,
                     links.contention == Contention::on ? service_words(links) : "never queue");
}

/// Routing as text; empty where messages take the network's own routes.
std::string routing_text(const RoutingModel& routing) {
  switch (routing.kind) {
    case Routing::random_order:
      return fmt::format("random_order: dimensions in an order drawn by each message, seed {}",
                         routing.seed);
    case Routing::valiant:
      return fmt::format("valiant: over a node drawn by each message, seed {}", routing.seed);
    case Routing::minimal_adaptive:
      return "minimal_adaptive: of the links that bring a message nearer, over the one that it can "
             "have first";
    case Routing::valiant_group:
      return fmt::format("valiant_group: through a group drawn by each message, seed {}",
                         routing.seed);
    case Routing::ugal:
      return fmt::format(
          "ugal: through a group drawn by each message where fewer wait{}, seed {}, threshold {}",
          routing.sight == Sight::way ? " on the whole way" : "", routing.seed, routing.threshold);
    case Routing::ecmp:
      return fmt::format("ecmp: over links drawn by each message, seed {}", routing.seed);
    default:
      return {};
  }
}

std::string node_text(const NodeModel& node) {
  return fmt::format(
      "{} slots, {}; {}", node.slots,
      node.cores ? fmt::format("{} cores", *node.cores) : std::string{"a core for every process"},
      cost_text("local latency", node.local));
}

std::string host_text(const HostComputer& host) {
  const std::string place = host.attached_to ? fmt::format("node {}", host.attached_to->index())
                                             : std::string{"every node"};
  return fmt::format("joined to {}, {}", place, cost_text("latency", host.link));
}

// --- The list ---

using OfRun = const RunInWords&;

const Machine& machine_of(OfRun run) { return *run.scenario.machine; }
const EndpointModel& endpoint_of(OfRun run) { return machine_of(run).endpoint; }

/// A setting, as people read it and as results hold it.
struct SettingWords {
  const char* header;               ///< for people
  std::string (*words)(OfRun);      ///< null: people read it elsewhere
  const char* key;                  ///< in results
  std::string (*text)(OfRun);       ///< null: results hold it elsewhere
  bool (*is_set)(OfRun) = nullptr;  ///< null: always
};

bool has_jitter(OfRun run) { return run.scenario.jitter.part > 0; }

// In the order of results. Jitter, which is no part of the machine, comes last for people.
const std::array<SettingWords, 17> settings{{
    {"machine", [](OfRun run) { return machine_words(machine_of(run)); }, "", nullptr},
    {"failed", [](OfRun run) { return failed_words(machine_of(run)); }, "", nullptr},
    {"hop",
     [](OfRun run) {
       return fmt::format("{}, {}", hop_costs(machine_of(run)), link_rules(machine_of(run)));
     },
     "hop", [](OfRun run) { return hop_text(machine_of(run)); }},
    {"", nullptr, "switching", [](OfRun run) { return switching_text(machine_of(run)); }},
    {"", nullptr, "routing", [](OfRun run) { return routing_text(machine_of(run).links.routing); }},
    {"endpoint", [](OfRun run) { return endpoint_costs(endpoint_of(run)); }, "endpoint",
     [](OfRun run) {
       std::string text = fmt::format("{}; {}", cost_text("send", endpoint_of(run).send),
                                      cost_text("receive", endpoint_of(run).receive));
       for (const EndpointStep& step : endpoint_of(run).larger) {
         text += fmt::format("; above {} bytes {}; {}", step.above, cost_text("send", step.send),
                             cost_text("receive", step.receive));
       }
       return text;
     },
     [](OfRun run) {
       return endpoint_of(run).send != TransferCost{} ||
              endpoint_of(run).receive != TransferCost{} || !endpoint_of(run).larger.empty();
     }},
    {"collectives", [](OfRun run) { return call_costs(endpoint_of(run)); }, "collective_costs",
     [](OfRun run) { return call_costs(endpoint_of(run)); },
     [](OfRun run) { return call_costs(endpoint_of(run)) != call_costs(EndpointModel{}); }},
    {"", nullptr, "jitter",
     [](OfRun run) {
       return fmt::format("{} of computing times, seed {}", jitter_part_text(run.scenario.jitter),
                          run.scenario.jitter.seed);
     },
     has_jitter},
    {"gap",
     [](OfRun run) {
       return transfer_text(endpoint_of(run).gap) +
              " at the interfaces of programs that are graphs";
     },
     "gap", [](OfRun run) { return cost_text("gap", endpoint_of(run).gap); },
     [](OfRun run) { return endpoint_of(run).gap != TransferCost{}; }},
    {"eager",
     [](OfRun run) {
       return "messages of up to " + counted(*endpoint_of(run).eager_limit_bytes, "byte");
     },
     "eager_limit",
     [](OfRun run) {
       return fmt::format("messages of more than {} bytes leave when received",
                          *endpoint_of(run).eager_limit_bytes);
     },
     [](OfRun run) { return endpoint_of(run).eager_limit_bytes.has_value(); }},
    {"node", [](OfRun run) { return node_words(machine_of(run).node); }, "node",
     [](OfRun run) { return node_text(machine_of(run).node); },
     [](OfRun run) {
       const NodeModel& node = machine_of(run).node;
       return node.slots > 1 || node.cores || node.local != TransferCost{};
     }},
    {"injection", [](OfRun run) { return injection_words(machine_of(run).links); }, "injection",
     [](OfRun run) { return injection_text(machine_of(run).links); },
     [](OfRun run) { return bool{machine_of(run).links.injection}; }},
    {"", nullptr, "host", [](OfRun run) { return host_text(machine_of(run).host.value()); },
     [](OfRun run) { return run.scenario.program->uses_host(); }},
    {"jitter",
     [](OfRun run) {
       return fmt::format("computing times vary by up to {} of themselves (seed {})",
                          jitter_part_text(run.scenario.jitter), run.scenario.jitter.seed);
     },
     "", nullptr, has_jitter},
    {"embedding", [](OfRun run) { return embedding_name(run.scenario.embedding_settings); }, "",
     nullptr},
    {"program", [](OfRun run) { return program_words(*run.scenario.program); }, "", nullptr},
    {"answer", [](OfRun run) { return answer_words(run.scenario, run.result); }, "", nullptr},
}};

}  // namespace

std::string hop_words(const Machine& machine) { return "a hop takes " + hop_costs(machine); }

std::string network_words(const Machine& machine, NetworkWords words) {
  const std::string failed = failed_words(machine);
  return (words == NetworkWords::all
              ? link_rules(machine)
              : fmt::format("{} duplex{}", machine.links.duplex == Duplex::full ? "full" : "half",
                            packet_words(machine.links))) +
         routes_of(machine) + (failed.empty() ? "" : "; failed: " + failed);
}

Columns<RunInWords> setting_columns() {
  Columns<RunInWords> columns;
  for (const SettingWords& setting : settings) {
    const auto value = [&setting](auto say) {
      return [&setting, say](OfRun run) {
        const std::string said = setting.is_set == nullptr || setting.is_set(run) ? say(run) : "";
        return said.empty() ? CellValue{} : CellValue{said};
      };
    };
    if (setting.words != nullptr) {
      columns.push_back({setting.header, Shown::text, value(setting.words)});
    }
    if (setting.text != nullptr) {
      columns.push_back({"", Shown::nowhere, value(setting.text), setting.key});
    }
  }
  return columns;
}

}  // namespace dcube
