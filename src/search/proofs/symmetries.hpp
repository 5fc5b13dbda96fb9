#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

/// The permutations of a grid's nodes that keep all distances: translations where ends are joined,
/// reflections, exchanges of dimensions of one size. Of a twisted torus the translations alone.
/// They form a group, and the identity comes first. For other machines the identity alone. Throws
/// InputError (no place) when they are too many.
std::vector<Symmetry> symmetries_of(const Topology& topology);

/// Symmetries that generate all of symmetries_of(); none where some nodes host nothing.
std::vector<Symmetry> symmetry_steps(const Topology& topology);

/// symmetries_of(); some of them, which form a group, where these have more images of nodes.
std::vector<Symmetry> some_symmetries_of(const Topology& topology, std::size_t most);

/// The symmetries that keep all routes, too.
std::vector<Symmetry> route_symmetries_of(const Topology& topology);

/// The subgroup that fixes the nodes chosen so far, level by level.
class Stabilizers {
 public:
  explicit Stabilizers(std::span<const Symmetry> group)
      : group_{group}, levels_{numbered(group.size())} {}

  /// Whether no symmetry that is left takes `node` to a lower one. Of nodes that are alike only the
  /// first need be tried.
  bool is_first_of_its_kind(NodeId node) const {
    return std::ranges::none_of(
        levels_.back(), [&](std::uint32_t index) { return group_[index][node.index()] < node; });
  }

  /// Keeps the symmetries that fix `node`; returns how many nodes are like it.
  std::uint64_t fix(NodeId node) {
    std::vector<std::uint32_t> left = kept(
        levels_.back(), [&](std::uint32_t index) { return group_[index][node.index()] == node; });
    const std::uint64_t alike = levels_.back().size() / left.size();
    levels_.push_back(std::move(left));
    return alike;
  }

  void unfix() { levels_.pop_back(); }

 private:
  std::span<const Symmetry> group_;
  std::vector<std::vector<std::uint32_t>> levels_;  ///< indices of the symmetries left
};

}  // namespace dcube
