#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/headers.hpp"
#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"

namespace dcube {

/// Straight stretch of a route: `hops` links first, first + stride, .., which lead to node `end`.
struct Run {
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  LinkId first;
  std::int32_t stride = 0;
  std::uint32_t hops = 0;  ///< 0 when the message is already there, and only then
  NodeId end;
  /// Position of `first`'s block in link_directions(); unknown where that takes a search.
  std::uint32_t block = unknown;

  friend bool operator==(const Run& a, const Run& b) {
    return a.first == b.first && a.stride == b.stride && a.hops == b.hops && a.end == b.end;
  }
};

/// One direction of a link.
struct Link {
  NodeId from;
  NodeId to;
  std::uint32_t dimension = 0;  ///< or the class, see Structure::link_classes
};

/// Block of link numbers that runs walk with one stride: link `first + i` leaves node i. With
/// stride 0 the links form no lines: every run has one hop, and a link may leave any node.
struct LinkDirection {
  LinkId first;
  std::uint32_t count = 0;
  std::int32_t stride = 0;
  std::uint32_t dimension = 0;
};

/// Properties of a whole topology. Bounds, starts, embeddings and drawings depend on them and never
/// on the name of a kind, so kinds of plug-ins are equal to others. make_topology() checks those of
/// plug-ins against nodes and links, and up to 256 nodes against distances.
struct Structure {
  /// Links between nodes that differ in the coordinate of one dimension alone.
  enum class Line : std::uint8_t {
    path,    ///< each node is linked to the next
    cycle,   ///< a path whose ends are linked, too, if there are three nodes or more
    twisted  ///< a cycle whose link from the last to the first may shift the other coordinates
  };
  /// Place in a drawing. The unit is the distance of neighbours in a grid; y grows downwards.
  struct Place {
    double x = 0;
    double y = 0;
  };

  /// [dimension], if node numbers are coordinates: node = i1 + k1*(i2 + k2*(i3 + ..)) for a shape
  /// of k1, k2, .. nodes. Otherwise empty, and shape() is the number of nodes.
  std::vector<Line> lines{};
  /// Numbers of consecutive dimensions that together are a side of the grid that processes see, a
  /// ring or path through them. Empty: every dimension is such a side. See folded_grid.hpp.
  std::vector<std::uint32_t> folds{};
  /// Whether it is drawn, named and given to libscotch as a hypercube; its lines are cycles of two
  /// nodes. A torus of sides of two stays a torus.
  bool is_cube = false;
  /// Whether a symmetry of the links leads from any node to any other. With cycles and twisted
  /// lines alone, a step up by all nodes at once is one.
  bool are_nodes_alike = false;
  /// Distinct places of nodes in drawings. Empty: by lines (rows, a circle, a cube of cubes).
  std::vector<Place> places{};
  /// Number of switches, which host no processes: the last nodes. The others are terminals.
  std::uint32_t switches = 0;
  /// Whether messages pass terminals on their way. Without switches they do.
  bool do_terminals_forward = true;
  /// Switches that are named together: rows of `length` from node `first` on, up to the next entry.
  struct SwitchRows {
    NodeId first;
    std::uint32_t length = 1;
    std::string of{};          ///< "level", "group"; empty: a switch is named by its number alone
    std::uint32_t number = 0;  ///< of the first row

    friend bool operator==(const SwitchRows&, const SwitchRows&) = default;
  };
  std::vector<SwitchRows> switch_rows{};
  /// Names of the classes of links, which Link::dimension counts. Empty: a class is a dimension.
  std::vector<std::string> link_classes{};
  /// Routings that suit the network, the usual one first. Empty: those of all networks.
  std::vector<std::string> routings{};
  /// Whether the usual routes are as short as links allow.
  bool are_routes_shortest = true;

  friend bool operator==(const Structure&, const Structure&) = default;
};

/// Host network: numbered nodes, the links between them, and the routes of messages.
///
/// Nodes are 0 .. node_count()-1. Every query is const and thread-safe. A node or link outside its
/// range is a ContractViolation.
class Topology {
 public:
  virtual ~Topology() = default;

  /// Name of the kind in the catalogue: "torus".
  virtual std::string_view kind() const = 0;
  /// Name of the routing and its parameters: "dimension_order", "dimension_order 1 0", "shortest",
  /// "table". See routing.hpp.
  virtual std::string_view routing() const { return "dimension_order"; }
  /// Settings of the kind beside the shape that are not the default: "wrap" of a torus with open
  /// ends, "tie", "twist".
  virtual Params details() const { return {}; }
  /// Structure of the network with all its links, failed ones too; by default, that of any graph.
  /// If lines are paths and cycles and routing() is "dimension_order", next_run() is that of a
  /// grid, and details() names a "tie" unless it is no_wrap.
  virtual const Structure& structure() const;
  /// Nodes per dimension, first (fastest) dimension first; a hypercube is {2, 2, ..}.
  virtual std::span<const std::uint32_t> shape() const = 0;
  virtual std::uint32_t node_count() const = 0;
  /// Number of undirected links that work.
  virtual std::uint64_t link_count() const = 0;

