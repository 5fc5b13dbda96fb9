#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Reasons why a guest does not fit a machine, for several embeddings. Each function returns nothing
// where its reason does not apply.

/// More processes than slots.
std::optional<std::string> too_few_slots(const EmbeddingTask& task);

/// Empty nodes, or too few slots: every node hosts 2^k processes.
std::optional<std::string> unequal_counts(const EmbeddingTask& task);

bool are_powers_of_two(std::span<const std::uint32_t> sides);

/// Nodes that have failed or are kept free.
std::optional<std::string> missing_nodes(const Topology& topology);

/// Nodes are missing, or the machine's coordinates are not fields of bits of the node number.
std::optional<std::string> sides_not_powers_of_two(const Topology& topology);

/// For embeddings of a cube that deal out the bits of a label to the machine's coordinates.
std::optional<std::string> no_cube_by_bits(const EmbeddingTask& task);

}  // namespace dcube
