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

/// A cube cut into subcubes of one size, the slots that tasks are put into.
///
/// Cut anew: two slots that differ in one bit form a subcube of one dimension more, which is then
/// cut across another of its dimensions:
///
///     +---+---+      +-------+
///     | a | b |  ->  |   a   |
///     |   |   |      +-------+
///     +---+---+      |   b   |
///                    +-------+
class SubcubeLayout {
 public:
  /// All slots parallel: free in `stars`.
  SubcubeLayout(std::uint32_t cube_dimensions, std::uint32_t stars);
  /// The same with random free positions.
  static SubcubeLayout random_parallel(std::uint32_t cube_dimensions,
                                       std::uint32_t subcube_dimensions, SplitMix64& random);

  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  const Subcube& slot(std::uint32_t slot) const { return slots_[slot]; }
  const std::vector<Subcube>& slots() const { return slots_; }

  /// Two slots and what they would become.
  struct Cut {
    std::uint32_t first;
    std::uint32_t second;
    Subcube new_first;
    Subcube new_second;
  };
  /// A random slot joined across a random bit with its neighbour and cut elsewhere; nothing when it
  /// has no such neighbour.
  std::optional<Cut> random_cut(SplitMix64& random) const;
  /// Returns the cut that undoes it.
  Cut apply(const Cut& cut);
  /// `count` times random_cut() and apply().
  void cut_at_random(std::uint32_t count, SplitMix64& random);
  /// In the part of the cube where the `fixed` lowest positions that are not free hold 0, every two
  /// neighbours across the next such position are cut across the lowest free one. Needs parallel
  /// slots, with more than `fixed` positions that are not free, and one that is.
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
