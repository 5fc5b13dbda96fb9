#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Reasons why a guest does not fit a machine, for several embeddings. Each function returns nothing
// if its reason does not apply.

/// More processes than slots.
std::optional<std::string> too_few_slots(const EmbeddingTask& task);

/// Too few slots, or not the same power of two of processes on every node.
std::optional<std::string> unequal_counts(const EmbeddingTask& task);

bool are_powers_of_two(std::span<const std::uint32_t> sides);

/// Failed nodes, or nodes that are kept free.
std::optional<std::string> missing_nodes(const Topology& topology);

/// Missing nodes, or coordinates that are not fields of bits of the node number.
std::optional<std::string> sides_not_powers_of_two(const Topology& topology);

/// Obstacles to embeddings of a cube that deal out the bits of a label to coordinates.
std::optional<std::string> no_cube_by_bits(const EmbeddingTask& task);

}  // namespace dcube
