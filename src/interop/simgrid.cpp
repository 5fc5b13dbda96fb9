#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalog.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/core/time.hpp"
#include "dcube/network/routing_names.hpp"
#include "dcube/topology/adjacency.hpp"
#include "node_name.hpp"

namespace dcube {
namespace {

// SimGrid's platform files name hosts, links and routes. With few nodes every route is dcube's.
// More would make the file too long; then SimGrid finds shortest paths over single links on demand,
// because all of them (its "Floyd") take minutes on some thousand nodes.

constexpr std::uint32_t most_nodes_with_routes = 256;

/// Bandwidth of a link without a cost per byte; SimGrid wants a number.
constexpr const char* unbounded = "1e18Bps";

/// How many pass in a second.
double rate_of(const ExactTime& time_of_one) {
  constexpr double picoseconds = 1e12;
  return picoseconds * static_cast<double>(time_of_one.denominator()) /
         static_cast<double>(time_of_one.numerator());
}

std::string bandwidth_of(const ExactTime& per_byte) {
  return per_byte.is_zero() ? unbounded : fmt::format("{}Bps", rate_of(per_byte));
}

/// SimGrid wants a speed of every host.
std::string speed_of(const Machine& machine) {
  const auto flop = machine.compute.find("flop");
  return flop == machine.compute.end() || flop->second.is_zero()
             ? "1Gf"
             : fmt::format("{}f", rate_of(flop->second));
}

class PlatformText {
 public:
  explicit PlatformText(const MapExport& content)
      : machine_{content.machine},
        topology_{*machine_.topology},
        hosts_{content.hosts},
        links_{adjacency_of(topology_)} {}

  std::string text() {
    const LinkModel& links = machine_.links;
    refuse_if(
        links.injection && links.interfaces > 1, "",
        "a platform of SimGrid gives a message no choice of {} network interfaces of its node",
        links.interfaces);
    if (links.routing.kind != Routing::fixed) {
      warn("simgrid", fmt::format("a platform has one route for each two hosts, here the machine's "
                                  "own without {}",
                                  own_ways_name(links.routing.kind)));
    }
    const bool has_all_routes = topology_.node_count() <= most_nodes_with_routes;
    text_ = fmt::format(
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<!-- {} -->\n<platform version=\"4.1\">\n  <zone id=\"machine\" routing=\"{}\">\n",
        describe(topology_), has_all_routes ? "Full" : "DijkstraCache");
    add_hosts();
    add_routers(!has_all_routes);
    add_links();
    if (has_all_routes) {
      add_all_routes();
    } else {
      add_routes_of_neighbours();
    }
    return text_ + "  </zone>\n</platform>\n";
  }

 private:
  bool is_half_duplex() const { return machine_.links.duplex == Duplex::half; }

  std::string host(NodeId node) const { return node_name(topology_, hosts_, node); }

  // Names of what belongs to a network interface have a colon, which names of hosts have not.

  bool has_interface(NodeId node) const {
    return machine_.links.injection && topology_.is_terminal(node) && topology_.is_alive(node);
  }
  std::string interface_name(NodeId node, Passage passage) const {
    return host(node) + (passage == Passage::out ? ":out" : ":in");
  }
  /// Where the links of a node meet: behind its interface, if it has one.
  std::string meeting_place(NodeId node) const {
    return has_interface(node) ? host(node) + ":links" : host(node);
  }

  /// With half duplex both directions are one link. Parallel links are told apart by their numbers.
  std::string link_name(LinkId number, const Link& link) const {
    std::uint32_t from = link.from.index();
    std::uint32_t to = link.to.index();
    const LinkId lower = std::min(number, topology_.reverse(number));
    if (is_half_duplex() && from > to) {
      std::swap(from, to);
    }
    const std::optional<LinkId> first = links_.link_between(link.from, link.to);
    const bool is_first = first && std::min(*first, topology_.reverse(*first)) == lower;
    return is_first ? fmt::format("link-{}-{}", from, to)
                    : fmt::format("link-{}-{}-{}", from, to, lower.index());
  }

  template <class Visit>
  void for_each_link(Visit visit) const {
    for (std::uint32_t number = 0; number < topology_.link_slots(); ++number) {
      if (const std::optional<Link> link = topology_.link(LinkId{number})) {
        visit(LinkId{number}, *link);
      }
    }
  }

  void add_hosts() {
    const std::uint32_t core_count = machine_.node.cores.value_or(machine_.node.slots);
    const std::string cores =
        core_count == 1 ? std::string{} : fmt::format(" core=\"{}\"", core_count);
    const std::string speed = speed_of(machine_);
    for (std::uint32_t node = 0; node < topology_.terminal_count(); ++node) {
      if (topology_.is_alive(NodeId{node})) {
        text_ +=
            fmt::format("    <host id=\"{}\" speed=\"{}\"{}/>\n", host(NodeId{node}), speed, cores);
      }
    }
  }

