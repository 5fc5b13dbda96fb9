#include "dcube/questions/map_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/counted.hpp"
#include "core/json_writing.hpp"
#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"
#include "dcube/metrics/spheres.hpp"
#include "dcube/network/link_rates.hpp"
#include "dcube/scenario/result_json.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/show/readable.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "scenario/embed_result.hpp"
#include "search_json.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t links_shown = 5;
constexpr std::size_t most_flows = 3;
constexpr std::size_t most_pairs = 5;
constexpr std::size_t processes_shown = 3;

template <class Visit>
void for_each_crossing(const SearchProblem& problem, std::span<const NodeId> map, Visit visit) {
  for (const Flow& flow : problem.traffic.flows()) {
    for_each_link(problem.topology, map[flow.from.index()], map[flow.to.index()],
                  [&](LinkId link) { visit(flow, link); });
  }
}

/// Whether the map can be measured by all objectives with the property.
bool is_usable_by(const SearchProblem& problem, bool ObjectiveTraits::*property) {
  return std::ranges::all_of(objectives_with(property), [&](Objective objective) {
    return is_usable(problem.with_objective(objective));
  });
}

/// Load of every link.
struct LinkSums {
  std::vector<std::uint64_t> bytes;  ///< by server_of()
  std::vector<std::uint64_t> units;  ///< time units by server_of(); empty where unknown
};

LinkSums link_sums(const SearchProblem& problem, std::span<const NodeId> map) {
  const std::uint32_t slots = problem.topology.link_slots();
  const bool has_rates =
      !problem.rates.units.empty() && is_usable_by(problem, &ObjectiveTraits::needs_rates);
  LinkSums sums{std::vector<std::uint64_t>(slots),
                std::vector<std::uint64_t>(has_rates ? slots : 0)};
  for_each_crossing(problem, map, [&](const Flow& flow, LinkId link) {
    const std::uint32_t server = problem.server_of(link).index();
    sums.bytes[server] += flow.bytes;
    if (has_rates) {
      sums.units[server] += flow.bytes * problem.rates.units[link.index()];
    }
  });
  return sums;
}

/// Calls `visit(process, partner, length)` for every two processes that talk. A length is the hops,
/// as their links weigh.
template <class Visit>
void for_each_pair(const SearchProblem& problem, const Partners& partners,
                   std::span<const NodeId> map, Visit visit) {
  const HopLengths lengths{problem.topology};
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    for (const Partner& partner : partners.of(process)) {
      if (process < partner.process.index()) {
        visit(ProcessId{process}, partner, lengths(map[process], map[partner.process.index()]));
      }
    }
  }
}

void look_at_pairs(const SearchProblem& problem, const Partners& partners,
                   std::span<const NodeId> map, MapReasons& reasons) {
  struct Costly {
    CostlyPair pair;
    UInt128 cost = 0;
  };
  std::vector<Costly> costly;
  double all = 0;
  for_each_pair(
      problem, partners, map, [&](ProcessId process, const Partner& partner, std::uint64_t length) {
        const std::uint32_t hops =
            problem.topology.distance(map[process.index()], map[partner.process.index()]);
        reasons.bytes_apart.resize(
            std::max<std::size_t>(reasons.bytes_apart.size(), hops + std::size_t{1}));
        reasons.bytes_apart[hops] += partner.weight;
        costly.push_back(
            {{process, partner.process, partner.weight, hops}, UInt128{partner.weight} * length});
        all += static_cast<double>(costly.back().cost);
        if (costly.size() > 100'000) {
          keep_greatest(costly, most_pairs, &Costly::cost);
        }
      });
  std::erase_if(costly, [&](const Costly& one) { return one.cost == 0; });
  keep_greatest(costly, most_pairs, &Costly::cost);
  for (Costly& one : costly) {
    one.pair.share = static_cast<double>(one.cost) / all;
    reasons.costly_pairs.push_back(one.pair);
  }
}

