#include <algorithm>
#include <bit>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/metrics/embedding_metrics.hpp"
#include "dcube/topology/grid_kind.hpp"

namespace dcube {
namespace {

enum class Placement { standard, exclusive_or };

/// Placement of a catalogue entry that has formulas; on a hypercube xor is the standard embedding.
std::optional<Placement> placement_of(std::string_view embedding) {
  if (embedding == "standard") {
    return Placement::standard;
  }
  if (embedding == "xor") {
    return Placement::exclusive_or;
  }
  return std::nullopt;
}

/// The cube dimensions d_1, d_2, .. that fill sides of 2^(d_1), 2^(d_2), .. nodes.
std::optional<std::vector<std::uint32_t>> cube_dimensions(std::span<const std::uint32_t> shape) {
  std::vector<std::uint32_t> dimensions;
  for (const std::uint32_t side : shape) {
    if (!std::has_single_bit(side)) {
      return std::nullopt;
    }
    dimensions.push_back(static_cast<std::uint32_t>(std::countr_zero(side)));
  }
  return dimensions;
}

/// xor changes nothing in a dimension of up to two nodes [X III].
Placement effective(Placement placement, std::uint32_t d) {
  return d < 2 ? Placement::standard : placement;
}

constexpr std::uint64_t power_of_two(std::uint32_t exponent) {
  return std::uint64_t{1} << exponent;
}

/// Loads on one ring of 2^d nodes.
struct RingLoads {
  std::uint64_t node_min = 0;
  std::uint64_t node_max = 0;
  std::uint64_t link_min = 0;
  std::uint64_t link_max = 0;
};

/// [X IV]; the single link of two nodes is used, unlike a wrap-around link.
RingLoads standard_loads(std::uint32_t d) {
  const std::uint32_t h = d / 2;
  return {.node_min = 0,
          .node_max = (power_of_two(d + 1) - power_of_two(d + 1 - 2 * h)) / 3 - h,
          .link_min = d == 1 ? 1U : 0U,
          .link_max = power_of_two(d + 1) / 3};
}

/// [X IV] for d >= 2.
RingLoads xor_loads(std::uint32_t d) {
  const std::uint64_t quarter = power_of_two(d - 2);
  return {.node_min = quarter - 1,
          .node_max = quarter - 1 + standard_loads(d - 2).node_max,
          .link_min = quarter,
          .link_max = quarter + power_of_two(d - 1) / 3};
}

RingLoads ring_loads(Placement placement, std::uint32_t d) {
  return effective(placement, d) == Placement::standard ? standard_loads(d) : xor_loads(d);
}

/// Distances across the cube dimensions i < d of rings (standard: or lines) of 2^d nodes [X IV].
std::vector<std::uint32_t> distances_across(Placement placement,
                                            std::span<const std::uint32_t> dimensions) {
  std::vector<std::uint32_t> distances;
  for (const std::uint32_t d : dimensions) {
    for (std::uint32_t i = 0; i < d; ++i) {
      const bool is_halved = effective(placement, d) == Placement::exclusive_or && i == d - 1;
      distances.push_back(static_cast<std::uint32_t>(power_of_two(is_halved ? i - 1 : i)));
    }
  }
  return distances;
}

/// Inserts distance 0 for the dimensions inside nodes, ascending.
std::vector<std::uint32_t> unfolded(const std::vector<std::uint32_t>& distances,
                                    std::span<const std::uint32_t> inside) {
  std::vector<std::uint32_t> result = distances;
  for (const std::uint32_t dimension : inside) {
    expects(dimension <= result.size(), "dimensions inside nodes are those of the cube");
    result.insert(result.begin() + dimension, 0);
  }
  return result;
}

/// All processes have the same distances, from which everything about dilation follows.
void fill_dilations(ClosedForm& form) {
  const auto d = static_cast<std::uint32_t>(form.distances.size());
  if (d == 0) {
    return;
  }
  const std::uint64_t edges_per_dimension = power_of_two(d - 1);
  for (const std::uint32_t distance : form.distances) {
    form.spectrum[distance] += edges_per_dimension;
    form.longest_dilation = std::max(form.longest_dilation, distance);
    form.total_dilation += distance * edges_per_dimension;
  }
  form.average_dilation =
      static_cast<double>(form.total_dilation) / static_cast<double>(edges_per_dimension * d);
}

/// A message's route stays on one line of nodes, so node loads add up over the dimensions [X IV].
void fill_node_loads(ClosedForm& form, Placement placement,
                     std::span<const std::uint32_t> dimensions, std::uint64_t slots) {
  form.node_load_min = 0;
  form.node_load_max = 0;
  for (const std::uint32_t d : dimensions) {
    const RingLoads loads = ring_loads(placement, d);
    *form.node_load_min += slots * loads.node_min;
    *form.node_load_max += slots * loads.node_max;
  }
  // An edge of distance D passes through D - 1 nodes; a dimension has one per two processes.
  const std::uint64_t passages = sum_of(
      form.distances, [](std::uint64_t distance) { return distance == 0 ? 0 : distance - 1; });
  form.node_load_average = static_cast<double>(slots * passages) / 2;
}

}  // namespace

std::optional<ClosedForm> closed_form(const Topology& topology, std::string_view embedding,
                                      std::span<const std::uint32_t> inside) {
  const std::optional<Placement> placement = placement_of(embedding);
  const auto dimensions = cube_dimensions(topology.shape());
  if (!placement || !dimensions || !is_grid(topology)) {
    return std::nullopt;
  }
  const bool is_xor = std::ranges::any_of(*dimensions, [&](std::uint32_t d) {
    return effective(*placement, d) == Placement::exclusive_or;
  });
  if (is_xor && !wraps_around(topology)) {
    return std::nullopt;  // without wrap-around links its distances are not constant
  }
  ClosedForm form;
  // Every edge of the smaller cube, on the nodes, stands for 2^k edges of the cube.
  const std::uint64_t slots = power_of_two(static_cast<std::uint32_t>(inside.size()));
  form.distances = unfolded(distances_across(*placement, *dimensions), inside);
  fill_dilations(form);
  fill_node_loads(form, *placement, *dimensions, slots);
  if (topology.dimension_count() == 1 && wraps_around(topology)) {
    const RingLoads loads = ring_loads(*placement, dimensions->front());
    form.link_load_min = slots * loads.link_min;
    form.link_load_max = slots * loads.link_max;
  }
  return form;
}

}  // namespace dcube
