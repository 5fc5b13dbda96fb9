#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/metrics/guest_edges.hpp"
#include "dcube/metrics/lower_bounds.hpp"
#include "dcube/metrics/spheres.hpp"
#include "dcube/topology/grid_kind.hpp"

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
using Degrees = std::map<std::uint32_t, std::uint64_t>;

Degrees degrees_of(const Guest& guest) {
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
  Degrees processes;
  for (const std::uint8_t degree : degrees) {
    ++processes[degree];
  }
  return processes;
}

std::uint64_t edges_of(const Degrees& degrees) {
  std::uint64_t ends = 0;
  for (const auto& [degree, count] : degrees) {
    ends += degree * count;
  }
  return ends / 2;
}

/// The partners of a process need as many slots, at best the nearest ones.
CostBound degree_bound(const Topology& topology, const Degrees& degrees, std::uint32_t slots) {
  const std::uint32_t most_edges = degrees.rbegin()->first;
  const Spheres spheres = widest_spheres(topology, most_edges);
  std::uint64_t distances = 0;  // both ends of every edge
  for (const auto& [degree, count] : degrees) {
    distances += nearest_distances(spheres, degree, slots) * count;
  }
  if (most_edges == 0) {
    return {0, "degree bound: no edges"};
  }
  return {(distances + 1) / 2,
          slots == 1 ? "degree bound: the partners of a process need as many different nodes, at "
                       "best the nearest"
                     : "degree bound: the partners of a process need as many slots, at best the "
                       "nearest"};
}

/// Every edge that is not inside a node is at least one hop long.
CostBound crowding_bound(const Guest& cube, std::uint32_t slots) {
  const std::uint64_t processes = cube.process_count();
  return {processes / 2 * cube.dimension_count() - most_edges_inside(processes, slots),
          "edge isoperimetry: at most log2(slots) partners of a process, on average, are on its "
          "node (Harper 1964)"};
}

/// Two opposite links of a cycle of even length part the machine into halves. At least as many
/// edges of a cube that fills the machine run between the halves as a dimension has, and a route
/// crosses each such pair at most once.
std::optional<CostBound> halving_bound(const Topology& topology, const Guest& cube) {
  std::uint64_t pairs = 0;
  for (const std::uint32_t side : topology.shape()) {
    if (side % 2 != 0 && side != 1) {
      return std::nullopt;
    }
    pairs += side / 2;
  }
  return CostBound{pairs * (cube.process_count() / 2),
                   "edge isoperimetry: two opposite links of a cycle part the cube into halves"};
}

/// Least dilation of a cube that fills the machine.
std::optional<CostBound> cube_optimum(const Topology& topology) {
  const bool wraps = wraps_around(topology);
  const std::optional<ClosedForm> form = closed_form(topology, wraps ? "xor" : "standard");
  if (!form || (!wraps && !has_open_ends(topology))) {
    return std::nullopt;
  }
  if (topology.structure().is_cube) {
    return CostBound{form->total_dilation, "identity: every edge is a link"};
  }
  return CostBound{
      form->total_dilation,
      wraps ? "least wirelength of a hypercube on a ring or torus of power-of-two sides, which xor "
              "reaches (Liu & Tang 2023; Tang, arXiv 2302.13237)"
            : "least wirelength of a hypercube on a line or mesh of power-of-two sides, which "
              "standard reaches (Liu & Tang 2023; Tang, arXiv 2302.13237)"};
}

/// cube_optimum() with several slots on each node. On a line or mesh the folded standard embedding
/// leaves between neighbouring planes of nodes only as many edges as an initial segment of the cube
/// has, which is the least (Harper 1964).
std::optional<CostBound> folded_cube_optimum(const Topology& topology, std::uint32_t slots) {
  if (!has_open_ends(topology)) {
    return std::nullopt;
  }
  const std::vector<std::uint32_t> inside =
      numbered(static_cast<std::size_t>(std::countr_zero(slots)));
  const std::optional<ClosedForm> form = closed_form(topology, "standard", inside);
  if (!form) {
    return std::nullopt;
  }
  return CostBound{form->total_dilation,
                   topology.structure().is_cube
                       ? "edge isoperimetry: subcubes on the nodes have the most edges "
                         "inside, and every other edge is a link (Harper 1964)"
                       : "edge isoperimetry: every cut between nodes has the fewest edges "
                         "there can be, under standard (Harper 1964)"};
}

/// All known bounds on the total dilation.
struct Bounds {
  std::uint64_t edges;
  std::vector<CostBound> totals;  ///< greatest first; equals in the order of their discovery

  DilationBound greatest() const {
    const CostBound& total = totals.front();
    return {total.cost,
            edges == 0 ? 0 : static_cast<double>(total.cost) / static_cast<double>(edges),
            total.source};
  }
};

Bounds bounds_of(const Topology& topology, const Guest& guest, std::uint32_t slots) {
  const std::uint64_t slot_count = std::uint64_t{topology.node_count()} * slots;
  expects(guest.process_count() <= slot_count, "every process has a slot");
  const bool is_cube = guest.kind() == Guest::Kind::cube;
  const bool is_full = guest.process_count() == slot_count;
  const Degrees degrees = degrees_of(guest);
  Bounds bounds{edges_of(degrees), {}};
  const auto add = [&](std::optional<CostBound> bound) {
    if (bound) {
      bounds.totals.push_back(std::move(*bound));
    }
  };
  if (is_cube && is_full) {
    add(slots == 1 ? cube_optimum(topology) : folded_cube_optimum(topology, slots));
  }
  add(degree_bound(topology, degrees, slots));
  if (is_cube && slots > 1 && guest.dimension_count() > 0) {
    add(crowding_bound(guest, slots));
    if (is_full && wraps_around(topology)) {
      add(halving_bound(topology, guest));
    }
  }
  std::ranges::stable_sort(bounds.totals, std::greater{}, &CostBound::cost);
  return bounds;
}

}  // namespace

DilationBound dilation_bound(const Topology& topology, const Guest& guest, std::uint32_t slots) {
  return bounds_of(topology, guest, slots).greatest();
}

HeldDilationBound held_dilation_bound(const Topology& topology, const Guest& guest,
                                      std::uint32_t slots, const EmbeddingMetrics& metrics) {
  Bounds bounds = bounds_of(topology, guest, slots);
  std::string refuted = take_refuted(bounds.totals, metrics.total_dilation);
  return {bounds.greatest(), std::move(refuted)};
}

}  // namespace dcube
