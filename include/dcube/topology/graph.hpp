#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A link of a graph as a user gives it, for both directions; costs are optional.
struct GraphEdge {
  NodeId from;
  NodeId to;
  std::optional<ExactTime> latency = std::nullopt;
  std::optional<ExactTime> per_byte = std::nullopt;
  std::string link_class{};  ///< empty: default_link_class, if others have one
};

inline constexpr const char* default_link_class = "default";

/// Reads the edges of a topology of kind "graph": inline, or in a CSV file whose path is relative
/// to the working folder. Throws InputError.
std::vector<GraphEdge> read_graph_edges(const Params& settings);

/// Throws InputError unless the edges connect nodes 0, 1, .., without duplicates or self-loops.
std::unique_ptr<Topology> make_graph_topology(const std::vector<GraphEdge>& edges,
                                              const Params& settings);

}  // namespace dcube
