#include "catalog.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "core/registry.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

#define DCUBE_KIND_ADDRESS(name) &name##_kind,
constexpr const TopologyKind* own_kinds[] = {DCUBE_TOPOLOGIES(DCUBE_KIND_ADDRESS)};
#undef DCUBE_KIND_ADDRESS

Registry<TopologyKind>& topology_registry() {
  static Registry<TopologyKind> registry{"topology", own_kinds};
  return registry;
}

/// Checks a topology's structure() against its nodes and links. Bounds are proofs that rest on it,
/// so plug-ins are not trusted.
class StructureCheck {
 public:
  StructureCheck(const Topology& topology, std::string place)
      : topology_{topology}, said_{topology.structure()}, place_{std::move(place)} {}

  void run() const {
    const bool has_paths = std::ranges::count(said_.lines, Line::path) > 0;
    demand(said_.places.empty() || said_.places.size() == topology_.node_count(),
           "there is a place for each node, or none");
    demand(said_.lines.empty() || has_sides(topology_), "there is a line for each dimension");
    demand(said_.folds.empty() || (has_coordinates(topology_) &&
                                   std::accumulate(said_.folds.begin(), said_.folds.end(), 0U) ==
                                       topology_.dimension_count()),
           "every path or cycle is a factor of a folded side");
    demand(!said_.are_nodes_alike || (has_sides(topology_) && !has_paths),
           "nodes that are alike are on cycles and twisted lines alone");
    demand(!said_.is_cube || (has_only(topology_, Line::cycle, Line::cycle) &&
                              std::ranges::all_of(topology_.shape(),
                                                  [](std::uint32_t side) { return side == 2; })),
           "a cube has cycles of two nodes alone");
    if (!has_sides(topology_)) {
      return;
    }
    const auto nodes = std::accumulate(topology_.shape().begin(), topology_.shape().end(),
                                       std::uint64_t{1}, std::multiplies{});
    demand(nodes == topology_.node_count(), "the sides multiply to the number of nodes");
    check_links();
    if (std::ranges::count(said_.lines, Line::twisted) == 0) {
      demand(!said_.are_nodes_alike || is_grid(topology_), "nodes that are alike have all links");
      check_distances();
    } else if (said_.are_nodes_alike) {
      check_steps();
    }
  }

 private:
  using Line = Structure::Line;

  void demand(bool holds, const char* rule) const {
    refuse_if(!holds, place_, "the topology `{}` is not as its structure() says: {}",
              topology_.kind(), rule);
  }

  /// Hops between two nodes along lines without twists.
  std::uint64_t hops_between(std::uint32_t a, std::uint32_t b) const {
    std::uint64_t hops = 0;
    for (std::size_t d = 0; d < topology_.dimension_count(); ++d) {
      const std::uint32_t side = topology_.shape()[d];
      const std::uint32_t apart = a % side > b % side ? a % side - b % side : b % side - a % side;
      hops += is_cycle(topology_, d) ? std::min(apart, side - apart) : apart;
      a /= side;
      b /= side;
    }
    return hops;
  }

  void check_links() const {
    const bool is_twisted = std::ranges::count(said_.lines, Line::twisted) > 0;
    std::uint64_t ends = 0;
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      for (const NodeId other : topology_.neighbours(NodeId{node})) {
        ++ends;
        demand(is_twisted || hops_between(node, other.index()) == 1,
               "links join neighbours along a line");
      }
    }
    demand(ends == 2 * topology_.link_count(), "nodes have as many neighbours as there are links");
  }

  /// Checks machines that are small enough for proofs by enumeration.
  void check_distances() const {
    constexpr std::uint32_t most_nodes = 256;
    const std::uint32_t nodes = is_grid(topology_) ? topology_.node_count() : 0;
    for (std::uint32_t from = 0; from < nodes && nodes <= most_nodes; ++from) {
      for (std::uint32_t to = 0; to < nodes; ++to) {
        demand(topology_.distance(NodeId{from}, NodeId{to}) == hops_between(from, to),
               "routes are as long as the way along the lines");
      }
    }
  }

  /// Checks that a step up a line by all nodes keeps the links, and that steps lead everywhere.
  void check_steps() const {
    std::vector<bool> is_reached(topology_.node_count());
    std::vector<NodeId> reached{NodeId{0}};
    is_reached[0] = true;
    std::vector<std::vector<NodeId>> steps;
    for (std::size_t d = 0; d < topology_.dimension_count(); ++d) {
      if (topology_.shape()[d] > 1) {
        steps.push_back(step_up(d));
      }
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::vector<NodeId>& step : steps) {
        const NodeId next = step[reached[i].index()];
        if (!is_reached[next.index()]) {
          is_reached[next.index()] = true;
          reached.push_back(next);
        }
      }
    }
    demand(reached.size() == topology_.node_count(), "steps up its lines lead to all nodes");
  }
  std::vector<NodeId> step_up(std::size_t d) const {
    const std::uint32_t up = topology_.link_directions()[2 * d].first.index();
    const std::uint32_t down = topology_.link_directions()[2 * d + 1].first.index();
    std::vector<NodeId> step;
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      std::optional<Link> link = topology_.link(LinkId{up + node});
      if (!link && topology_.shape()[d] == 2) {  // a single link, up or down
        link = topology_.link(LinkId{down + node});
      }
      demand(link && link->from == NodeId{node}, "nodes that are alike have all links");
      step.push_back(link->to);
    }
    for (std::uint32_t node = 0; node < topology_.node_count(); ++node) {
      std::vector<NodeId> moved = mapped(topology_.neighbours(NodeId{node}),
                                         [&](NodeId neighbour) { return step[neighbour.index()]; });
      std::ranges::sort(moved);
      demand(moved == topology_.neighbours(step[node]),
             "a step up a line by all nodes at once keeps the links");
    }
    return step;
  }

  const Topology& topology_;
  const Structure& said_;
  std::string place_;
};

}  // namespace

std::span<const TopologyKind* const> topology_catalog() { return topology_registry().kinds(); }

bool register_topology(const TopologyKind& kind, Headers built_with) {
  return topology_registry().add(kind, built_with, topology_headers);
}

std::unique_ptr<Topology> make_topology(const Params& settings) {
  const TopologyKind& kind = required_kind(topology_catalog(), settings, "a topology");
  check_keys(kind, settings, {"kind"});
  std::unique_ptr<Topology> topology = kind.make(settings);
  if (std::ranges::find(own_kinds, &kind) == std::end(own_kinds)) {
    StructureCheck{*topology, settings.place()}.run();
  }
  return topology;
}

}  // namespace dcube
