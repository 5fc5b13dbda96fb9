#include "subcube_layout.hpp"

#include <numeric>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// The position of the `index`-th bit that is set, from the lowest.
std::uint32_t bit_at(std::uint32_t mask, std::uint32_t index) {
  for (; index > 0; --index) {
    mask &= mask - 1;
  }
  return mask & (~mask + 1);
}

std::uint32_t mask_of(std::uint32_t dimensions) { return (std::uint32_t{1} << dimensions) - 1; }

}  // namespace

SubcubeLayout::SubcubeLayout(std::uint32_t cube_dimensions, std::uint32_t stars)
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

SubcubeLayout SubcubeLayout::random_parallel(std::uint32_t cube_dimensions,
                                             std::uint32_t subcube_dimensions, SplitMix64& random) {
  std::uint32_t stars = 0;
  for (std::uint32_t i = 0; i < subcube_dimensions; ++i) {
    stars |= bit_at(mask_of(cube_dimensions) & ~stars, draw_below(random, cube_dimensions - i));
  }
  return {cube_dimensions, stars};
}

std::optional<SubcubeLayout::Cut> SubcubeLayout::random_cut(SplitMix64& random) const {
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

void SubcubeLayout::replace(std::uint32_t slot, const Subcube& subcube) {
  slots_[slot] = subcube;
  places_[key(subcube)] = slot;
}

SubcubeLayout::Cut SubcubeLayout::apply(const Cut& cut) {
  const Cut undo{cut.first, cut.second, slots_[cut.first], slots_[cut.second]};
  places_.erase(key(undo.new_first));
  places_.erase(key(undo.new_second));
  replace(cut.first, cut.new_first);
  replace(cut.second, cut.new_second);
  return undo;
}

void SubcubeLayout::cut_at_random(std::uint32_t count, SplitMix64& random) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (const auto cut = random_cut(random)) {
      apply(*cut);
    }
  }
}

void SubcubeLayout::cut_part(std::uint32_t fixed) {
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

}  // namespace dcube
