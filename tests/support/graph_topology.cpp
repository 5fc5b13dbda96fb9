#include "graph_topology.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube::testing {

namespace {

class Graph final : public Topology {
 public:
  Graph(std::uint32_t nodes, std::vector<LinkBlock> blocks) : neighbours_(nodes) {
    std::uint32_t dimensions = 0;
    for (const LinkBlock& block : blocks) {
      directions_.push_back({LinkId{static_cast<std::uint32_t>(links_.size())},
                             static_cast<std::uint32_t>(block.links.size()), 0, block.dimension});
      dimensions = std::max(dimensions, block.dimension + 1);
      for (Link link : block.links) {
        link.dimension = block.dimension;
        numbers_[{link.from, link.to}] = LinkId{static_cast<std::uint32_t>(links_.size())};
        neighbours_[link.from.index()].push_back(link.to);
        links_.push_back(link);
      }
    }
    for (const Link& link : links_) {
      reverses_.push_back(numbers_.at({link.to, link.from}));
    }
    for (std::vector<NodeId>& near : neighbours_) {
      std::ranges::sort(near);
    }
    shape_.assign(dimensions, 1);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      distances_.push_back(distances_from(NodeId{node}));
    }
  }

  std::string_view kind() const override { return "irregular"; }
  std::span<const std::uint32_t> shape() const override { return shape_; }
  std::uint32_t node_count() const override {
    return static_cast<std::uint32_t>(neighbours_.size());
  }
  std::uint64_t link_count() const override { return links_.size() / 2; }
  std::vector<NodeId> neighbours(NodeId node) const override { return neighbours_[node.index()]; }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    return distances_[from.index()][to.index()];
  }

  /// To the lowest neighbour that is nearer.
  Run next_run(NodeId at, NodeId to) const override {
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    for (const NodeId next : neighbours_[at.index()]) {
      if (distance(next, to) < distance(at, to)) {
        return {numbers_.at({at, next}), 0, 1, next};
      }
    }
    throw ContractViolation("the graph is connected");
  }

  std::uint32_t link_slots() const override { return static_cast<std::uint32_t>(links_.size()); }
  std::optional<Link> link(LinkId link) const override { return links_[link.index()]; }
  LinkId reverse(LinkId link) const override { return reverses_[link.index()]; }
  std::span<const LinkDirection> link_directions() const override { return directions_; }

 private:
  std::vector<std::uint32_t> distances_from(NodeId start) const {
    constexpr std::uint32_t unknown = ~std::uint32_t{0};
    std::vector<std::uint32_t> distances(neighbours_.size(), unknown);
    distances[start.index()] = 0;
    std::vector<NodeId> reached{start};
    reached.reserve(neighbours_.size());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::uint32_t further = distances[reached[i].index()] + 1;
      for (const NodeId next : neighbours_[reached[i].index()]) {
        if (distances[next.index()] == unknown) {
          distances[next.index()] = further;
          reached.push_back(next);
        }
      }
    }
    return distances;
  }

  std::vector<std::uint32_t> shape_;
  std::vector<Link> links_;
  std::vector<LinkId> reverses_;
  std::vector<LinkDirection> directions_;
  std::map<std::pair<NodeId, NodeId>, LinkId> numbers_;
  std::vector<std::vector<NodeId>> neighbours_;
  std::vector<std::vector<std::uint32_t>> distances_;
};

}  // namespace

std::shared_ptr<const Topology> make_graph(std::uint32_t nodes, std::vector<LinkBlock> blocks) {
  return std::make_shared<Graph>(nodes, std::move(blocks));
}

std::shared_ptr<const Topology> make_complete_graph(std::uint32_t nodes) {
  std::vector<LinkBlock> blocks(nodes - 1);
  for (std::uint32_t block = 0; block + 1 < nodes; ++block) {
    for (std::uint32_t node = 0; node < nodes; ++node) {
      blocks[block].links.push_back({NodeId{node}, NodeId{(node + block + 1) % nodes}});
    }
  }
  return make_graph(nodes, std::move(blocks));
}

}  // namespace dcube::testing
