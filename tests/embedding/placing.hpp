#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/embedding.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube::placing {

// Short words for "that guest on this machine", all in the text forms users write.

inline std::unique_ptr<Topology> machine(const std::string& settings) {
  return make_topology(Params::parse(settings));
}

inline std::unique_ptr<Embedding> embedding_on(const Topology& topology, const std::string& guest,
                                               const std::string& settings,
                                               std::uint32_t slots = 1) {
  return make_embedding(topology, Guest::parse(guest), Params::parse(settings), slots);
}

/// Node of each process.
inline std::vector<std::uint32_t> map_of(const std::string& machine_settings,
                                         const std::string& guest, const std::string& settings,
                                         std::uint32_t slots = 1) {
  const auto topology = machine(machine_settings);
  std::vector<std::uint32_t> nodes;
  for (const NodeId node : embedding_on(*topology, guest, settings, slots)->map()) {
    nodes.push_back(node.index());
  }
  return nodes;
}

/// Process on each node, where every node has one.
inline std::vector<std::uint32_t> node_order(const std::string& machine_settings,
                                             const std::string& guest,
                                             const std::string& settings) {
  const std::vector<std::uint32_t> map = map_of(machine_settings, guest, settings);
  std::vector<std::uint32_t> order(map.size());
  for (std::uint32_t process = 0; process < map.size(); ++process) {
    order.at(map[process]) = process;
  }
  return order;
}

/// Machine distance of every guest edge, dimension by dimension, in the order of the processes
/// they start at.
inline std::vector<std::vector<std::uint32_t>> dilations(const std::string& machine_settings,
                                                         const std::string& guest_text,
                                                         const std::string& settings) {
  const auto topology = machine(machine_settings);
  const auto embedding = embedding_on(*topology, guest_text, settings);
  const Guest guest = Guest::parse(guest_text);
  std::vector<std::vector<std::uint32_t>> result(guest.dimension_count());
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for (std::uint32_t label = 0; label < guest.process_count(); ++label) {
      const ProcessId process{label};
      if (const std::optional<ProcessId> partner = guest.partner(process, dimension)) {
        result[dimension].push_back(
            topology->distance(embedding->node_of(process), embedding->node_of(*partner)));
      }
    }
  }
  return result;
}

/// The distances of an embedding with constant distances, dimension by dimension; nothing when an
/// edge has another one than the first of its dimension.
inline std::optional<std::vector<std::uint32_t>> constant_distances(
    const std::string& machine_settings, const std::string& guest, const std::string& settings) {
  std::vector<std::uint32_t> distances;
  for (const auto& edges : dilations(machine_settings, guest, settings)) {
    if (std::count(edges.begin(), edges.end(), edges.front()) !=
        static_cast<std::ptrdiff_t>(edges.size())) {
      return std::nullopt;
    }
    distances.push_back(edges.front());
  }
  return distances;
}

inline std::uint32_t longest_dilation(const std::string& machine_settings, const std::string& guest,
                                      const std::string& settings) {
  std::uint32_t longest = 0;
  for (const auto& edges : dilations(machine_settings, guest, settings)) {
    longest = std::accumulate(edges.begin(), edges.end(), longest,
                              [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  }
  return longest;
}

/// What make_embedding() says of it, place first; "no error" when it builds.
inline std::string problem_of(const std::string& machine_settings, const std::string& guest,
                              const std::string& settings, std::uint32_t slots = 1) {
  try {
    embedding_on(*machine(machine_settings), guest, settings, slots);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace dcube::placing
