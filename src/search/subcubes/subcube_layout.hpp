#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/embedding/subcube.hpp"
#include "search/walks/draws.hpp"

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
  SubcubeLayout(std::uint32_t cube_dimensions, std::uint32_t stars)
      : cube_dimensions_{cube_dimensions} {
    // Counts through the positions that are not free.
    const std::uint32_t fixed = mask_of(cube_dimensions) & ~stars;
    std::uint32_t bits = 0;
    do {
      slots_.emplace_back(cube_dimensions, stars, bits);
      places_.emplace(key(slots_.back()), size() - 1);
      bits = (bits - fixed) & fixed;
    } while (bits != 0);
  }

  /// Parallel slots with the * at random positions.
  static SubcubeLayout random_parallel(std::uint32_t cube_dimensions,
                                       std::uint32_t subcube_dimensions, SplitMix64& random) {
    std::uint32_t stars = 0;
    for (std::uint32_t i = 0; i < subcube_dimensions; ++i) {
      stars |= bit_at(mask_of(cube_dimensions) & ~stars, draw_below(random, cube_dimensions - i));
    }
    return {cube_dimensions, stars};
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(slots_.size()); }
  const Subcube& slot(std::uint32_t slot) const { return slots_[slot]; }
  const std::vector<Subcube>& slots() const { return slots_; }

  /// Two slots, and the two that replace them.
  struct Cut {
    std::uint32_t first;
    std::uint32_t second;
    Subcube new_first;
    Subcube new_second;
  };
  /// Joins a random slot with its neighbour across a random bit and cuts the whole elsewhere;
  /// nothing when the slot has no such neighbour.
  std::optional<Cut> random_cut(SplitMix64& random) const {
    const std::uint32_t first = draw_below(random, size());
    const Subcube& slot = slots_[first];
    const std::uint32_t free = slot.dimensions();
    if (free == 0 || free == cube_dimensions_) {
      return std::nullopt;
    }
    const std::uint32_t joined = bit_at(mask_of(cube_dimensions_) & ~slot.stars(),
                                        draw_below(random, cube_dimensions_ - free));
    const std::uint32_t cut = bit_at(slot.stars(), draw_below(random, free));
    const bool is_high = (random.next() & 1U) != 0;
    const auto found = places_.find({slot.stars(), slot.bits() ^ joined});
    if (found == places_.end()) {
      return std::nullopt;
    }
    const std::uint32_t stars = (slot.stars() | joined) & ~cut;
    const std::uint32_t bits = slot.bits() & ~joined;
    return Cut{first, found->second, Subcube{cube_dimensions_, stars, bits | (is_high ? cut : 0)},
               Subcube{cube_dimensions_, stars, bits | (is_high ? 0 : cut)}};
  }

  /// Makes the cut and returns the one that undoes it.
  Cut apply(const Cut& cut) {
    const Cut undo{cut.first, cut.second, slots_[cut.first], slots_[cut.second]};
    places_.erase(key(undo.new_first));
    places_.erase(key(undo.new_second));
    replace(cut.first, cut.new_first);
    replace(cut.second, cut.new_second);
    return undo;
  }

  /// Makes a random_cut() `count` times.
  void cut_at_random(std::uint32_t count, SplitMix64& random) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const auto cut = random_cut(random)) {
        apply(*cut);
      }
    }
  }

  /// Cuts slots in the part of the cube where the `fixed` lowest positions without * hold 0: every
  /// two neighbours across the next such position are cut across the lowest * instead. Needs
  /// parallel slots with at least one * and more than `fixed` positions without.
  void cut_part(std::uint32_t fixed) {
    const std::uint32_t stars = slots_.front().stars();
    const std::uint32_t positions = mask_of(cube_dimensions_) & ~stars;
    expects(stars != 0 && static_cast<std::uint32_t>(std::popcount(positions)) > fixed,
            "there is something to join and to cut");
    const std::uint32_t joined = bit_at(positions, fixed);
    const std::uint32_t cut = bit_at(stars, 0);
    const std::uint32_t must_be_0 = positions & (joined - 1);
    for (std::uint32_t slot = 0; slot < size(); ++slot) {
      const std::uint32_t bits = slots_[slot].bits();
      if (slots_[slot].stars() == stars && (bits & (must_be_0 | joined)) == 0) {
        const std::uint32_t new_stars = (stars | joined) & ~cut;
        apply({slot, places_.at({stars, bits | joined}), Subcube{cube_dimensions_, new_stars, bits},
               Subcube{cube_dimensions_, new_stars, bits | cut}});
      }
    }
  }

 private:
  /// The bit that is the `index`-th of the mask, from the lowest.
  static std::uint32_t bit_at(std::uint32_t mask, std::uint32_t index) {
    for (; index > 0; --index) {
      mask &= mask - 1;
    }
    return mask & (~mask + 1);
  }

  static std::uint32_t mask_of(std::uint32_t dimensions) {
    return (std::uint32_t{1} << dimensions) - 1;
  }

  using Key = std::pair<std::uint32_t, std::uint32_t>;  ///< stars and bits
  static Key key(const Subcube& slot) { return {slot.stars(), slot.bits()}; }
  void replace(std::uint32_t slot, const Subcube& subcube) {
    slots_[slot] = subcube;
    places_[key(subcube)] = slot;
  }

  std::uint32_t cube_dimensions_;
  std::vector<Subcube> slots_;
  std::map<Key, std::uint32_t> places_;
};

}  // namespace dcube
