#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// The maps that are known, and the structured embeddings that fit, each name once; identity always
/// does. 2^d processes are also placed as the cube that their labels form. A folded cube has a
/// start for each choice of dimensions inside nodes: "xor", "xor, fold high", and "xor, fold 2 5"
/// with the heaviest. Processes of a cube or grid that are numbered in another way get its numbers
/// first: "hidden cube: xor", "hidden torus:8x4: snake". Where the usable nodes are in a box, those
/// of the box follow: "xor in the 8x8 mesh". Axes with names, at most four, are tried in all
/// orders: "data,tensor".
std::vector<Start> structured_starts(const SearchProblem& problem);

/// Value of a map, the less the better; none if it cannot be had.
using MapValue = std::optional<double>;
/// Values of all these maps; empty where there is no time left.
using MapValues = std::function<std::vector<MapValue>(std::span<const std::vector<NodeId>>)>;

/// The best of the starts, which have the values `own`, shifted, reflected or with dimensions
/// exchanged, where that is better: distances stay, but links differ. "gray, turned".
std::vector<Start> turned_starts(const SearchProblem& problem, std::span<const Start> starts,
                                 std::span<const MapValue> own, const MapValues& values);

/// Slots of each node, 0 where it hosts nothing.
std::vector<std::uint32_t> slots_of_nodes(const SearchProblem& problem);

/// Gives each of the processes one of the `free` slots of its node. Those that find none go to the
/// nearest nodes with free slots afterwards.
void settle(std::vector<NodeId>& map, std::span<const std::uint32_t> processes,
            std::vector<std::uint32_t> free, const Topology& topology);

/// The map with processes on nodes that host nothing, or are too many there, on the nearest free
/// ones.
std::vector<NodeId> mended(const SearchProblem& problem, std::vector<NodeId> map);

/// The map with every pinned process where it has to be: it comes into a free slot of that node, or
/// exchanges places with a process that may be elsewhere.
std::vector<NodeId> with_pins(const SearchProblem& problem, std::vector<NodeId> map);

/// A part of a machine whose nodes have coordinates from .. to in every dimension, as a machine of
/// its own: an allocation often is one.
struct Box {
  std::shared_ptr<const Topology> topology;
  std::vector<NodeId> nodes;  ///< of the machine, by node of the box
  /// Whether routes between its nodes are as long as in the machine and stay in the box: nothing
  /// has failed, and no way round a cycle is as short.
  bool keeps_routes = false;
};

/// The least box that holds all usable nodes of a line, ring, mesh, torus or hypercube, where it is
/// smaller than the machine and has more than a node. Where the ends of a dimension are joined, it
/// may go over them. Nodes of the box that are not usable are spares of it; links that have failed
/// are there.
std::optional<Box> box_of_usable_nodes(const Topology& topology);

/// Of the boxes of these sides, which divide those of a grid, the one of this number.
Box box_at(const Topology& topology, std::span<const std::uint32_t> sides, std::uint32_t number);

/// All boxes of so many places whose sides divide these, in the order of their sides.
std::vector<std::vector<std::uint32_t>> boxes_in(std::span<const std::uint32_t> sides,
                                                 std::uint64_t size);

/// Parts of one size that no flows join, the first of which forms a grid, each in a box of the
/// machine under its best structured embedding: "parts in 4x8". Nothing where no boxes fit.
std::optional<Start> parts_in_boxes(const SearchProblem& problem);

/// The grid that the numbers of the processes show: most bytes go over a few differences 1 = s1,
/// s2, .., each a multiple of the one before, which are its strides. Nothing unless there are two
/// to five of them.
std::optional<Guest> shape_by_strides(const Traffic& traffic);

/// The embedding "boxes" of each of these shapes, with the box of the fewest hop-bytes among those
/// that fill a node. On nodes of one slot it folds the grid of processes onto the machine.
std::vector<Start> box_starts(const SearchProblem& problem, std::span<const Guest> guests);

/// Maps of a grid of processes onto a grid with short longest steps: sides that are folded in half
/// as often as it takes, and layers of which side others are: "interleaved, 0 on 1". Nothing on
/// several slots, or where nodes are not usable.
std::vector<Start> interleaved_starts(const SearchProblem& problem, const Guest& guest);

/// Levels of a tree of switches, the highest first.
struct SwitchTree {
  std::vector<std::uint32_t> sizes;  ///< children of a switch
  std::vector<std::uint64_t> costs;  ///< length of the way between terminals that part there
};

/// The tree whose leaves are as far from each other as the terminals of the machine, by the weights
/// of its links; empty where there is none. Terminals below a switch have consecutive numbers.
/// O(terminals * levels).
SwitchTree switch_tree(const Topology& topology);

/// A mesh or torus that fills a tree of switches, in boxes whose sides divide those of the larger
/// ones: one for each switch of the lowest level, in one for each of the next. "boxes:4x2 in 8x8":
/// those with the fewest hop-bytes if all flows go along the sides. Nothing where no boxes fit.
std::optional<Start> nested_boxes(const SearchProblem& problem, const Guest& guest);

}  // namespace dcube