  /// Nodes one working link away from `node`, ascending. Links run both ways.
  virtual std::vector<NodeId> neighbours(NodeId node) const = 0;
  /// Length of the route, a shortest path except with routing tables. Needs reaches(from, to).
  virtual std::uint32_t distance(NodeId from, NodeId to) const = 0;
  /// First straight stretch of the route from `at` to `to`. Routes are memoryless, so repeating
  /// this from `end` walks the whole route. A grid routes in dimension order, first dimension
  /// first, the shorter way round [X II.A]. Needs reaches(at, to).
  virtual Run next_run(NodeId at, NodeId to) const = 0;
  /// Whether a route also depends on its flow, such as flow_between() its ends.
  virtual bool are_routes_by_flow() const { return false; }
  /// next_run() of a flow; the same for all flows unless are_routes_by_flow(), where next_run() is
  /// that of a flow which begins at `at`.
  virtual Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const {
    static_cast<void>(flow);
    return next_run(at, to);
  }
  /// The flow of all messages between two nodes.
  static constexpr std::uint64_t flow_between(NodeId from, NodeId to) {
    return std::uint64_t{from.index()} << 32U | to.index();
  }

  /// False for a failed node: no route passes it, begins or ends there.
  virtual bool is_alive(NodeId node) const;
  /// Whether the node may host processes: it is alive and not kept free as a spare.
  virtual bool is_usable(NodeId node) const { return is_alive(node) && is_terminal(node); }
  virtual std::uint32_t usable_count() const { return terminal_count(); }
  /// Whether there is a route: both nodes are alive, and failures do not part them.
  virtual bool reaches(NodeId from, NodeId to) const { return is_alive(from) && is_alive(to); }

  /// Directed links have numbers 0 .. link_slots()-1; those past a mesh's border are unused.
  virtual std::uint32_t link_slots() const = 0;
  /// Ends of link number `link`; nothing when the number is unused or the link has failed.
  virtual std::optional<Link> link(LinkId link) const = 0;
  /// The other direction of a link in use.
  virtual LinkId reverse(LinkId link) const = 0;
  /// Blocks of link numbers: dimension 0 upwards, dimension 0 downwards, dimension 1 upwards, ..
  virtual std::span<const LinkDirection> link_directions() const = 0;

  /// Number of groups of a network whose global links join groups of nodes; 0 for any other.
  virtual std::uint32_t group_count() const { return 0; }
  /// Needs groups.
  virtual std::uint32_t group_of(NodeId node) const;
  /// First node of another group on the usual way from `from`. Needs groups.
  virtual NodeId entry_of(std::uint32_t group, NodeId from) const;

  /// Number of classes of links, each with costs of its own.
  virtual std::uint32_t class_count() const;
  /// "dimension 0", "level 1", "global".
  std::string class_name(std::uint32_t number) const;

  /// Nodes 0 .. terminal_count()-1 are terminals, the others switches.
  std::uint32_t terminal_count() const { return node_count() - structure().switches; }
  bool is_terminal(NodeId node) const { return node.index() < terminal_count(); }
  /// Nodes from this number on pass messages on; terminals may not.
  std::uint32_t first_forwarder() const {
    return structure().do_terminals_forward ? 0 : terminal_count();
  }
  /// "node 5", "switch 3 of level 2".
  std::string name_of(NodeId node) const;

  /// Nodes of the route, both ends included; {from} when they are equal. O(path length).
  std::vector<NodeId> route(NodeId from, NodeId to) const;

  std::uint32_t dimension_count() const { return static_cast<std::uint32_t>(shape().size()); }
  bool contains(NodeId node) const { return node.index() < node_count(); }
};

/// Calls `visit(link)` for every link of the route, in order.
template <class Visit>
void for_each_link(const Topology& topology, NodeId from, NodeId to, Visit visit) {
  const std::uint64_t flow = Topology::flow_between(from, to);
  while (from != to) {
    const Run run = topology.next_run_of(flow, from, to);
    std::uint32_t link = run.first.index();
    for (std::uint32_t hop = 0; hop < run.hops; ++hop) {
      visit(LinkId{link});
      link += static_cast<std::uint32_t>(run.stride);  // modulo 2^32
    }
    from = run.end;
  }
}

struct GraphEdge;

struct TopologyKind {
  std::string name;
  std::string help;
  std::string example;  ///< a small valid instance, in the form of Params::parse
  std::vector<ParameterHelp> parameters;
  std::unique_ptr<Topology> (*make)(const Params&);
  /// Reads the edges if the settings list them, each with costs of its own; null otherwise.
  std::vector<GraphEdge> (*read_edges)(const Params&) = nullptr;
  /// Settings of a network as command lines spell it, from what follows "kind:"; null: the value of
  /// the first required parameter, or key=value pairs.
  Params (*read_spelling)(std::string_view) = nullptr;
};

/// Every kind, sorted by name. Valid until the next is registered.
std::span<const TopologyKind* const> topology_catalog();

/// Has internal linkage: a plug-in has its own.
constexpr Headers topology_headers =
    headers_of<Topology, Structure, TopologyKind, Run, Link, LinkDirection, Params>();

/// Adds an entry, which must live as long as the process. Throws InputError when its name is empty
/// or taken, or `make` is null. Call it before other threads read the catalogue: from main(), or,
/// in a plug-in (`dcube --plugin FILE`), to initialise a static object:
///   const bool is_registered = dcube::register_topology(kind); There it returns false instead of
///   throwing, and the program that loads the plug-in complains.
bool register_topology(const TopologyKind& kind, Headers built_with = topology_headers);

/// Builds the topology that `settings` describes ("kind" names the entry). Throws InputError, also
/// for a registered kind whose structure() is false.
std::unique_ptr<Topology> make_topology(const Params& settings);

/// "8x8 torus", "ring of 16", "fat_tree of 128 terminals, 72 switches and 384 links": how messages
/// name a machine's network.
std::string describe(const Topology& topology);

}  // namespace dcube
