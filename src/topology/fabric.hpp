#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/number_setting.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"
#include "shortest_paths.hpp"

// Networks of terminals and switches.
//
// Links are listed class by class. Link 2 i leads from the first end of list entry i to the second,
// link 2 i + 1 back; a block of link numbers is a class. Links form no straight lines, so a run is
// one hop.

namespace dcube {

/// Nodes and links of a fabric, and what the whole is. Nodes are counted in 64 bits until the
/// numbers are known to fit.
class FabricPlan {
 public:
  /// `place`: of the settings, for complaints.
  FabricPlan(std::uint64_t terminals, std::uint64_t switches, std::string place);

  std::uint32_t terminals() const { return nodes_ - structure.switches; }
  std::uint32_t node_count() const { return nodes_; }
  /// Announces the links to come, of a new class.
  void begin_class(std::string name, std::uint64_t links);
  void add_link(std::uint32_t from, std::uint32_t to, std::uint32_t parallel = 1) {
    ends_.insert(ends_.end(), parallel, {NodeId{from}, NodeId{to}});
  }
  /// Number of the next link.
  std::uint32_t next_link() const { return static_cast<std::uint32_t>(2 * ends_.size()); }

  Structure structure;
  Params details;
  /// Whether a drawing may show every node.
  bool is_drawn() const { return nodes_ <= most_drawn; }

 private:
  static constexpr std::uint32_t most_drawn = 2000;

  friend class Fabric;
  std::string place_;
  std::uint32_t nodes_ = 0;
  std::uint64_t links_ = 0;
  std::vector<std::uint32_t> first_of_class_;
  std::vector<std::pair<NodeId, NodeId>> ends_;
};

/// A network of terminals and switches with shortest routes, which kinds may replace.
class Fabric : public Topology {
 public:
  /// `kind`: a literal.
  Fabric(std::string_view kind, FabricPlan plan);

  std::string_view kind() const final { return kind_; }
  std::string_view routing() const override { return structure_.routings.front(); }
  Params details() const final { return details_; }
  const Structure& structure() const final { return structure_; }
  std::span<const std::uint32_t> shape() const final { return {&terminals_, 1}; }
  std::uint32_t node_count() const final { return node_count_; }
  std::uint64_t link_count() const final { return ends_.size(); }
  std::vector<NodeId> neighbours(NodeId node) const final;
  bool reaches(NodeId from, NodeId to) const override;
  std::uint32_t distance(NodeId from, NodeId to) const override;
  Run next_run(NodeId at, NodeId to) const override;

  std::uint32_t link_slots() const final { return static_cast<std::uint32_t>(2 * ends_.size()); }
  std::optional<Link> link(LinkId link) const final;
  LinkId reverse(LinkId link) const final {
    expects(link.index() < link_slots(), "link number is below link_slots()");
    return LinkId{link.index() ^ 1U};
  }
  std::span<const LinkDirection> link_directions() const final { return directions_; }

  /// Sum of the weights of the links, by class, on the usual way between two terminals.
  virtual std::uint64_t weight_between(NodeId from, NodeId to,
                                       std::span<const std::uint32_t> weights) const;
  /// Whether weight_between() knows the usual ways, without walking them.
  virtual bool weighs_usual_ways() const { return are_routers_alike(); }
  /// Whether all shortest ways between two terminals weigh the same.
  virtual bool weighs_shortest_ways() const { return weighs_usual_ways(); }

  /// The links from `at` that shortest ways to `to` take, where they follow one another in the
  /// order of links(); empty: not known without a search.
  virtual std::span<const Exit> nearer_links(NodeId at, NodeId to) const {
    static_cast<void>(at);
    static_cast<void>(to);
    return {};
  }

  // As those of Topology, without calls of virtual functions: routes ask at every hop.
  std::uint32_t terminal_count() const { return terminals_; }
  bool is_terminal(NodeId node) const { return node.index() < terminals_; }

 protected:
  const Adjacency& links() const { return paths_->links(); }
  /// Way along links, whatever the routes of the kind.
  const ShortestPaths& paths() const { return *paths_; }
  Run hop(LinkId link, std::uint32_t to, std::uint32_t block) const {
    return {link, 0, 1, NodeId{to}, block};
  }
  Run hop(const Exit& exit) const;
  void check_ends(NodeId from, NodeId to) const {
    expects(contains(from) && contains(to), "both nodes are on this machine");
  }

 private:
  void number_parts();
  /// Whether the links between switches are of one class, and those of terminals of another, which
  /// messages take first and last.
  bool are_routers_alike() const {
    return structure_.link_classes.size() == 2 && structure_.link_classes[0] == "terminal" &&
           !structure_.do_terminals_forward && structure_.are_routes_shortest;
  }

  std::string_view kind_;
  Structure structure_;
  Params details_;
  std::uint32_t node_count_;
  std::uint32_t terminals_;
  std::vector<std::pair<NodeId, NodeId>> ends_;
  std::vector<LinkDirection> directions_;
  std::optional<ShortestPaths> paths_;
  /// [switch]: one of those that links join to it, the same for all of these; empty where terminals
  /// pass messages on.
  std::vector<std::uint32_t> part_of_;
};

/// Reads a whole number of at least `least` that counts parts of a fabric.
std::uint32_t read_count(const Params& params, std::string_view key, std::uint32_t least = 1);

}  // namespace dcube
