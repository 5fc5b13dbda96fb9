#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

/// The maps that are known, and the structured embeddings that fit, each name once; identity always
/// does. 2^d processes are also placed as the cube that their labels form. A folded cube has a
/// start for each choice of dimensions inside nodes: "xor", "xor, fold high", and "xor, fold 2 5"
/// with the heaviest. Processes of a
/// cube that are numbered in another way get its numbers first: "hidden cube: xor". Where the
/// usable nodes are in a box, those of the box follow: "xor in the 8x8 mesh". Axes with names, at
/// most four, are tried in all orders: "data,tensor".
std::vector<Start> structured_starts(const SearchProblem& problem);

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

}  // namespace dcube
