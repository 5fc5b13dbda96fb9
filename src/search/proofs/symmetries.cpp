#include "symmetries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"

namespace dcube {
namespace {

/// The most nodes of all symmetries together: 0.1 GB, which is held twice while they are computed.
/// A hypercube of 8 dimensions has ten million symmetries.
constexpr std::size_t most_images = std::size_t{1} << 25U;

std::vector<Symmetry> generators(const Topology& topology) {
  struct Axis {
    std::uint32_t side;
    std::uint32_t stride;
    std::uint32_t coordinate(std::uint32_t node) const { return node / stride % side; }
  };
  std::vector<Symmetry> result;
  const auto add = [&](auto image) {
    result.push_back(numbered(topology.node_count(), [&](std::uint32_t node) {
      return NodeId{node + image(node)};  // modulo 2^32
    }));
  };
  std::vector<Axis> axes;
  for (const std::uint32_t side : topology.shape()) {
    axes.push_back({side, axes.empty() ? 1 : axes.back().stride * axes.back().side});
  }
  const std::span<const std::uint32_t> weights = hop_weights_of(topology);
  const auto line_of = [&](auto axis) {
    const auto dimension = static_cast<std::size_t>(axis - axes.begin());
    return std::pair{topology.structure().lines[dimension],
                     weights.empty() ? 1 : weights[dimension]};
  };
  for (auto a = axes.begin(); a != axes.end(); ++a) {
    add([a](std::uint32_t node) { return (a->side - 1 - 2 * a->coordinate(node)) * a->stride; });
    if (line_of(a).first == Structure::Line::cycle) {
      add([a](std::uint32_t node) {
        const std::uint32_t at = a->coordinate(node);
        return ((at + 1) % a->side - at) * a->stride;
      });
    }
    for (auto b = a + 1; b != axes.end(); ++b) {
      if (b->side == a->side && line_of(b) == line_of(a)) {
        add([a, b](std::uint32_t node) {
          return (a->coordinate(node) - b->coordinate(node)) * (b->stride - a->stride);
        });
      }
    }
  }
  return result;
}

/// Whether every node has a link upwards in each dimension, and a step over them by all nodes at
/// once keeps the routes.
bool has_translations(const Topology& topology) {
  return has_only(topology, Structure::Line::cycle, Structure::Line::twisted) &&
         topology.routing() == "dimension_order" &&
         topology.link_count() == std::uint64_t{topology.node_count()} * topology.dimension_count();
}

std::vector<Symmetry> translations(const Topology& torus) {
  std::vector<Symmetry> result;
  for (std::uint32_t d = 0; d < torus.dimension_count(); ++d) {
    const LinkDirection& up = torus.link_directions()[std::size_t{2} * d];
    result.push_back(numbered(torus.node_count(), [&](std::uint32_t node) {
      return torus.link(LinkId{up.first.index() + node}).value().to;
    }));
  }
  return result;
}

bool keeps_routes(const Topology& topology, const Symmetry& symmetry) {
  for (std::uint32_t from = 0; from < topology.node_count(); ++from) {
    for (std::uint32_t to = 0; to < topology.node_count(); ++to) {
      std::vector<NodeId> route = topology.route(NodeId{from}, NodeId{to});
      for (NodeId& node : route) {
        node = symmetry[node.index()];
      }
      if (route != topology.route(symmetry[from], symmetry[to])) {
        return false;
      }
    }
  }
  return true;
}

std::vector<NodeId> identity_of(const Topology& topology) {
  return numbered(topology.node_count(), [](std::uint32_t node) { return NodeId{node}; });
}

/// The group that the steps generate, the identity first: every element is multiplied by them until
/// nothing is new. Nothing where it has more than `most` images of nodes.
std::optional<std::vector<Symmetry>> generated(const Symmetry& identity,
                                               std::span<const Symmetry> steps, std::size_t most) {
  std::vector<Symmetry> group{identity};
  std::set<Symmetry> known{identity};
  for (std::size_t next = 0; next < group.size(); ++next) {
    for (const Symmetry& step : steps) {
      Symmetry product = mapped(group[next], [&](NodeId node) { return step[node.index()]; });
      if (known.insert(product).second) {
        if ((group.size() + 1) * identity.size() > most) {
          return std::nullopt;
        }
        group.push_back(std::move(product));
      }
    }
  }
  return group;
}

}  // namespace

std::vector<Symmetry> symmetry_steps(const Topology& topology) {
  if (topology.usable_count() < topology.node_count()) {
    return {};
  }
  if (is_grid(topology)) {
    return generators(topology);
  }
  return has_translations(topology) ? translations(topology) : std::vector<Symmetry>{};
}

std::vector<Symmetry> symmetries_of(const Topology& topology) {
  auto group = generated(identity_of(topology), symmetry_steps(topology), most_images);
  if (!group) {
    throw InputError(
        "", fmt::format("the {} has too many symmetries to go through", describe(topology)));
  }
  return *std::move(group);
}

std::vector<Symmetry> some_symmetries_of(const Topology& topology, std::size_t most) {
  const std::vector<Symmetry> steps = symmetry_steps(topology);
  std::vector<Symmetry> group{identity_of(topology)};
  for (std::size_t count = 1; count <= steps.size(); ++count) {
    if (std::ranges::find(group, steps[count - 1]) != group.end()) {
      continue;
    }
    auto more = generated(group.front(), std::span{steps}.first(count), most);
    if (!more) {
      break;
    }
    group = *std::move(more);
  }
  return group;
}

std::vector<Symmetry> route_symmetries_of(const Topology& topology) {
  std::vector<Symmetry> group = symmetries_of(topology);
  if (group.size() == 1) {  // the identity, which keeps what there is
    return group;
  }
  std::erase_if(group, [&](const Symmetry& symmetry) { return !keeps_routes(topology, symmetry); });
  return group;
}

}  // namespace dcube
