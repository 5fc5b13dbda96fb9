#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// Network of another topology. Derived classes have other routes.
class Rerouted : public Topology {
 public:
  explicit Rerouted(std::shared_ptr<const Topology> base) : base_{std::move(base)} {}

  std::string_view kind() const override { return base_->kind(); }
  std::string_view routing() const override { return base_->routing(); }
  Params details() const override { return base_->details(); }
  const Structure& structure() const override { return base_->structure(); }
  std::span<const std::uint32_t> shape() const override { return base_->shape(); }
  std::uint32_t node_count() const override { return base_->node_count(); }
  std::uint64_t link_count() const override { return base_->link_count(); }
  std::vector<NodeId> neighbours(NodeId node) const override { return base_->neighbours(node); }
  std::uint32_t distance(NodeId from, NodeId to) const override {
    return base_->distance(from, to);
  }
  Run next_run(NodeId at, NodeId to) const override { return base_->next_run(at, to); }
  std::uint32_t group_count() const override { return base_->group_count(); }
  std::uint32_t group_of(NodeId node) const override { return base_->group_of(node); }
  NodeId entry_of(std::uint32_t group, NodeId from) const override {
    return base_->entry_of(group, from);
  }
  bool is_alive(NodeId node) const override { return base_->is_alive(node); }
  bool is_usable(NodeId node) const override { return base_->is_usable(node); }
  std::uint32_t usable_count() const override { return base_->usable_count(); }
  bool reaches(NodeId from, NodeId to) const override { return base_->reaches(from, to); }
  std::uint32_t link_slots() const override { return base_->link_slots(); }
  std::optional<Link> link(LinkId link) const override { return base_->link(link); }
  LinkId reverse(LinkId link) const override { return base_->reverse(link); }
  std::span<const LinkDirection> link_directions() const override {
    return base_->link_directions();
  }

  /// The network of which this one is made.
  const Topology& base() const { return *base_; }

 protected:
  void check_ends(NodeId from, NodeId to) const {
    expects(contains(from) && contains(to), "both nodes are on this machine");
  }

 private:
  std::shared_ptr<const Topology> base_;
};

/// Position in link_directions() of the block that holds a link.
class BlockOfLink {
 public:
  explicit BlockOfLink(const Topology& topology) : directions_{topology.link_directions()} {}

  std::uint32_t operator()(LinkId link) const {
    std::uint32_t block = 0;
    while (link.index() - directions_[block].first.index() >= directions_[block].count) {
      ++block;
    }
    return block;
  }

  /// Run over one link.
  Run run(LinkId link, NodeId end) const {
    const std::uint32_t block = (*this)(link);
    return {link, directions_[block].stride, 1, end, block};
  }

 private:
  std::span<const LinkDirection> directions_;
};

}  // namespace dcube