/// [i]: at most the length to the i-th nearest other node, from any node.
std::vector<std::uint64_t> nearest_lengths(const Topology& topology, std::size_t others) {
  const HopLengths lengths{topology};
  std::vector<std::uint64_t> nearest;
  constexpr std::uint64_t most_pairs_measured = 4'000'000;
  const std::uint64_t nodes = topology.terminal_count();
  if (!lengths.are_weighted() || nodes * nodes > most_pairs_measured) {
    const Spheres spheres = widest_spheres(topology, static_cast<std::uint32_t>(others));
    for (std::size_t distance = 1; distance < spheres.size() && nearest.size() < others;
         ++distance) {
      nearest.insert(nearest.end(), std::min<std::uint64_t>(spheres[distance], others),
                     distance * lengths.least_weight());
    }
    return nearest;
  }
  for (std::uint32_t from = 0; from < nodes; ++from) {
    std::vector<std::uint64_t> own;
    for (std::uint32_t to = 0; to < nodes; ++to) {
      if (from != to && topology.is_usable(NodeId{from}) && topology.is_usable(NodeId{to}) &&
          topology.reaches(NodeId{from}, NodeId{to})) {
        own.push_back(lengths(NodeId{from}, NodeId{to}));
      }
    }
    std::ranges::sort(own);
    own.resize(std::min(own.size(), others));
    nearest.resize(std::max(nearest.size(), own.size()), ~std::uint64_t{0});
    std::ranges::transform(own, nearest, nearest.begin(), std::ranges::min);
  }
  return nearest;
}

/// The least hop-bytes of a process: its heaviest partners on its node and on the nearest.
std::uint64_t least_of(std::span<const Partner> partners, std::span<const std::uint64_t> nearest,
                       std::uint32_t slots) {
  std::vector<std::uint64_t> weights = mapped(partners, &Partner::weight);
  std::ranges::sort(weights, std::greater{});
  std::uint64_t sum = 0;
  for (std::size_t i = slots - 1; i < weights.size() && (i + 1) / slots <= nearest.size(); ++i) {
    sum += weights[i] * nearest[(i + 1) / slots - 1];
  }
  return sum;
}

std::vector<LosingProcess> losing_processes(const SearchProblem& problem, const Partners& partners,
                                            std::span<const NodeId> map) {
  const std::vector<std::uint64_t> nearest =
      nearest_lengths(problem.topology, partners.most_partners());
  const HopLengths lengths{problem.topology};
  std::vector<LosingProcess> losing;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    LosingProcess one{ProcessId{process}, 0,
                      least_of(partners.of(process), nearest, problem.slots)};
    for (const Partner& partner : partners.of(process)) {
      one.hop_bytes += partner.weight * lengths(map[process], map[partner.process.index()]);
    }
    if (one.hop_bytes > one.least) {
      losing.push_back(one);
    }
  }
  keep_greatest(losing, processes_shown,
                [](const LosingProcess& one) { return one.hop_bytes - one.least; });
  return losing;
}

std::string flow_words(const CrossedLink& link) {
  std::string text = joined(link.heaviest, ", ", [](const CrossingFlow& flow) {
    return fmt::format("{}->{} ({})", flow.from.index(), flow.to.index(), grouped(flow.bytes));
  });
  return link.flows > link.heaviest.size()
             ? fmt::format("{} and {} more", text, grouped(link.flows - link.heaviest.size()))
             : text;
}

ordered_json link_json(const Columns<CrossedLink>& columns, const CrossedLink& link) {
  ordered_json json;
  add_members(json, columns, link);
  json["heaviest"] = mapped(link.heaviest, [](const CrossingFlow& flow) {
    return ordered_json{{"from", flow.from.index()},
                        {"to", flow.to.index()},
                        {"bytes", flow.bytes},
                        {"hops", flow.hops}};
  });
  if (link.time_ps) {
    json["time_s"] = link.time_s();
  }
  return json;
}

}  // namespace

