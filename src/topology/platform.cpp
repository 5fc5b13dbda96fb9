#include "dcube/topology/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "catalog.hpp"
#include "core/counted.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "dcube/topology/routing.hpp"
#include "dcube/topology/with_host.hpp"
#include "fabric.hpp"
#include "meeting_links.hpp"

// Platforms of SimGrid. Their routes depend on both ends, so all of them are kept.

namespace dcube {
namespace {

/// Classes have costs by themselves; more costs than these stay with their links.
constexpr std::size_t most_classes = 32;

ExactTime whole_time(double seconds) {
  constexpr double second = Ticks::period::den;
  return ExactTime{Ticks{std::llround(seconds * second)}};
}

/// Time of one of `per_second`: exact where its decimal allows.
ExactTime time_of_one(double per_second) {
  try {
    return parse_time_per_byte(fmt::format("{}", per_second));
  } catch (const InputError&) {
    return parse_time_per_byte(fmt::format("{:.0f}", std::max(1.0, std::round(per_second))));
  }
}

PlatformCosts::Cost cost_of(const Platform::Link& link, const std::string& place) {
  constexpr double most_seconds = 9e6;  // in 63 bits of picoseconds
  const bool is_sound = link.latency_s >= 0 && link.latency_s < most_seconds &&
                        link.bytes_per_s > 0 && std::isfinite(link.bytes_per_s);
  refuse_if(!is_sound, place,
            "the link {} has a latency of {} s and {} bytes/s (0 to 9e6 s, and more than 0)",
            link.name, link.latency_s, link.bytes_per_s);
  return {whole_time(link.latency_s), time_of_one(link.bytes_per_s), link.never_queues};
}

/// Cost of a message inside a node that crosses these links.
PlatformCosts::Cost local_cost(const Platform& platform, const Platform::Host& host,
                               const std::string& place) {
  double latency = 0;
  double bytes_per_s = std::numeric_limits<double>::max();
  for (const std::uint32_t number : host.local) {
    latency += platform.links[number].latency_s;
    bytes_per_s = std::min(bytes_per_s, platform.links[number].bytes_per_s);
  }
  return cost_of({host.name, latency, bytes_per_s}, place);
}

PlatformCosts costs_of_hosts(const Platform& platform, const std::string& place) {
  PlatformCosts costs;
  const Platform::Host& first = platform.hosts.front();
  const auto other_speed = std::ranges::find_if(platform.hosts, [&](const Platform::Host& host) {
    return host.flop_per_s != first.flop_per_s;
  });
  if (other_speed == platform.hosts.end()) {
    if (first.flop_per_s > 0 && std::isfinite(first.flop_per_s)) {
      costs.flop = time_of_one(first.flop_per_s);
    }
  } else {
    costs.warnings.push_back(
        fmt::format("hosts compute at different speeds ({} {} flop/s, {} {}), so `compute.flop` is "
                    "not set",
                    first.name, first.flop_per_s, other_speed->name, other_speed->flop_per_s));
  }
  if (first.local.empty()) {
    return costs;
  }
  costs.local = local_cost(platform, first, place);
  const auto other_local = std::ranges::find_if(platform.hosts, [&](const Platform::Host& host) {
    return host.local.empty() || local_cost(platform, host, place) != *costs.local;
  });
  if (other_local != platform.hosts.end()) {
    costs.warnings.push_back(
        fmt::format("messages inside a host cost something else on {} than on {}, whose costs "
                    "stand for all",
                    other_local->name, first.name));
  }
  return costs;
}

class PlatformNetwork final : public Fabric {
 public:
  PlatformNetwork(FabricPlan plan, PlatformCosts costs, std::vector<std::uint64_t> first,
                  std::vector<std::uint32_t> routes)
      : Fabric{"simgrid", std::move(plan)},
        costs_{std::move(costs)},
        first_{std::move(first)},
        routes_{std::move(routes)} {}

  const PlatformCosts& costs() const { return costs_; }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    check_ends(from, to);
    if (!is_terminal(from) || !is_terminal(to)) {
      return Fabric::distance(from, to);
    }
    const std::size_t pair = pair_of(from.index(), to.index());
    return static_cast<std::uint32_t>(first_[pair + 1] - first_[pair]);
  }
  bool are_routes_by_flow() const override { return true; }
  Run next_run(NodeId at, NodeId to) const override {
    return next_run_of(flow_between(at, to), at, to);
  }
  Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const override {
    check_ends(at, to);
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    const auto source = static_cast<std::uint32_t>(flow >> 32U);
    if (is_terminal(to) && source < terminal_count()) {
      if (const auto next = on_route(pair_of(source, to.index()), at)) {
        return *next;
      }
      if (is_terminal(at)) {
        return on_route(pair_of(at.index(), to.index()), at).value();
      }
    }
    return Fabric::next_run(at, to);
  }

 private:
  std::size_t pair_of(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{from} * terminal_count() + to;
  }
  /// The hop of a route that leaves this node, if one does.
  std::optional<Run> on_route(std::size_t pair, NodeId at) const {
    for (std::uint64_t i = first_[pair]; i < first_[pair + 1]; ++i) {
      const LinkId link{routes_[i]};
      if (ends_of(link).from == at) {
        return hop({ends_of(link).to, link});
      }
    }
    return std::nullopt;
  }
  Link ends_of(LinkId link) const { return *this->link(link); }

