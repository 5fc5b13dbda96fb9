#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "dcube/collective/collective.hpp"

namespace dcube {

/// Type of a node, by the numbers of the schema.
enum class ChakraType : std::uint32_t {
  invalid,
  metadata,
  mem_load,
  mem_store,
  comp,
  comm_send,
  comm_recv,
  comm_coll
};

/// Their names.
inline constexpr std::array<std::string_view, 11> chakra_type_names{
    "INVALID",   "METADATA",  "MEM_LOAD", "MEM_STORE", "COMP",      "COMM_SEND",
    "COMM_RECV", "COMM_COLL", "STORAGE",  "BATCH",     "CHECKPOINT"};

/// Collectives by their attribute comm_type, as in the schema.
inline constexpr std::array<CollectiveKind, 10> chakra_collectives{
    CollectiveKind::allreduce,  CollectiveKind::reduce,         CollectiveKind::allgather,
    CollectiveKind::gather,     CollectiveKind::scatter,        CollectiveKind::broadcast,
    CollectiveKind::all_to_all, CollectiveKind::reduce_scatter, CollectiveKind::reduce_scatter,
    CollectiveKind::barrier};

/// Attributes of collectives that dcube adds: how CollectiveManner says that they are done.
inline constexpr std::string_view chakra_algorithm = "dcube_algorithm";
inline constexpr std::string_view chakra_ports = "dcube_ports";
inline constexpr std::string_view chakra_sides = "dcube_sides";

}  // namespace dcube
