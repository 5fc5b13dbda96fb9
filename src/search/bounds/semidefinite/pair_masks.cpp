#include "pair_masks.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace dcube {

MaskPropagation::MaskPropagation(const DifferenceClasses& classes, const Talkers& talkers)
    : classes_{classes}, talkers_{talkers}, thirds_(classes.class_count() * classes.class_count()) {
  const std::size_t count = classes.class_count();
  for (std::size_t of = talkers.slots == 1 ? 1 : 0; of < count; ++of) {
    known_ |= std::uint64_t{1} << of;
  }
  const std::size_t nodes = classes.node_count;
  for (std::size_t a = 0; a < nodes; ++a) {
    const std::uint32_t* const from = &classes.class_of[a * nodes];
    for (std::size_t b = 0; b < nodes; ++b) {
      for (std::size_t c = 0; c < nodes; ++c) {
        thirds_[from[b] * count + from[c]] |= std::uint64_t{1} << classes.class_of[b * nodes + c];
      }
    }
  }
  find_twins();
}

bool MaskPropagation::are_twins(std::size_t a, std::size_t b) const {
  for (std::size_t other = 0; other < talkers_.count(); ++other) {
    if (other != a && other != b && talkers_.weight(a, other) != talkers_.weight(b, other)) {
      return false;
    }
  }
  return true;
}

void MaskPropagation::find_twins() {
  std::vector<std::vector<std::size_t>> kinds;
  for (std::size_t a = 0; a < talkers_.count(); ++a) {
    const auto alike =
        std::ranges::find_if(kinds, [&](const auto& kind) { return are_twins(kind.front(), a); });
    if (alike == kinds.end()) {
      kinds.push_back({a});
    } else {
      alike->push_back(a);
    }
  }
  // Kinds are sorted one after the other, each by a process of a kind that is sorted already: its
  // number then stays.
  std::ranges::stable_sort(kinds, {}, [](const auto& kind) { return kind.size(); });
  std::vector<bool> is_sorted(talkers_.count());
  for (const std::vector<std::size_t>& kind : kinds) {
    std::size_t heaviest = talkers_.count();
    for (std::size_t other = 0; other < talkers_.count(); ++other) {
      if (is_sorted[other] &&
          (heaviest == talkers_.count() ||
           talkers_.weight(kind.front(), other) > talkers_.weight(kind.front(), heaviest))) {
        heaviest = other;
      }
    }
    if (kind.size() > 1 && heaviest < talkers_.count()) {
      std::vector<std::size_t>& chain = chains_.emplace_back();
      for (const std::size_t a : kind) {
        chain.push_back(pair_of(a, heaviest));
      }
    }
    if (kind.size() == 1 || heaviest < talkers_.count()) {
      for (const std::size_t a : kind) {
        is_sorted[a] = true;
      }
    }
  }
}

PairMasks MaskPropagation::all() const {
  return PairMasks(talkers_.count() * (talkers_.count() - 1) / 2, known_);
}

std::size_t MaskPropagation::pair_of(std::size_t a, std::size_t b) const {
  const auto [low, high] = std::minmax(a, b);
  return low * talkers_.count() - low * (low + 1) / 2 + high - low - 1;
}

std::uint64_t MaskPropagation::within(std::uint32_t hops) const {
  std::uint64_t mask = 0;
  for (std::size_t of = 0; of < classes_.class_count(); ++of) {
    mask |= classes_.hops[of] <= hops ? std::uint64_t{1} << of : 0;
  }
  return mask;
}

std::uint64_t MaskPropagation::third(std::uint64_t one, std::uint64_t other) const {
  std::uint64_t mask = 0;
  for (std::uint64_t a = one; a != 0; a &= a - 1) {
    const auto row = static_cast<std::size_t>(std::countr_zero(a)) * classes_.class_count();
    for (std::uint64_t b = other; b != 0; b &= b - 1) {
      mask |= thirds_[row + static_cast<std::size_t>(std::countr_zero(b))];
    }
  }
  return mask;
}

bool MaskPropagation::sort_twins(PairMasks& masks, bool& has_changed) const {
  // Classes ascend by hops, so a mask's lowest bit has the least and its highest the most.
  const auto limit = [&](std::size_t pair, std::uint64_t to) {
    has_changed = has_changed || (masks[pair] & to) != masks[pair];
    masks[pair] &= to;
    return masks[pair] != 0;
  };
  for (const std::vector<std::size_t>& chain : chains_) {
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const auto least = static_cast<std::size_t>(std::countr_zero(masks[chain[i - 1]]));
      const std::uint32_t hops = classes_.hops[least];
      if (hops > 0 && !limit(chain[i], ~within(hops - 1))) {
        return false;
      }
    }
    for (std::size_t i = chain.size() - 1; i > 0; --i) {
      const auto most = static_cast<std::size_t>(63 - std::countl_zero(masks[chain[i]]));
      if (!limit(chain[i - 1], within(classes_.hops[most]))) {
        return false;
      }
    }
  }
  return true;
}

bool MaskPropagation::restrict(PairMasks& masks) const {
  if (std::ranges::find(masks, 0U) != masks.end()) {
    return false;
  }
  const std::size_t count = talkers_.count();
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    if (!sort_twins(masks, has_changed)) {
      return false;
    }
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        if (a == b || masks[pair_of(a, b)] == known_) {
          continue;
        }
        for (std::size_t c = 0; c < count; ++c) {
          if (c == a || c == b) {
            continue;
          }
          std::uint64_t& mask = masks[pair_of(b, c)];
          const std::uint64_t left = mask & third(masks[pair_of(a, b)], masks[pair_of(a, c)]);
          has_changed = has_changed || left != mask;
          mask = left;
          if (left == 0) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

}  // namespace dcube