  PlatformCosts costs_;
  std::vector<std::uint64_t> first_;   ///< [pair]: its first link in `routes_`
  std::vector<std::uint32_t> routes_;  ///< numbers of links
};

/// The network's links, class by class, and their numbers by those of the edges.
class LinkClasses {
 public:
  LinkClasses(const Platform& platform, const MeetingLinks& meeting, const std::string& place) {
    const std::vector<MeetingLinks::Edge>& edges = meeting.edges();
    for (const MeetingLinks::Edge& edge : edges) {
      if (edge.link == MeetingLinks::none) {
        costs_.push_back({ExactTime{Ticks{1}}, {}, false});
        continue;
      }
      PlatformCosts::Cost cost = cost_of(platform.links[edge.link], place);
      const std::int64_t ticks = cost.latency.numerator();
      cost.latency =
          ExactTime{Ticks{std::max<std::int64_t>(ticks - meeting.connectors()[edge.link], 0)}};
      costs_.push_back(cost);
    }
    class_of_.assign(edges.size(), 0);
    for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
      const bool is_connector = edges[edge].link == MeetingLinks::none;
      const std::string name = is_connector ? "connectors" : platform.links[edges[edge].link].name;
      class_of_[edge] = class_for(costs_[edge], name, is_connector);
    }
  }

  void add_to(FabricPlan& plan, const Platform& platform, const MeetingLinks& meeting,
              PlatformCosts& costs) {
    const std::vector<MeetingLinks::Edge>& edges = meeting.edges();
    number_of_.resize(edges.size());
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
      plan.begin_class(classes_[number].name,
                       static_cast<std::uint64_t>(std::ranges::count(class_of_, number)));
      costs.classes.push_back(classes_[number].cost);
      for (std::uint32_t edge = 0; edge < edges.size(); ++edge) {
        if (class_of_[edge] == number) {
          number_of_[edge] = plan.next_link();
          plan.add_link(edges[edge].from, edges[edge].to);
          costs.links.push_back(costs_[edge]);
          costs.link_names.push_back(edges[edge].link == MeetingLinks::none
                                         ? std::string{}
                                         : platform.links[edges[edge].link].name);
        }
      }
    }
  }

  std::uint32_t number(std::uint32_t directed_edge) const {
    return number_of_[directed_edge / 2] + directed_edge % 2;
  }

 private:
  struct Class {
    PlatformCosts::Cost cost;
    std::string name;
    bool is_of_connectors;
  };

  /// Links of one cost are a class, named after the first. Of too many costs, one class has most.
  std::uint32_t class_for(const PlatformCosts::Cost& cost, const std::string& name,
                          bool is_connector) {
    auto found = std::ranges::find_if(classes_, [&](const Class& known) {
      return known.cost == cost && known.is_of_connectors == is_connector;
    });
    if (found == classes_.end() && (classes_.size() < most_classes || is_connector)) {
      classes_.push_back({cost, name, is_connector});
      found = classes_.end() - 1;
    }
    return found == classes_.end() ? 0 : static_cast<std::uint32_t>(found - classes_.begin());
  }

  std::vector<PlatformCosts::Cost> costs_;  ///< [edge]
  std::vector<std::uint32_t> class_of_;     ///< [edge]
  std::vector<Class> classes_;
  std::vector<std::uint32_t> number_of_;  ///< [edge]
};

}  // namespace

std::unique_ptr<Topology> make_platform_network(const Platform& platform,
                                                const std::string& place) {
  refuse_if(platform.hosts.size() < 2, place, "{} (a network has two or more)",
            counted(platform.hosts.size(), "host"));
  MeetingLinks meeting{platform, place};
  LinkClasses classes{platform, meeting, place};
  const std::uint64_t hosts = platform.hosts.size();
  FabricPlan plan{hosts, meeting.node_count() - hosts, place};
  PlatformCosts costs = costs_of_hosts(platform, place);
  classes.add_to(plan, platform, meeting, costs);
  plan.structure.do_terminals_forward = meeting.do_hosts_forward();
  plan.structure.are_routes_shortest = false;
  plan.structure.routings = {"simgrid"};
  for (const Platform::Host& host : platform.hosts) {
    costs.host_names.push_back(host.name);
  }
  std::vector<std::uint64_t> first{0};
  first.reserve(platform.lengths.size() + 1);
  std::vector<std::uint32_t> routes;
  routes.reserve(platform.routes.size());
  for (std::size_t pair = 0; pair < platform.lengths.size(); ++pair) {
    for (const std::uint32_t edge : meeting.next_route()) {
      routes.push_back(classes.number(edge));
    }
    first.push_back(routes.size());
  }
  return std::make_unique<PlatformNetwork>(std::move(plan), std::move(costs), std::move(first),
                                           std::move(routes));
}

const PlatformCosts* platform_costs(const Topology& topology) {
  const auto* const network = dynamic_cast<const PlatformNetwork*>(
      &without_hop_weights(without_failures(without_host(topology))));
  return network != nullptr ? &network->costs() : nullptr;
}

const TopologyKind simgrid_kind{
    "simgrid",
    "a platform of SimGrid: its hosts, links and routes",
    "",
    {{"platform", "file of the platform (.xml)", ""}},
    [](const Params& params) -> std::unique_ptr<Topology> {
      const std::string file = params.full_text("platform", "is no file");
      return make_platform_network(
          at_least_at(params.place_of("platform"), [&] { return read_platform(file); }), file);
    }};

}  // namespace dcube
