#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "catalog.hpp"
#include "dcube/topology/adjacency.hpp"

namespace dcube {
namespace {

// SimGrid's platform files name hosts, links and routes. With few nodes every route is dcube's.
// More would make the file too long; then SimGrid finds shortest paths over single links on demand,
// because all of them (its "Floyd") take minutes on some thousand nodes.

constexpr std::uint32_t most_nodes_with_routes = 256;

/// Bandwidth of a link without a cost per byte; SimGrid wants a number.
constexpr const char* unbounded = "1e18Bps";

std::string bandwidth_of(const ExactTime& per_byte) {
  constexpr double picoseconds = 1e12;
  return per_byte.is_zero()
             ? unbounded
             : fmt::format("{}Bps", picoseconds * static_cast<double>(per_byte.denominator()) /
                                        static_cast<double>(per_byte.numerator()));
}

class PlatformText {
 public:
  explicit PlatformText(const MapExport& content)
      : machine_{content.machine},
        topology_{*machine_.topology},
        hosts_{content.hosts},
        links_{adjacency_of(topology_)} {}

  std::string text() {
    const bool has_all_routes = topology_.node_count() <= most_nodes_with_routes;
    text_ = fmt::format(
        "<?xml version='1.0'?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<!-- {} -->\n<platform version=\"4.1\">\n  <zone id=\"machine\" routing=\"{}\">\n",
        describe(topology_), has_all_routes ? "Full" : "DijkstraCache");
    const std::uint32_t core_count = machine_.node.cores.value_or(machine_.node.slots);
    const std::string cores =
        core_count == 1 ? std::string{} : fmt::format(" core=\"{}\"", core_count);
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      text_ += fmt::format("    <host id=\"{}\" speed=\"1Gf\"{}/>\n", host(NodeId{node}), cores);
    }
    add_links();
    if (has_all_routes) {
      add_all_routes();
    } else {
      for_each_link([&](LinkId, const Link& link) { add_route(link.from, link.to); });
    }
    return text_ + "  </zone>\n</platform>\n";
  }

 private:
  bool is_half_duplex() const { return machine_.links.duplex == Duplex::half; }

  /// A switch is a host without processes, of a name that no node has.
  std::string host(NodeId node) const {
    if (topology_.is_terminal(node)) {
      return hosts_.of(node);
    }
    std::string name = fmt::format("switch-{}", node.index() - topology_.terminal_count());
    while (is_node(name)) {
      name.insert(0, "own-");
    }
    return name;
  }
  bool is_node(std::string_view name) const {
    const std::optional<NodeId> node = hosts_.find(name);
    return node && topology_.contains(*node) && topology_.is_terminal(*node);
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

  void add_links() {
    for_each_link([&](LinkId number, const Link& link) {
      if (is_half_duplex() && link.from > link.to) {
        return;
      }
      const auto single = machine_.links.overrides.find(number);
      const TransferCost& cost = single != machine_.links.overrides.end()
                                     ? single->second
                                     : machine_.links.per_dimension.at(link.dimension);
      const std::string bandwidth = bandwidth_of(cost.per_byte);
      const bool never_queues = machine_.links.contention == Contention::off || cost.never_queues;
      text_ += fmt::format(
          "    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}s\" sharing_policy=\"{}\"/>\n",
          link_name(number, link), bandwidth, cost.fixed.seconds(),
          never_queues ? "FATPIPE" : "SHARED");
    });
  }

  void add_all_routes() {
    for (std::uint32_t from = 0; from < topology_.node_count(); ++from) {
      for (std::uint32_t to = 0; to < topology_.node_count(); ++to) {
        if (from != to && topology_.reaches(NodeId{from}, NodeId{to})) {
          add_route(NodeId{from}, NodeId{to});
        }
      }
    }
  }

  void add_route(NodeId from, NodeId to) {
    text_ +=
        fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", host(from), host(to));
    for (NodeId at = from; at != to;) {
      const Run run = topology_.next_run_of(Topology::flow_between(from, to), at, to);
      for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
        const LinkId number{static_cast<std::uint32_t>(std::int64_t{run.first.index()} +
                                                       std::int64_t{run.stride} * hop)};
        text_ +=
            fmt::format("<link_ctn id=\"{}\"/>", link_name(number, topology_.link(number).value()));
      }
      at = run.end;
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
