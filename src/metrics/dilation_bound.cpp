#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "grid_kind.hpp"
#include "guest_edges.hpp"
#include "spheres.hpp"

namespace dcube {
namespace {

/// Sum of the `count` smallest distances to other nodes.
std::uint64_t nearest_distances(const Spheres& spheres, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::size_t distance = 1; distance < spheres.size() && count > 0; ++distance) {
    const std::uint64_t taken = std::min(count, spheres[distance]);
    sum += distance * taken;
    count -= taken;
  }
  return sum;
}

/// Number of processes by number of edges.
std::map<std::uint32_t, std::uint64_t> processes_by_degree(const Guest& guest) {
  if (guest.kind() == Guest::Kind::cube) {
    return {{guest.dimension_count(), guest.process_count()}};
  }
  std::vector<std::uint8_t> degrees(guest.process_count());
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    for_each_edge(guest, dimension, [&](ProcessId lower, ProcessId higher) {
      ++degrees[lower.index()];
      ++degrees[higher.index()];
    });
  }
  std::map<std::uint32_t, std::uint64_t> processes;
  for (const std::uint8_t degree : degrees) {
    ++processes[degree];
  }
  return processes;
}

/// The partners of a process sit on different nodes, at best on the nearest ones.
DilationBound degree_bound(const Topology& topology, const Guest& guest) {
  const auto processes = processes_by_degree(guest);
  const std::uint32_t most_edges = processes.rbegin()->first;
  // A connected machine has another node within each further hop, so `most_edges` hops reach
  // enough.
  const Spheres spheres = widest_spheres(topology, most_edges);
  std::uint64_t edge_ends = 0;
  std::uint64_t distances = 0;
  for (const auto& [degree, count] : processes) {
    edge_ends += degree * count;
    distances += nearest_distances(spheres, degree) * count;
  }
  if (edge_ends == 0) {
    return {0, "degree bound: no edges"};
  }
  return {static_cast<double>(distances) / static_cast<double>(edge_ends),
          "degree bound: the partners of a process need as many different nodes, at best the "
          "nearest"};
}

/// Least average dilation of a cube that fills the machine.
std::optional<DilationBound> cube_optimum(const Topology& topology) {
  const bool wraps = wraps_around(topology);
  const std::optional<ClosedForm> form = closed_form(topology, wraps ? "xor" : "standard");
  if (!form) {
    return std::nullopt;
  }
  if (topology.kind() == "hypercube") {
    return DilationBound{form->average_dilation, "identity: every edge is a link"};
  }
  return DilationBound{
      form->average_dilation,
      wraps ? "least wirelength of a hypercube on a ring or torus of power-of-two sides, which xor "
              "reaches (Liu & Tang 2023; Tang, arXiv 2302.13237)"
            : "least wirelength of a hypercube on a line or mesh of power-of-two sides, which "
              "standard reaches (Liu & Tang 2023; Tang, arXiv 2302.13237)"};
}

}  // namespace

DilationBound dilation_bound(const Topology& topology, const Guest& guest) {
  expects(guest.process_count() <= topology.node_count(), "every process has a node");
  if (guest.kind() == Guest::Kind::cube && guest.process_count() == topology.node_count()) {
    if (const auto optimum = cube_optimum(topology)) {
      return *optimum;
    }
  }
  return degree_bound(topology, guest);
}

}  // namespace dcube