std::vector<CrossedLink> busiest_links(const SearchProblem& problem, std::span<const NodeId> map) {
  const LinkSums sums = link_sums(problem, map);
  const std::vector<std::uint64_t>& loads = sums.units.empty() ? sums.bytes : sums.units;
  std::vector<std::uint32_t> servers;
  UInt128 all_bytes = 0;
  for (std::uint32_t server = 0; server < loads.size(); ++server) {
    all_bytes += sums.bytes[server];
    if (sums.bytes[server] > 0) {
      servers.push_back(server);
    }
  }
  keep_greatest(servers, links_shown, [&](std::uint32_t server) {
    return std::pair{loads[server], sums.bytes[server]};
  });
  const std::uint64_t links =
      problem.topology.link_count() * (problem.sharing == LinkSharing::directed ? 2 : 1);
  const double mean =
      static_cast<double>(all_bytes) / static_cast<double>(std::max<std::uint64_t>(1, links));
  std::vector<CrossedLink> busiest;
  for (const std::uint32_t server : servers) {
    const Link link = problem.topology.link(LinkId{server}).value();
    busiest.push_back(
        {link.from, link.to, sums.bytes[server], static_cast<double>(sums.bytes[server]) / mean});
    if (!sums.units.empty()) {
      busiest.back().time_ps = problem.rates.time_of(sums.units[server]);
    }
  }
  for_each_crossing(problem, map, [&](const Flow& flow, LinkId link) {
    const auto at = std::ranges::find(servers, problem.server_of(link).index());
    if (at != servers.end()) {
      CrossedLink& busy = busiest[static_cast<std::size_t>(at - servers.begin())];
      ++busy.flows;
      busy.heaviest.push_back(
          {flow.from, flow.to, flow.bytes,
           problem.topology.distance(map[flow.from.index()], map[flow.to.index()])});
      if (busy.heaviest.size() > 1000) {
        keep_greatest(busy.heaviest, most_flows, &CrossingFlow::bytes);
      }
    }
  });
  for (CrossedLink& busy : busiest) {
    keep_greatest(busy.heaviest, most_flows, &CrossingFlow::bytes);
  }
  return busiest;
}

std::vector<MeasuredObjective> measured_by_all(const SearchProblem& problem,
                                               std::span<const NodeId> map, bool knows_routes,
                                               std::vector<std::string>& refuted,
                                               std::optional<Objective> left_out) {
  std::vector<MeasuredObjective> all;
  for (const Objective objective : objectives_with(&ObjectiveTraits::is_reason)) {
    const ObjectiveTraits& traits = traits_of(objective);
    if (objective == left_out || (traits.needs_routes && !knows_routes) ||
        (traits.needs_rates && problem.rates.units.empty())) {
      continue;
    }
    const SearchProblem one = problem.with_objective(objective);
    if (!is_usable(one)) {
      continue;
    }
    all.push_back({one, cost_of(one, map), cost_bounds(one)});
    refuted.push_back(take_refuted(all.back().bounds, all.back().cost));
  }
  return all;
}

MapReasons reasons_of(const SearchProblem& problem, std::span<const NodeId> map,
                      bool knows_routes) {
  MapReasons reasons;
  reasons.knows_routes = knows_routes;
  reasons.sharing = problem.sharing;
  const Partners partners{problem.traffic, FlowWeight::bytes};
  if (knows_routes) {
    reasons.busiest_links = busiest_links(problem, map);
  }
  look_at_pairs(problem, partners, map, reasons);
  if (is_usable_by(problem, &ObjectiveTraits::is_sum)) {
    reasons.losing = losing_processes(problem, partners, map);
  } else {
    reasons.costly_pairs.clear();  // ways there and back differ
  }
  reasons.measured = measured_by_all(problem, map, knows_routes, reasons.refuted);
  return reasons;
}

Columns<CrossedLink> link_columns(const MapReasons& reasons) {
  using Row = const CrossedLink&;
  const char* const arrow = reasons.sharing == LinkSharing::directed ? "->" : "-";
  Columns<CrossedLink> columns{
      {"busiest link", Shown::text,
       [=](Row link) { return fmt::format("{}{}{}", link.from.index(), arrow, link.to.index()); }},
      {"", Shown::nowhere, [](Row link) { return link.from.index(); }, "from"},
      {"", Shown::nowhere, [](Row link) { return link.to.index(); }, "to"},
      {"bytes", Shown::count, &CrossedLink::bytes, "bytes"},
      {"times the mean", Shown::hundredths, &CrossedLink::of_mean, "of_mean"},
      {"", Shown::nowhere, &CrossedLink::flows, "flows"}};
  if (!reasons.busiest_links.empty() && reasons.busiest_links.front().time_ps) {
    columns.push_back(
        {"time", Shown::figure, [](Row link) { return readable_seconds(link.time_s()); }});
  }
  columns.push_back({"who crosses it (bytes)", Shown::text, flow_words});
  return columns;
}

