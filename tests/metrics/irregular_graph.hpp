#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "dcube/topology/topology.hpp"

namespace dcube {

/// A random connected graph: a tree and some more links. Link p * nodes + n is port p of node n;
/// nothing lies straight, so every run is one hop of stride 0. Routes by breadth-first search.
class IrregularGraph final : public Topology {
 public:
  IrregularGraph(std::uint32_t nodes, std::uint32_t extra_links, std::mt19937_64& random)
      : shape_{nodes}, neighbours_(nodes) {
    for (std::uint32_t node = 1; node < nodes; ++node) {
      join(NodeId{node}, NodeId{static_cast<std::uint32_t>(random() % node)});
    }
    for (std::uint32_t i = 0; i < extra_links; ++i) {
      const NodeId a{static_cast<std::uint32_t>(random() % nodes)};
      join(a, NodeId{static_cast<std::uint32_t>(random() % nodes)});
    }
    std::size_t ports = 0;
    for (std::vector<NodeId>& ends : neighbours_) {
      std::sort(ends.begin(), ends.end());
      ports = std::max(ports, ends.size());
    }
    for (std::uint32_t port = 0; port < ports; ++port) {
      directions_.push_back({LinkId{port * nodes}, nodes, 0, 0});
    }
  }

  std::string_view kind() const override { return "irregular"; }
  std::span<const std::uint32_t> shape() const override { return shape_; }
  std::uint32_t node_count() const override { return shape_.front(); }
  std::uint64_t link_count() const override { return links_; }
  std::vector<NodeId> neighbours(NodeId node) const override { return neighbours_[node.index()]; }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    return distances_to(to)[from.index()];
  }

  Run next_run(NodeId at, NodeId to) const override {
    const std::vector<std::uint32_t> distances = distances_to(to);
    for (const NodeId next : neighbours_[at.index()]) {
      if (distances[next.index()] < distances[at.index()]) {
        return {link_between(at, next), 0, 1, next};
      }
    }
    return {LinkId{}, 0, 0, at};
  }

  std::uint32_t link_slots() const override {
    return static_cast<std::uint32_t>(directions_.size()) * node_count();
  }

  std::optional<Link> link(LinkId link) const override {
    const NodeId from{link.index() % node_count()};
    const std::uint32_t port = link.index() / node_count();
    if (port >= neighbours_[from.index()].size()) {
      return std::nullopt;
    }
    return Link{from, neighbours_[from.index()][port], 0};
  }

  LinkId reverse(LinkId id) const override {
    const Link there = *link(id);
    return link_between(there.to, there.from);
  }

  std::span<const LinkDirection> link_directions() const override { return directions_; }

 private:
  void join(NodeId a, NodeId b) {
    std::vector<NodeId>& ends = neighbours_[a.index()];
    if (a == b || std::find(ends.begin(), ends.end(), b) != ends.end()) {
      return;
    }
    ends.push_back(b);
    neighbours_[b.index()].push_back(a);
    ++links_;
  }

  LinkId link_between(NodeId from, NodeId to) const {
    const std::vector<NodeId>& ends = neighbours_[from.index()];
    const auto port = std::find(ends.begin(), ends.end(), to) - ends.begin();
    return LinkId{static_cast<std::uint32_t>(port) * node_count() + from.index()};
  }

  std::vector<std::uint32_t> distances_to(NodeId target) const {
    std::vector<std::uint32_t> distances(node_count(), node_count());
    distances[target.index()] = 0;
    for (std::deque<NodeId> wave{target}; !wave.empty(); wave.pop_front()) {
      const std::uint32_t next = distances[wave.front().index()] + 1;
      for (const NodeId node : neighbours_[wave.front().index()]) {
        if (next < distances[node.index()]) {
          distances[node.index()] = next;
          wave.push_back(node);
        }
      }
    }
    return distances;
  }

  std::vector<std::uint32_t> shape_;
  std::vector<std::vector<NodeId>> neighbours_;
  std::vector<LinkDirection> directions_;
  std::uint64_t links_ = 0;
};

}  // namespace dcube
