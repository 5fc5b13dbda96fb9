#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/embedding/subcube.hpp"
#include "draws.hpp"

namespace dcube {

/// A cube that is cut into subcubes of one size: slots, into which tasks are put.
///
/// A cut changes a layout: two slots that differ in one bit form a subcube of one dimension more,
/// which is then cut across another of its dimensions:
///
///     +---+---+      +-------+
///     | a | b |  ->  |   a   |
///     |   |   |      +-------+
///     +---+---+      |   b   |
///                    +-------+
class SubcubeLayout {
 public:
  /// All slots are parallel and have their * at `stars`.
  SubcubeLayout(std::uint32_t cube_dimensions, std::uint32_t stars);
  /// The same with the * at random positions.
  static SubcubeLayout random_parallel(std::uint32_t cube_dimensions,
                                       std::uint32_t subcube_dimensions, SplitMix64& random);

  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  const Subcube& slot(std::uint32_t slot) const { return slots_[slot]; }
  const std::vector<Subcube>& slots() const { return slots_; }

  /// Two slots and what the cut makes of them.
  struct Cut {
    std::uint32_t first;
    std::uint32_t second;
    Subcube new_first;
    Subcube new_second;
  };
  /// Joins a random slot with its neighbour across a random bit and cuts the whole elsewhere;
  /// nothing when the slot has no such neighbour.
  std::optional<Cut> random_cut(SplitMix64& random) const;
  /// Makes the cut and returns the one that undoes it.
  Cut apply(const Cut& cut);
  /// Makes a random_cut() `count` times.
  void cut_at_random(std::uint32_t count, SplitMix64& random);
  /// Cuts slots in the part of the cube where the `fixed` lowest positions without * hold 0: every
  /// two neighbours across the next such position are cut across the lowest * instead. Needs
  /// parallel slots with at least one * and more than `fixed` positions without.
  void cut_part(std::uint32_t fixed);

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< stars and bits
  static Key key(const Subcube& slot) { return {slot.stars(), slot.bits()}; }
  void replace(std::uint32_t slot, const Subcube& subcube);

  std::uint32_t cube_dimensions_;
  std::vector<Subcube> slots_;
  std::map<Key, std::uint32_t> places_;
};

}  // namespace dcube
