#include "twins.hpp"

#include <algorithm>

#include "core/mapped.hpp"

namespace dcube {

std::optional<Twins> twins_of(std::span<const std::uint32_t> nodes,
                              std::span<const std::vector<std::uint32_t>> near,
                              const Distances& distances) {
  constexpr std::uint64_t most_distances = 100'000'000;
  std::vector<std::uint32_t> order{nodes.begin(), nodes.end()};
  const auto neighbours = [&](std::uint32_t node) -> const std::vector<std::uint32_t>& {
    return near[node];
  };
  std::ranges::stable_sort(order, {}, neighbours);
  Twins twins{numbered(near.size())};
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (near[order[i]] == near[order[i - 1]]) {
      twins.first[order[i]] = twins.first[order[i - 1]];
    }
  }
  const std::vector<std::uint32_t> firsts =
      kept(nodes, [&](std::uint32_t node) { return twins.first[node] == node; });
  if (firsts.size() < 2 || firsts.size() == nodes.size() ||
      firsts.size() > Distances::most_tabled_nodes ||
      nodes.size() * firsts.size() > most_distances) {
    return std::nullopt;
  }
  const auto distance = [&](std::uint32_t one, std::uint32_t other) {
    return distances(NodeId{one}, NodeId{other});
  };
  const auto second =
      std::ranges::find_if(nodes, [&](std::uint32_t node) { return twins.first[node] != node; });
  twins.apart = distance(*second, twins.first[*second]);
  for (const std::uint32_t node : nodes) {
    const std::uint32_t first = twins.first[node];
    for (const std::uint32_t other : firsts) {
      const std::uint32_t hops = distance(node, other);
      const bool is_alike = other == first ? node == first || hops == twins.apart
                                           : hops > twins.apart && hops == distance(first, other);
      if (!is_alike) {
        return std::nullopt;
      }
    }
  }
  return twins;
}

}  // namespace dcube
