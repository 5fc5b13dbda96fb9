#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "dcube/core/errors.hpp"
#include "dcube/topology/with_host.hpp"
#include "dcube/trace/critical_path.hpp"

namespace dcube {

PairGroup pair_group(const Guest& guest, ProcessId a, ProcessId b) {
  const std::uint32_t count = guest.process_count();
  if (a.index() >= count || b.index() >= count) {
    return {PairGroup::Kind::host, 0};
  }
  if (guest.kind() == Guest::Kind::cube) {
    const std::uint32_t difference = a.index() ^ b.index();
    return std::has_single_bit(difference)
               ? PairGroup{PairGroup::Kind::guest_dimension,
                           static_cast<std::uint32_t>(std::countr_zero(difference))}
               : PairGroup{};
  }
  for (std::uint32_t dimension = 0; dimension < guest.dimension_count(); ++dimension) {
    if (guest.partner(a, dimension) == b || guest.partner(b, dimension) == a) {
      return {PairGroup::Kind::guest_dimension, dimension};
    }
  }
  return {PairGroup::Kind::other, 0};
}

std::string group_name(const Guest& guest, const PairGroup& group) {
  switch (group.kind) {
    case PairGroup::Kind::guest_dimension: {
      const std::string shape = guest.name();
      return fmt::format("{} dimension {}", shape.substr(0, shape.find(':')), group.dimension);
    }
    case PairGroup::Kind::host:
      return "host";
    case PairGroup::Kind::other:
      return "other pairs";
  }
  throw ContractViolation("a group of pairs is of a kind listed");
}

LinkPlace link_place(const Topology& topology, LinkId link) {
  const Link ends = topology.link(link).value();
  const auto shape = topology.shape();
  LinkPlace place{.dimension = ends.dimension, .is_wrap_around = false, .is_host = false};
  if (&without_host(topology) != &topology && ends.dimension + 1 == topology.class_count()) {
    place.is_host = true;
    return place;
  }
  for (const LinkDirection& block : topology.link_directions()) {
    if (link.index() - block.first.index() < block.count && block.stride == 0) {
      return place;  // links of a graph form no cycles of their own
    }
  }
  const std::uint32_t side = shape[ends.dimension];
  const std::uint32_t stride =
      std::accumulate(shape.begin(), shape.begin() + ends.dimension, 1U, std::multiplies{});
  const std::uint32_t from = ends.from.index() / stride % side;
  const std::uint32_t to = ends.to.index() / stride % side;
  place.is_wrap_around = std::max(from, to) - std::min(from, to) > 1;
  return place;
}

}  // namespace dcube
