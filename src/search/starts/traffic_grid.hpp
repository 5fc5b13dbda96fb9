#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcube/embedding/embedding.hpp"
#include "dcube/embedding/traffic.hpp"

namespace dcube {

/// A grid that flows form.
struct TrafficGrid {
  Guest guest;                         ///< a cube, or a mesh or torus of at least one dimension
  std::vector<std::uint32_t> numbers;  ///< in that guest, by process
  /// Whether the processes are numbered in another way.
  bool is_hidden = true;
};

/// The grid that all flows form, or the heaviest of them: a product of lines, rings, and groups
/// whose processes all exchange, which are sides in any order. Else the grid whose processes
/// exchange with all around them, over edges and corners, too. Nothing where there is none, or
/// where all processes are one group.
std::optional<TrafficGrid> traffic_grid(const Traffic& traffic);

/// Numbers for the processes of a cube that are numbered in another way, so that partners differ in
/// one bit. Nothing where the flows are not those of a cube, or where the processes have such
/// numbers already. The heaviest dimension of process 0 is the lowest.
std::optional<std::vector<std::uint32_t>> hidden_cube(const Traffic& traffic);

/// The traffic in which process p has the number `numbers[p]`.
Traffic renumbered(const Traffic& traffic, const std::vector<std::uint32_t>& numbers);

}  // namespace dcube
