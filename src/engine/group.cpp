#include "dcube/engine/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/mapped.hpp"

namespace dcube {

Group Process::world() const { return Group{*this}; }

Group::Group(const Process& process)
    : Group{process, process.rank().index(), process.process_count(), 0, 1, nullptr} {}

Group::Group(const Process& process, Members members, std::uint32_t rank)
    : Group{process, rank, static_cast<std::uint32_t>(members->size()), 0, 1, std::move(members)} {
  expects(rank < size_ && member(rank) == process.rank(), "a process makes a group with itself");
}

void Group::refuse_rank(std::uint32_t rank, const char* does) const {
  process_.refuse(
      fmt::format("{} rank {} of a group whose ranks are 0 to {}", does, rank, size_ - 1));
}

Group Group::slice(std::uint32_t first, std::uint32_t count, std::uint32_t stride) const {
  const std::uint64_t last = first + std::uint64_t{count - 1} * stride;
  if (count == 0 || last >= size_ || (stride == 0 && count > 1)) {
    process_.refuse(fmt::format("slices {} ranks from {} with stride {} out of a group of {}",
                                count, first, stride, size_));
  }
  const std::uint32_t way = rank_ - first;
  const bool is_member = rank_ >= first && rank_ <= last && (count == 1 || way % stride == 0);
  if (!is_member) {
    process_.refuse(fmt::format("slices a group without itself (rank {})", rank_));
  }
  return {
      process_, count == 1 ? 0 : way / stride, count, first_ + first * stride_, stride * stride_,
      members_};
}

Group Group::subgroup(std::span<const std::uint32_t> ranks) const {
  auto members = std::make_shared<std::vector<ProcessId>>();
  members->reserve(ranks.size());
  std::optional<std::uint32_t> own;
  for (const std::uint32_t rank : ranks) {
    expect_rank(rank, "makes a group of");
    if (rank == rank_) {
      own = static_cast<std::uint32_t>(members->size());
    }
    members->push_back(member(rank));
  }
  if (!own) {
    process_.refuse(fmt::format("makes a group without itself (rank {})", rank_));
  }
  if (std::set<ProcessId>{members->begin(), members->end()}.size() != members->size()) {
    process_.refuse("makes a group that has a member twice");
  }
  return {process_, *own, static_cast<std::uint32_t>(ranks.size()), 0, 1, std::move(members)};
}

Group Group::along(std::span<const std::uint32_t> axes,
                   std::span<const std::uint32_t> sides) const {
  std::uint64_t count = 1;
  for (const std::uint32_t side : sides) {
    count = std::min(count * side, std::uint64_t{size_} + 1);
  }
  if (count != size_) {
    process_.refuse(
        fmt::format("takes a group of {} for a torus of {}", size_, joined(sides, "x")));
  }
  for (const std::uint32_t axis : axes) {
    if (axis >= sides.size()) {
      process_.refuse(fmt::format("goes along axis {} of {}", axis, sides.size()));
    }
  }
  return subgroup(ranks_along(rank_, axes, sides));
}

std::vector<std::uint32_t> ranks_along(std::uint32_t rank, std::span<const std::uint32_t> axes,
                                       std::span<const std::uint32_t> sides) {
  std::vector<std::uint32_t> strides(sides.size());
  std::exclusive_scan(sides.begin(), sides.end(), strides.begin(), 1U,
                      std::multiplies<std::uint32_t>{});
  for (const std::uint32_t axis : axes) {
    rank -= rank / strides[axis] % sides[axis] * strides[axis];
  }
  std::vector<std::uint32_t> ranks{rank};
  for (const std::uint32_t axis : axes) {
    const std::size_t before = ranks.size();
    for (std::uint32_t at = 1; at < sides[axis]; ++at) {
      for (std::size_t i = 0; i < before; ++i) {
        ranks.push_back(ranks[i] + at * strides[axis]);
      }
    }
  }
  return ranks;
}

Group Group::split(const std::function<std::uint64_t(std::uint32_t)>& color) const {
  const std::uint64_t own = color(rank_);
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    if (color(rank) == own) {
      ranks.push_back(rank);
    }
  }
  return subgroup(ranks);
}

}  // namespace dcube
