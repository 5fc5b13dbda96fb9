#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// Grid of places that processes see on a machine: its sides, where some are folded (see
/// Structure::folds) the products of their factors. Node numbers are places on any other machine.
///
/// A folded side is a walk through the grid of its factors in the reflected Gray code of mixed
/// radix. A step changes one coordinate by one:
///
///     2 x 3    first:   0 0 0 1 1 1
///              second:  0 1 2 2 1 0
///
/// The ends are neighbours if the factor that changes least often is even and its ends are linked,
/// as those of 2 are. So that is the last such factor, or the last of all where there is none; the
/// others change the more often, the earlier they come.
class FoldedGrid {
 public:
  explicit FoldedGrid(const Topology& topology);

  std::span<const std::uint32_t> sides() const { return sides_; }
  bool is_folded() const { return !digits_.empty(); }
  std::uint32_t node_at(std::uint32_t place) const {
    return is_folded() ? folded_node_at(place) : place;
  }

 private:
  /// A factor of a side, in the order in which they change.
  struct Digit {
    std::uint32_t factor;
    std::uint32_t stride;  ///< in node numbers
    bool is_last;          ///< of its side
  };

  std::uint32_t folded_node_at(std::uint32_t place) const;

  std::vector<std::uint32_t> sides_;
  std::vector<Digit> digits_{};
};

}  // namespace dcube
