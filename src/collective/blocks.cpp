#include "blocks.hpp"

#include <algorithm>
#include <bit>

#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"

namespace dcube {

ElementRange Portion::of(std::uint64_t elements) const {
  const auto share = [&](std::uint64_t weight) {
    return static_cast<std::uint64_t>(UInt128{elements} * weight / all);
  };
  return {share(before), share(before + own)};
}

Blocks Blocks::split(std::uint64_t elements, std::uint32_t blocks) {
  Blocks split = equal(elements / blocks, blocks);
  split.larger_ = elements % blocks;
  return split;
}

Blocks Blocks::split_piece(std::uint64_t elements, std::uint32_t port, std::uint32_t ports,
                           std::uint32_t blocks) {
  const Blocks pieces = split(elements, ports);
  const std::uint64_t begin = pieces.begin_of(port);
  Blocks piece = split(pieces.begin_of(port + 1) - begin, blocks);
  piece.first_ = begin;
  return piece;
}

Blocks Blocks::split_portion(std::uint64_t elements, const Portion& portion, std::uint32_t blocks) {
  const ElementRange range = portion.of(elements);
  Blocks piece = split(range.size(), blocks);
  piece.first_ = range.begin;
  return piece;
}

Blocks Blocks::equal(std::uint64_t each, std::uint32_t blocks) {
  Blocks equal;
  equal.count_ = equal.base_ = blocks;
  equal.each_ = each;
  return equal;
}

Blocks Blocks::unequal(std::span<const std::uint64_t> counts) {
  Blocks unequal = equal(0, static_cast<std::uint32_t>(counts.size()));
  std::vector<std::uint64_t> begins{0};
  begins.reserve(counts.size() + 1);
  for (const std::uint64_t count : counts) {
    begins.push_back(begins.back() + count);
  }
  unequal.begins_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(begins));
  return unequal;
}

Blocks Blocks::shares(const CollectiveCall& call, std::uint32_t size) {
  return call.counts.empty() ? equal(call.count, size) : unequal(call.counts);
}

Blocks Blocks::part(std::uint32_t part, std::uint32_t parts) const {
  expects(parts_ == 1, "blocks are parted once");
  Blocks parted = *this;
  parted.part_ = part;
  parted.parts_ = parts;
  return parted;
}

Blocks Blocks::part(const Portion& portion) const {
  expects(parts_ == 1, "blocks are parted once");
  Blocks parted = *this;
  parted.portion_ = std::make_shared<const Portion>(portion);
  return parted;
}

Blocks Blocks::rotated(std::uint32_t by) const {
  expects(pairs_ == 0, "blocks are rotated or folded");
  Blocks rotated = *this;
  rotated.rotation_ = (rotation_ + by) % base_;
  return rotated;
}

Blocks Blocks::folded() const {
  expects(rotation_ == 0, "blocks are rotated or folded");
  Blocks folded = *this;
  folded.count_ = std::bit_floor(base_);
  folded.pairs_ = base_ - folded.count_;
  return folded;
}

ElementRanges Blocks::run(std::uint32_t first, std::uint32_t count) const {
  ElementRanges ranges;
  const std::uint32_t ahead = std::min(count, count_ - first);
  add_run(ranges, first, first + ahead);
  add_run(ranges, 0, count - ahead);
  return ranges;
}

ElementRanges Blocks::of(const std::vector<std::uint32_t>& blocks) const {
  ElementRanges ranges;
  for (const std::uint32_t block : blocks) {
    add(ranges, block);
  }
  return ranges;
}

std::uint64_t Blocks::begin_of(std::uint64_t base) const {
  return begins_ ? (*begins_)[base] : first_ + base * each_ + std::min(base, larger_);
}

void Blocks::add_run(ElementRanges& ranges, std::uint32_t first, std::uint32_t end) const {
  if (first == end) {
    return;
  }
  if (pairs_ > 0) {
    add_base_run(ranges, unfolded(first), unfolded(end));
    return;
  }
  const std::uint32_t around = base_ - rotation_;
  add_base_run(ranges, std::min(first, around) + rotation_, std::min(end, around) + rotation_);
  add_base_run(ranges, std::max(first, around) - around, std::max(end, around) - around);
}

void Blocks::add_base_run(ElementRanges& ranges, std::uint32_t first, std::uint32_t end) const {
  if (!portion_ && parts_ == 1) {
    ranges.add({begin_of(first), begin_of(end)});
    return;
  }
  const auto part_of = [&](std::uint64_t size) -> ElementRange {
    if (portion_) {
      return portion_->of(size);
    }
    const Blocks pieces = split(size, parts_);
    return {pieces.begin_of(part_), pieces.begin_of(part_ + 1)};
  };
  for (std::uint32_t block = first; block < end; ++block) {
    const std::uint64_t begin = begin_of(block);
    const ElementRange part = part_of(begin_of(block + 1) - begin);
    ranges.add({begin + part.begin, begin + part.end});
  }
}

}  // namespace dcube
