#include "slot_distances.hpp"

#include <algorithm>

#include "core/mapped.hpp"
#include "dcube/topology/hop_weights.hpp"

namespace dcube {

std::vector<NodeId> usable_nodes(const Topology& topology) {
  return kept(numbered(topology.node_count(), [](std::uint32_t node) { return NodeId{node}; }),
              [&](NodeId node) { return topology.is_usable(node); });
}

template <class Distance>
std::optional<SlotDistances> SlotDistances::filled(const SearchProblem& problem,
                                                   Distance distance) {
  const Topology& topology = problem.topology;
  if (topology.usable_count() > most_nodes) {
    return std::nullopt;
  }
  const std::vector<NodeId> nodes = usable_nodes(topology);
  SlotDistances distances{nodes.size(), problem.slots};
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    for (std::size_t to = 0; to < from; ++to) {
      const NodeId a = nodes[from];
      const NodeId b = nodes[to];
      if (!topology.reaches(a, b) || !topology.reaches(b, a)) {
        return std::nullopt;
      }
      distances.table_[from * nodes.size() + to] = distances.table_[to * nodes.size() + from] =
          static_cast<std::uint32_t>(std::min(distance(a, b), distance(b, a)));
    }
  }
  return distances;
}

std::optional<SlotDistances> SlotDistances::of(const SearchProblem& problem) {
  return filled(problem,
                [&](NodeId from, NodeId to) { return problem.topology.distance(from, to); });
}

std::optional<SlotDistances> SlotDistances::weighted(const SearchProblem& problem) {
  std::optional<SlotDistances> lengths = filled(problem, HopLengths{problem.topology});
  if (lengths) {
    lengths->are_weighted_ = true;
  }
  return lengths;
}

SlotDistances SlotDistances::shortened() const {
  SlotDistances distances = *this;
  for (std::size_t by = 0; by < node_count_; ++by) {
    const std::uint32_t* const onward = &distances.table_[by * node_count_];
    for (std::size_t from = 0; from < node_count_; ++from) {
      std::uint32_t* const row = &distances.table_[from * node_count_];
      const std::uint32_t there = row[by];
      for (std::size_t to = 0; to < node_count_; ++to) {
        row[to] = std::min(row[to], there + onward[to]);
      }
    }
  }
  return distances;
}

std::vector<std::uint32_t> SlotDistances::nearest(std::size_t node) const {
  std::vector<std::uint32_t> all;
  all.reserve(slot_count());
  for (std::size_t other = 0; other < node_count_; ++other) {
    all.insert(all.end(), other == node ? slots_ - 1 : slots_, (*this)(node, other));
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace dcube
