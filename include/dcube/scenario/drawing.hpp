#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/network/machine.hpp"
#include "dcube/scenario/failures_over_time.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

using Point = Structure::Place;

/// From the edge of a drawing to the centres of its outermost nodes.
inline constexpr double drawing_border = 0.75;

struct Piece {
  Point begin;
  Point end;
};

/// A directed link. Where its nodes are not side by side (around a torus, between slices), it is
/// drawn in two pieces: one leaves its first node and one enters its last.
struct DrawnLink {
  NodeId from;
  NodeId to;
  Piece first;
  Piece second;
  bool has_two_pieces = false;
};

/// A node or a link that fails.
struct FailingNode {
  NodeId node;
  Ticks at{0};  ///< 0: from the start
};
struct FailingLink {
  DrawnLink link;  ///< in the middle between the directions
  Ticks at{0};
};

/// Hypercubes of more dimensions are grids, others cubes of cubes.
inline constexpr std::uint32_t most_projected_dimensions = 4;

/// A machine on paper. Lines and rings are lines, circles or windings. Meshes and tori are grids,
/// with one slice beside the other from three dimensions on. Hypercubes are cubes of cubes or,
/// above four dimensions, grids in Gray code order. Networks of switches stand where their topology
/// places them.
struct Drawing {
  double width = 0;
  double height = 0;
  double node_size = 0;          ///< side of a node
  double lane_offset = 0;        ///< from the middle of a link to the lane of each direction
  double link_width = 0;         ///< of each lane
  std::string_view arrangement;  ///< description of the picture
  std::vector<Point> nodes;      ///< centres; a host computer comes last
  std::vector<DrawnLink> links;  ///< by link number; half duplex: both directions lie on one line
  std::vector<std::uint32_t> link_at;  ///< index in `links`, by link number
  bool has_classes = false;  ///< links have classes, and nodes the places that the topology names
  bool hides_links = false;  ///< most links between switches of a class would run over nodes
  std::vector<NodeId> kept_free;  ///< nodes that host no processes, such as switches
  std::vector<Structure::SwitchRows> switch_rows;  ///< names of switches
  std::vector<FailingNode> failing_nodes;
  std::vector<FailingLink> failing_links;  ///< those that fail from the start are not in `links`
};

/// `run` is `machine`, or `machine` with its host computer as one more node.
Drawing draw_machine(const Topology& machine, const Topology& run, Duplex duplex,
                     std::span<const FailuresAt> failures = {});

/// Whether its links can be told apart as lines.
bool shows_lines(const Drawing& drawing);

/// Squares that a drawing is cut into when it has too many nodes to show each of them.
struct Tiles {
  double size = 0;  ///< side length
  std::vector<Point> centres;
  std::vector<std::uint32_t> node_counts;
  std::vector<std::uint32_t> tile_of;  ///< by node
};

/// Cuts a drawing into at most 32 x 32 tiles. Tiles without a node are left out.
Tiles cut_into_tiles(const Drawing& drawing);

}  // namespace dcube
