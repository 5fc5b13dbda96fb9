#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dcube/topology/platform.hpp"

namespace dcube {

/// Places where the links of a platform's routes meet: a graph in which the routes are paths.
///
/// A step of a route leads from a host or link to the next link or host, so two ends meet there. A
/// link that some step leaves and another enters the same way back is crossed in both directions;
/// then all its crossings must agree on which neighbours are at which end. Where they do not, and
/// where two hosts would be at one end, the link is a bus: an edge of one direction, which
/// connectors join to its neighbours. Ends that meet become one node, which may be a host. Where
/// that would make one node of two hosts, or bring a route twice to a node, links are set apart:
/// connectors join them to all their neighbours.
class MeetingLinks {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t link = none;  ///< of the platform; none: a connector
  };

  /// Throws InputError at `place` if two hosts have no route, or one crosses a link twice.
  MeetingLinks(const Platform& platform, const std::string& place);

  std::uint32_t node_count() const { return nodes_; }
  /// Links in the order of the platform, then connectors. Hosts are the first nodes.
  const std::vector<Edge>& edges() const { return edges_; }
  /// [link]: number of connectors on each crossing, if all crossings have as many; else 0.
  const std::vector<std::uint32_t>& connectors() const { return connectors_; }
  /// Whether a route passes a host on its way.
  bool do_hosts_forward() const { return do_hosts_forward_; }

  /// Edges of a route, each twice its number, plus 1 if it is crossed from `to` to `from`. Routes
  /// have the numbers of Platform::lengths and must be asked for in this order.
  std::vector<std::uint32_t> next_route();

 private:
  /// A symbol is a host, or hosts + a link.
  struct Step {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t pair;              ///< first route with it
    std::uint32_t back = none;       ///< step from `to` to `from`, if there is one
    std::uint32_t connector = none;  ///< its edge, if it has one
  };
  enum class Way : std::uint8_t { one, both, bus };

  /// Union and find; members of a set are on one of two sides.
  class Sets {
   public:
    explicit Sets(std::size_t members) : parent_(members), side_(members) {
      for (std::size_t i = 0; i < members; ++i) {
        parent_[i] = static_cast<std::uint32_t>(i);
      }
    }
    std::uint32_t find(std::uint32_t member);
    /// Side of the member relative to the representative of its set.
    std::uint8_t side(std::uint32_t member) {
      find(member);
      return side_[member];
    }
    /// False if the members are in one set already, on other sides.
    bool join(std::uint32_t a, std::uint32_t b, std::uint8_t apart);

   private:
    std::vector<std::uint32_t> parent_;
    std::vector<std::uint8_t> side_;  ///< relative to the parent
  };

  bool is_host(std::uint32_t symbol) const { return symbol < hosts_; }
  std::uint32_t link_of(std::uint32_t symbol) const { return symbol - hosts_; }
  std::string route_name(std::uint32_t pair) const;

  void list_steps();
  void find_ways();
  void find_sides();
  bool has_one_host_a_side(std::uint32_t link, const std::vector<std::uint32_t>& steps) const;
  bool needs_connector(const Step& step) const;
  /// End at which the step leaves, or comes to, what it joins.
  std::uint32_t end_left(std::uint32_t step) const;
  std::uint32_t end_reached(std::uint32_t step) const;
  /// False for hosts, and for links that are apart already.
  bool set_apart(std::uint32_t symbol);
  bool join_ends();
  void number_nodes();
  void add_connectors();
  bool are_routes_paths();

  const Platform& platform_;
  const std::string& place_;
  std::uint32_t hosts_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> step_of_;  ///< steps of all routes, one after the other
  std::vector<Way> ways_;               ///< [link]
  std::vector<bool> is_apart_;          ///< [link]: a bus that is joined to all by connectors
  std::vector<bool> is_used_;           ///< [link]: some route crosses it
  std::vector<std::uint8_t> sides_;  ///< [2 * step, + 1]: of the link left, and of the link reached
  std::vector<std::uint32_t> node_of_end_;  ///< [host], then [hosts + 2 * link + side]
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> edge_of_link_;
  std::vector<std::uint32_t> connectors_;
  std::uint32_t nodes_ = 0;
  bool do_hosts_forward_ = false;
  std::size_t next_step_ = 0;
  std::uint32_t next_pair_ = 0;
};

}  // namespace dcube
