#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A link out of a node.
struct Exit {
  NodeId to;
  LinkId link;
};

/// Every node's links in one array, ordered by their ends, parallel ones by their numbers. 8 bytes
/// a directed link and 8 a node.
class Adjacency {
 public:
  Adjacency() = default;

  /// Takes those links of a machine for which `is_kept(link, ends)`. O(link slots * log degree).
  template <class IsKept>
  Adjacency(const Topology& topology, IsKept is_kept)
      : first_(topology.node_count() + std::size_t{1}) {
    for_each_kept(topology, is_kept,
                  [&](LinkId, const Link& ends) { ++first_[ends.from.index() + std::size_t{1}]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    exits_.resize(first_.back());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for_each_kept(topology, is_kept, [&](LinkId link, const Link& ends) {
      exits_[next[ends.from.index()]++] = {ends.to, link};
    });
    sort_exits();
  }

  /// Takes directed links, which get numbers in the order of the array.
  Adjacency(std::uint32_t nodes, std::span<const std::pair<NodeId, NodeId>> links)
      : first_(nodes + std::size_t{1}) {
    for (const auto& [from, to] : links) {
      ++first_[from.index() + std::size_t{1}];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    exits_.resize(links.size());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [from, to] : links) {
      exits_[next[from.index()]++].to = to;
    }
    sort_exits();
    for (std::uint32_t link = 0; link < exits_.size(); ++link) {
      exits_[link].link = LinkId{link};
    }
  }

  std::uint32_t node_count() const {
    return first_.empty() ? 0 : static_cast<std::uint32_t>(first_.size() - 1);
  }
  std::size_t link_count() const { return exits_.size(); }

  const Exit& exit(LinkId number) const { return exits_[number.index()]; }
  /// Links out of `node`, ascending by their ends.
  std::span<const Exit> of(NodeId node) const {
    return {exits_.data() + first_[node.index()], exits_.data() + first_[node.index() + 1]};
  }

  /// The first of parallel links.
  std::optional<LinkId> link_between(NodeId from, NodeId to) const {
    const std::span<const Exit> exits = of(from);
    const auto found = std::ranges::lower_bound(exits, to, {}, &Exit::to);
    return found != exits.end() && found->to == to ? std::optional{found->link} : std::nullopt;
  }

 private:
  template <class IsKept, class Visit>
  static void for_each_kept(const Topology& topology, IsKept& is_kept, Visit visit) {
    for (std::uint32_t slot = 0; slot < topology.link_slots(); ++slot) {
      if (const std::optional<Link> ends = topology.link(LinkId{slot});
          ends && is_kept(LinkId{slot}, *ends)) {
        visit(LinkId{slot}, *ends);
      }
    }
  }

  void sort_exits() {
    for (std::size_t node = 0; node + 1 < first_.size(); ++node) {
      std::sort(exits_.begin() + static_cast<std::ptrdiff_t>(first_[node]),
                exits_.begin() + static_cast<std::ptrdiff_t>(first_[node + 1]),
                [](const Exit& a, const Exit& b) {
                  return a.to != b.to ? a.to < b.to : a.link < b.link;
                });
    }
  }

  std::vector<std::uint64_t> first_;  ///< [node]: its first exit; then the number of exits
  std::vector<Exit> exits_;
};

/// Approximate memory of an Adjacency and ShortestPaths over it, without tables.
inline std::uint64_t bytes_of_paths(const Topology& topology) {
  return std::uint64_t{topology.link_slots()} * sizeof(Exit) +
         std::uint64_t{topology.node_count()} * 24;
}

inline Adjacency adjacency_of(const Topology& topology) {
  return {topology, [](LinkId, const Link&) { return true; }};
}

/// Distance of a node that cannot be reached.
inline constexpr std::uint32_t unreached = ~std::uint32_t{0};

/// Distances of all nodes to `to`; `unreached` without a path. Needs links that run both ways.
/// Paths pass nodes from `first_forwarder` on.
inline std::vector<std::uint32_t> distances_to(const Adjacency& links, NodeId to,
                                               std::uint32_t first_forwarder = 0) {
  std::vector<std::uint32_t> distances(links.node_count(), unreached);
  distances[to.index()] = 0;
  std::vector<NodeId> reached{to};
  reached.reserve(links.node_count());
  for (std::size_t next = 0; next < reached.size(); ++next) {
    if (next > 0 && reached[next].index() < first_forwarder) {
      continue;
    }
    const std::uint32_t farther = distances[reached[next].index()] + 1;
    for (const Exit& exit : links.of(reached[next])) {
      if (distances[exit.to.index()] == unreached) {
        distances[exit.to.index()] = farther;
        reached.push_back(exit.to);
      }
    }
  }
  return distances;
}

}  // namespace dcube
