#include "symmetries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "dcube/core/errors.hpp"
#include "metrics/grid_kind.hpp"

namespace dcube {
namespace {

/// The most nodes of all symmetries together: 0.1 GB, which is held twice while they are computed.
/// A hypercube of 8 dimensions has ten million symmetries.
constexpr std::size_t most_images = std::size_t{1} << 25U;

using Coordinates = std::vector<std::uint32_t>;

Coordinates coordinates_of(std::uint32_t node, std::span<const std::uint32_t> shape) {
  Coordinates coordinates;
  for (const std::uint32_t side : shape) {
    coordinates.push_back(node % side);
    node /= side;
  }
  return coordinates;
}

NodeId node_at(const Coordinates& coordinates, std::span<const std::uint32_t> shape) {
  std::uint32_t node = 0;
  for (std::size_t j = shape.size(); j-- > 0;) {
    node = node * shape[j] + coordinates[j];
  }
  return NodeId{node};
}

/// The symmetry that changes the coordinates of every node by `change`.
template <class Change>
Symmetry permutation(const Topology& topology, Change change) {
  Symmetry symmetry;
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    Coordinates coordinates = coordinates_of(node, topology.shape());
    change(coordinates);
    symmetry.push_back(node_at(coordinates, topology.shape()));
  }
  return symmetry;
}

std::vector<Symmetry> generators(const Topology& topology) {
  const auto shape = topology.shape();
  std::vector<Symmetry> result;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const std::uint32_t side = shape[j];
    result.push_back(permutation(topology, [&](Coordinates& at) { at[j] = side - 1 - at[j]; }));
    if (wraps_around(topology)) {
      result.push_back(permutation(topology, [&](Coordinates& at) { at[j] = (at[j] + 1) % side; }));
    }
    for (std::size_t i = j + 1; i < shape.size(); ++i) {
      if (shape[i] == side) {
        result.push_back(permutation(topology, [&](Coordinates& at) { std::swap(at[i], at[j]); }));
      }
    }
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

}  // namespace

std::vector<Symmetry> symmetries_of(const Topology& topology) {
  std::vector<NodeId> identity;
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    identity.emplace_back(node);
  }
  std::vector<Symmetry> group{identity};
  if (!is_grid(topology)) {
    return group;
  }
  // The group of the generators: every element is multiplied by them until nothing is new.
  const std::vector<Symmetry> steps = generators(topology);
  std::set<Symmetry> known{identity};
  for (std::size_t next = 0; next < group.size(); ++next) {
    for (const Symmetry& step : steps) {
      Symmetry product;
      for (const NodeId node : group[next]) {
        product.push_back(step[node.index()]);
      }
      if (known.insert(product).second) {
        if ((group.size() + 1) * topology.node_count() > most_images) {
          throw InputError(
              "", fmt::format("the {} has too many symmetries to go through", describe(topology)));
        }
        group.push_back(std::move(product));
      }
    }
  }
  return group;
}

std::vector<Symmetry> route_symmetries_of(const Topology& topology) {
  std::vector<Symmetry> group = symmetries_of(topology);
  std::erase_if(group, [&](const Symmetry& symmetry) { return !keeps_routes(topology, symmetry); });
  return group;
}

Stabilizers::Stabilizers(std::span<const Symmetry> group) : group_{group}, levels_(1) {
  levels_.front().resize(group.size());
  std::iota(levels_.front().begin(), levels_.front().end(), 0U);
}

bool Stabilizers::is_first_of_its_kind(NodeId node) const {
  return std::ranges::none_of(
      levels_.back(), [&](std::uint32_t index) { return group_[index][node.index()] < node; });
}

std::uint64_t Stabilizers::fix(NodeId node) {
  std::vector<std::uint32_t> left;
  for (const std::uint32_t index : levels_.back()) {
    if (group_[index][node.index()] == node) {
      left.push_back(index);
    }
  }
  const std::uint64_t alike = levels_.back().size() / left.size();
  levels_.push_back(std::move(left));
  return alike;
}

}  // namespace dcube
