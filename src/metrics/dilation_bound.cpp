#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "guest_edges.hpp"
#include "spheres.hpp"
#include "topology/grid_kind.hpp"

namespace dcube {
namespace {

/// Sum of the `count` smallest distances to other slots.
std::uint64_t nearest_distances(const Spheres& spheres, std::uint64_t count, std::uint64_t slots) {
  std::uint64_t sum = 0;
  count -= std::min(count, slots - 1);
  for (std::size_t distance = 1; distance < spheres.size() && count > 0; ++distance) {
    const std::uint64_t taken = std::min(count, slots * spheres[distance]);
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

/// The partners of a process need as many slots, at best the nearest ones.
DilationBound degree_bound(const Topology& topology, const Guest& guest, std::uint32_t slots) {
  const auto processes = processes_by_degree(guest);
  const std::uint32_t most_edges = processes.rbegin()->first;
  // A connected machine has another node within each further hop, so `most_edges` hops reach
  // enough.
  const Spheres spheres = widest_spheres(topology, most_edges);
  std::uint64_t edge_ends = 0;
  std::uint64_t distances = 0;
  for (const auto& [degree, count] : processes) {
    edge_ends += degree * count;
    distances += nearest_distances(spheres, degree, slots) * count;
  }
  if (edge_ends == 0) {
    return {0, "degree bound: no edges"};
  }
  return {static_cast<double>(distances) / static_cast<double>(edge_ends),
          slots == 1 ? "degree bound: the partners of a process need as many different nodes, at "
                       "best the nearest"
                     : "degree bound: the partners of a process need as many slots, at best the "
                       "nearest"};
}

/// A set of m vertices of a cube has at most m log2(m) / 2 edges, so on average log2(slots)
/// partners of a process are on its node (Harper 1964).
DilationBound crowding_bound(const Guest& cube, std::uint32_t slots) {
  const double dimensions = cube.dimension_count();
  return {dimensions == 0 ? 0 : std::max(0.0, 1 - std::log2(slots) / dimensions),
          "edge isoperimetry: at most log2(slots) partners of a process, on average, are on its "
          "node (Harper 1964)"};
}

/// Two opposite links of a cycle of even length part the machine into halves. At least as many
/// edges of a cube that fills the machine run between the halves as a dimension has, and a route
/// crosses each such pair at most once.
std::optional<DilationBound> halving_bound(const Topology& topology, const Guest& cube) {
  std::uint64_t pairs = 0;
  for (const std::uint32_t side : topology.shape()) {
    if (side % 2 != 0 && side != 1) {
      return std::nullopt;
    }
    pairs += side / 2;
  }
  return DilationBound{
      static_cast<double>(pairs) / cube.dimension_count(),
      "edge isoperimetry: two opposite links of a cycle part the cube into halves"};
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

/// The same with several slots on each node. Of a line or mesh the standard embedding, folded,
/// leaves between any two neighbouring planes of nodes only as many edges as an initial segment of
/// the cube has, which is the least (Harper 1964).
std::optional<DilationBound> folded_cube_optimum(const Topology& topology, std::uint32_t slots) {
  const bool is_cube = topology.kind() == "hypercube";
  if (wraps_around(topology) && !is_cube) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> inside(static_cast<std::size_t>(std::countr_zero(slots)));
  std::iota(inside.begin(), inside.end(), 0U);
  const std::optional<ClosedForm> form = closed_form(topology, "standard", inside);
  if (!form) {
    return std::nullopt;
  }
  return DilationBound{form->average_dilation,
                       is_cube ? "edge isoperimetry: subcubes on the nodes have the most edges "
                                 "inside, and every other edge is a link (Harper 1964)"
                               : "edge isoperimetry: every cut between nodes has the fewest edges "
                                 "there can be, under standard (Harper 1964)"};
}

/// The best of the bounds that hold with several slots.
DilationBound bound_with_slots(const Topology& topology, const Guest& guest, std::uint32_t slots) {
  DilationBound best = degree_bound(topology, guest, slots);
  const auto improve = [&](const DilationBound& other) {
    if (other.average_dilation > best.average_dilation) {
      best = other;
    }
  };
  if (guest.kind() == Guest::Kind::cube && guest.dimension_count() > 0) {
    improve(crowding_bound(guest, slots));
    const std::uint64_t slot_count = std::uint64_t{topology.node_count()} * slots;
    if (wraps_around(topology) && guest.process_count() == slot_count) {
      if (const auto halving = halving_bound(topology, guest)) {
        improve(*halving);
      }
    }
  }
  return best;
}

}  // namespace

DilationBound dilation_bound(const Topology& topology, const Guest& guest, std::uint32_t slots) {
  const std::uint64_t slot_count = std::uint64_t{topology.node_count()} * slots;
  expects(guest.process_count() <= slot_count, "every process has a slot");
  if (guest.kind() == Guest::Kind::cube && guest.process_count() == slot_count) {
    if (const auto optimum =
            slots == 1 ? cube_optimum(topology) : folded_cube_optimum(topology, slots)) {
      return *optimum;
    }
  }
  return slots == 1 ? degree_bound(topology, guest, 1) : bound_with_slots(topology, guest, slots);
}

}  // namespace dcube