  /// Switches, and the meeting places behind interfaces.
  void add_routers(bool behind_interfaces) {
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      if (topology_.is_terminal(NodeId{node}) ? behind_interfaces && has_interface(NodeId{node})
                                              : topology_.is_alive(NodeId{node})) {
        text_ += fmt::format("    <router id=\"{}\"/>\n", meeting_place(NodeId{node}));
      }
    }
  }

  void add_link(const std::string& name, const TransferCost& cost) {
    const bool never_queues = machine_.links.contention == Contention::off || cost.never_queues;
    text_ += fmt::format(
        "    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}s\" sharing_policy=\"{}\"/>\n", name,
        bandwidth_of(cost.per_byte), cost.fixed.seconds(), never_queues ? "FATPIPE" : "SHARED");
  }

  const TransferCost& cost_of(LinkId number, const Link& link) const {
    const auto single = machine_.links.overrides.find(number);
    return single != machine_.links.overrides.end()
               ? single->second
               : machine_.links.per_dimension.at(link.dimension);
  }

  void add_links() {
    for_each_link([&](LinkId number, const Link& link) {
      if (is_half_duplex() && link.from > link.to) {
        return;
      }
      TransferCost cost = cost_of(number, link);
      if (is_half_duplex()) {
        const TransferCost& back = cost_of(topology_.reverse(number), link);
        // A link of SimGrid costs the same both ways.
        const auto greater = [](const ExactTime& a, const ExactTime& b) {
          return b.seconds() > a.seconds() ? b : a;
        };
        cost.fixed = greater(cost.fixed, back.fixed);
        cost.per_byte = greater(cost.per_byte, back.per_byte);
      }
      add_link(link_name(number, link), cost);
    });
    for (std::uint32_t node = 0; node < topology_.terminal_count(); ++node) {
      for (const Passage passage : {Passage::out, Passage::in}) {
        if (has_interface(NodeId{node})) {
          add_link(interface_name(NodeId{node}, passage),
                   machine_.links.injection.of(passage).value_or(TransferCost{}));
        }
      }
    }
  }

  void add_all_routes() {
    for (std::uint32_t from = 0; from < topology_.terminal_count(); ++from) {
      for (std::uint32_t to = 0; to < topology_.terminal_count(); ++to) {
        if (from != to && topology_.reaches(NodeId{from}, NodeId{to})) {
          add_route(NodeId{from}, NodeId{to});
        }
      }
    }
  }

  void add_route(NodeId from, NodeId to) {
    std::vector<std::string> links;
    if (has_interface(from)) {
      links.push_back(interface_name(from, Passage::out));
    }
    dcube::for_each_link(topology_, from, to, [&](LinkId number) {
      links.push_back(link_name(number, topology_.link(number).value()));
    });
    if (has_interface(to)) {
      links.push_back(interface_name(to, Passage::in));
    }
    write_route(host(from), host(to), links);
  }

  /// One for each pair of neighbours. Shortest paths lead through no interface of a node between.
  void add_routes_of_neighbours() {
    for (std::uint32_t number = 0; number < topology_.node_count(); ++number) {
      const NodeId node{number};
      if (has_interface(node)) {
        write_route(host(node), meeting_place(node), {interface_name(node, Passage::out)});
        write_route(meeting_place(node), host(node), {interface_name(node, Passage::in)});
      }
      for (const NodeId neighbour : topology_.neighbours(node)) {
        const LinkId link = links_.link_between(node, neighbour).value();
        write_route(meeting_place(node), meeting_place(neighbour),
                    {link_name(link, topology_.link(link).value())});
      }
    }
  }

  void write_route(const std::string& from, const std::string& to,
                   const std::vector<std::string>& links) {
    text_ += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", from, to);
    for (const std::string& link : links) {
      text_ += fmt::format("<link_ctn id=\"{}\"/>", link);
    }
    text_ += "</route>\n";
  }

  const Machine& machine_;
  const Topology& topology_;
  const HostNames& hosts_;
  Adjacency links_;
  std::string text_;
};

}  // namespace

const MapFormat simgrid_map_format{
    "simgrid",
    "the machine as a platform file of SimGrid, its hosts the nodes",
    "dcube embed torus:8x8 --embedding xor --write simgrid:x.xml",
    ".xml",
    [](const MapExport& content) { return PlatformText{content}.text(); },
    nullptr,
    true};

}  // namespace dcube
