#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

// Reasons why a guest does not fit a machine that several embeddings share; nothing where there is
// none.

/// More processes than nodes.
std::optional<std::string> too_few_nodes(const Topology& topology, const Guest& guest);

/// Empty nodes, or too few: the embedding is a bijection.
std::optional<std::string> unequal_counts(const Topology& topology, const Guest& guest);

bool are_powers_of_two(std::span<const std::uint32_t> sides);

/// The machine's coordinates are not fields of bits of the node number.
std::optional<std::string> sides_not_powers_of_two(const Topology& topology);

/// For embeddings of a cube that deal out the bits of a label to the machine's coordinates.
std::optional<std::string> no_cube_by_bits(const Topology& topology, const Guest& guest);

}  // namespace dcube
