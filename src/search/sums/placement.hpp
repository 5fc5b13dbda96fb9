#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/search.hpp"
#include "search/objectives/distances.hpp"

namespace dcube {

/// Stands for no process or no place.
inline constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

/// Processes that may move, places that they may take, and the sum of weight times distance that a
/// map is to make small. A place is a slot of a node that may host processes. Places that pinned
/// processes have come after all others. Twins of one slot each are one node of several slots,
/// under the number of the first: exchanges on one switch change nothing, and parts of the
/// processes go to other switches as a whole. Two nodes are then nearer than in the machine by the
/// distance of twins.
struct PlacementProblem {
  explicit PlacementProblem(const SearchProblem& problem);
  /// The nodes of another problem, with a place each.
  PlacementProblem(const SearchProblem& problem, const PlacementProblem& nodes);
  /// Copy of the problem in which the process at `order[i]` has number i.
  PlacementProblem(const PlacementProblem& problem, std::span<const std::uint32_t> order);
  /// Copy of the problem in which any two nodes are one link apart, and no node is beside another:
  /// a sum is what crosses from node to node.
  PlacementProblem apart() const;

  /// The distance of two places.
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const {
    return distances(node[a], node[b]);
  }
  bool has_several_a_node() const { return node.size() > used_nodes_; }
  /// SearchProblem::has_many_a_node() of these nodes.
  bool has_many_a_node() const;
  /// Number of places for processes that may move.
  std::uint32_t place_count() const { return first.back(); }
  std::uint32_t process_count() const { return partners.process_count(); }

  /// The lowest free place of each process's node of the machine, in the order of processes; those
  /// for which there is no room have the places that are left.
  std::vector<std::uint32_t> places_of(std::span<const NodeId> map) const;
  std::vector<NodeId> map_of(std::span<const std::uint32_t> places) const;
  std::uint64_t cost_of(std::span<const std::uint32_t> places) const;

  const SearchProblem& search;
  Partners partners;
  Distances distances;
  std::vector<std::uint32_t> home;               ///< by node of the machine: that of its places
  std::vector<NodeId> node;                      ///< of each place
  std::vector<NodeId> host;                      ///< of each place: the node of the machine
  std::vector<std::uint32_t> first;              ///< place of each node; one more at the end
  std::vector<std::uint32_t> pinned_place;       ///< of each process; nobody for those that move
  std::vector<std::uint32_t> movable;            ///< processes
  std::vector<std::vector<std::uint32_t>> near;  ///< the nodes beside each node
  std::uint64_t offset = 0;                      ///< part of the cost of any map

 private:
  /// Makes twins among these nodes, which have a place each, one node.
  void join_twins(std::span<const std::uint32_t> nodes);
  /// Adds so many places by node of the machine, less those that pinned processes have.
  void add_places(std::vector<std::uint32_t> slots);

  std::uint32_t used_nodes_ = 0;  ///< nodes with places
};

/// Nodes with the same neighbours that are as far from any other node, such as those of one switch.
struct Twins {
  std::vector<std::uint32_t> first;  ///< by node: the lowest of its twins
  std::uint32_t apart = 0;           ///< distance of any two twins, >= 1
};

/// The twins among `nodes`, which are ascending. Nothing where there are none, where all nodes are
/// twins, where some are farther apart than others or than from other nodes, or where there are too
/// many to see. O(nodes * nodes that are no twins of lower ones).
std::optional<Twins> twins_of(std::span<const std::uint32_t> nodes,
                              std::span<const std::vector<std::uint32_t>> near,
                              const Distances& distances);

/// Upper bound of the change of cost by one exchange of two processes, in units of the weights'
/// common_divisor().
UInt128 greatest_increase(const PlacementProblem& problem);

/// Whether Number holds greatest_increase(). Short numbers are added as long ones and wrap around
/// when they are kept; others must hold the sums on the way, too.
template <class Number>
bool increases_fit(const PlacementProblem& problem) {
  constexpr UInt128 on_the_way = sizeof(Number) < sizeof(int) ? 1 : 4;
  return greatest_increase(problem) <
         static_cast<UInt128>(std::numeric_limits<Number>::max()) / on_the_way;
}

/// Calls `use(Number{})` with the smallest type that holds increases; nothing where none does.
template <class Use>
void with_number_for(const PlacementProblem& problem, Use use) {
  if (increases_fit<std::int16_t>(problem)) {
    use(std::int16_t{});
  } else if (increases_fit<std::int32_t>(problem)) {
    use(std::int32_t{});
  } else if (increases_fit<std::int64_t>(problem)) {
    use(std::int64_t{});
  }
}

}  // namespace dcube