Columns<CostlyPair> pair_columns(std::span<const NodeId> map) {
  using Row = const CostlyPair&;
  return {
      {"costliest pair", Shown::text,
       [](Row pair) { return fmt::format("{} and {}", pair.process.index(), pair.other.index()); }},
      {"nodes", Shown::text,
       [=](Row pair) {
         return fmt::format("{}, {}", map[pair.process.index()].index(),
                            map[pair.other.index()].index());
       }},
      {"bytes", Shown::count, &CostlyPair::bytes, "bytes"},
      {"hops", Shown::count, &CostlyPair::hops, "hops"},
      {"of all hop-bytes", Shown::share, &CostlyPair::share, "share"}};
}

ordered_json reasons_json(const MapReasons& reasons, std::span<const NodeId> map) {
  ordered_json json;
  const auto to_json = [columns = link_columns(reasons)](const CrossedLink& link) {
    return link_json(columns, link);
  };
  json["busiest_links"] =
      reasons.knows_routes ? ordered_json(mapped(reasons.busiest_links, to_json)) : nullptr;
  json["costly_pairs"] = mapped(reasons.costly_pairs, [&](const CostlyPair& pair) {
    ordered_json one{{"processes", {pair.process.index(), pair.other.index()}},
                     {"nodes", {map[pair.process.index()], map[pair.other.index()]}}};
    add_members(one, pair_columns(map), pair);
    return one;
  });
  json["bytes_by_hops"] = reasons.bytes_apart;
  json["losing_processes"] = mapped(reasons.losing, [&](const LosingProcess& one) {
    return ordered_json{{"process", one.process.index()},
                        {"node", map[one.process.index()]},
                        {"hop_bytes", one.hop_bytes},
                        {"least", one.least}};
  });
  json["bounds"] = mapped(reasons.measured, [](const MeasuredObjective& measured) {
    const CostBound& bound = measured.bounds.front();
    const CostScale scale = scale_of(measured.problem);
    return ordered_json{{"objective", to_string(measured.problem.objective)},
                        {"cost", measured.cost},
                        {"value", scale.value(measured.cost)},
                        {"quantity", scale.quantity},
                        {"bound", bound.cost},
                        {"bound_value", scale.value(bound.cost)},
                        {"source", bound.source},
                        {"gap", gap_of(measured.cost, bound.cost)}};
  });
  return json;
}

std::string link_picture_data(const SearchProblem& problem, std::span<const NodeId> map,
                              const LinkPicture& names) {
  const LinkSums sums = link_sums(problem, map);
  std::vector<NodeId> from;
  std::vector<NodeId> to;
  std::vector<std::uint64_t> bytes;
  std::vector<double> values(sums.bytes.size(), -1);  // [link]
  for (std::uint32_t number = 0; number < sums.bytes.size(); ++number) {
    const auto link = problem.topology.link(LinkId{number});
    if (link && problem.server_of(LinkId{number}) == LinkId{number}) {
      from.push_back(link->from);
      to.push_back(link->to);
      bytes.push_back(sums.bytes[number]);
      values[number] = static_cast<double>(sums.bytes[number]);
    }
  }
  ordered_json machine = network_result(problem.topology, problem.slots);
  if (!names.machine.empty()) {
    machine["name"] = names.machine;
  }
  ordered_json json{{"machine", std::move(machine)},
                    {"embedding", {{"kind", names.embedding}}},
                    {"traffic",
                     {{"name", names.traffic},
                      {"processes", problem.traffic.process_count()},
                      {"bytes", problem.traffic.total_bytes()}}},
                    {"link_loads", {{"from", from}, {"to", to}, {"bytes", bytes}}}};
  if (map.size() <= most_listed) {
    json["embedding"]["map"] = std::vector<NodeId>{map.begin(), map.end()};
  }
  const Duplex duplex = problem.sharing == LinkSharing::undirected ? Duplex::half : Duplex::full;
  if (!problem.topology.structure().link_classes.empty()) {
    json["link_load"]["by_class"]["bytes"] =
        loads_by_class(problem.topology, problem.topology, duplex, values);
  }
  add_drawing(json, problem.topology, problem.topology, duplex,
              failures_over_time(problem.topology));
  return json_layout(json);
}

LinkRates rates_if_any(const Machine& machine) {
  try {
    return link_rates(time_per_byte_of_links(machine));
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace dcube
