#include "dcube/topology/with_host.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

class WithHost final : public Topology {
 public:
  WithHost(std::shared_ptr<const Topology> base, std::optional<NodeId> attached_to)
      : base_{std::move(base)},
        attached_to_{attached_to},
        host_{base_->node_count()},
        to_host_{base_->link_slots()},
        links_{attached_to ? 1 : base_->node_count()},
        shape_{base_->shape().begin(), base_->shape().end()},
        directions_{base_->link_directions().begin(), base_->link_directions().end()} {
    const std::uint32_t dimension = base_->class_count();
    shape_.push_back(1);
    directions_.push_back({LinkId{to_host_}, links_, 0, dimension});
    directions_.push_back({LinkId{to_host_ + links_}, links_, 0, dimension});
  }

  std::string_view kind() const override { return "with_host"; }
  std::string_view routing() const override { return base_->routing(); }
  Params details() const override { return base_->details(); }
  std::uint32_t class_count() const override { return base_->class_count() + 1; }
  std::span<const std::uint32_t> shape() const override { return shape_; }
  std::uint32_t node_count() const override { return host_.index() + 1; }
  std::uint64_t link_count() const override { return base_->link_count() + links_; }

  std::vector<NodeId> neighbours(NodeId node) const override {
    expects(contains(node), "node is on this machine");
    if (node == host_) {
      return numbered(links_, [this](std::uint32_t index) { return node_of(index); });
    }
    std::vector<NodeId> found = base_->neighbours(node);
    if (is_joined(node)) {
      found.push_back(host_);
    }
    return found;
  }

  std::uint32_t distance(NodeId from, NodeId to) const override {
    expects(contains(from) && contains(to), "both nodes are on this machine");
    if (from == to) {
      return 0;
    }
    if (from == host_) {
      return 1 + base_->distance(gate(to), to);
    }
    return to == host_ ? base_->distance(from, gate(from)) + 1 : base_->distance(from, to);
  }

  Run next_run(NodeId at, NodeId to) const override {
    expects(contains(at) && contains(to), "both nodes are on this machine");
    if (at == to) {
      return {LinkId{}, 0, 0, at};
    }
    if (at == host_) {
      return {LinkId{to_host_ + links_ + index_of(gate(to))}, 0, 1, gate(to)};
    }
    if (to == host_ && is_joined(at)) {
      return {LinkId{to_host_ + index_of(at)}, 0, 1, host_};
    }
    return base_->next_run(at, to == host_ ? gate(at) : to);
  }

  bool are_routes_by_flow() const override { return base_->are_routes_by_flow(); }
  Run next_run_of(std::uint64_t flow, NodeId at, NodeId to) const override {
    const bool is_inside = at != to && at != host_ && to != host_;
    return is_inside ? base_->next_run_of(flow, at, to) : next_run(at, to);
  }

  bool is_alive(NodeId node) const override {
    expects(contains(node), "node is on this machine");
    return node == host_ || base_->is_alive(node);
  }
  bool is_usable(NodeId node) const override { return node == host_ || base_->is_usable(node); }
  std::uint32_t usable_count() const override { return base_->usable_count() + 1; }
  bool reaches(NodeId from, NodeId to) const override {
    if (from == host_ || to == host_) {
      const NodeId other = from == host_ ? to : from;
      return other == host_ || base_->reaches(gate(other), other);
    }
    return base_->reaches(from, to);
  }

  std::uint32_t link_slots() const override { return to_host_ + 2 * links_; }

  std::optional<Link> link(LinkId link) const override {
    expects(link.index() < link_slots(), "link number is below link_slots()");
    if (link.index() < to_host_) {
      return base_->link(link);
    }
    const std::uint32_t number = link.index() - to_host_;
    const NodeId node = node_of(number % links_);
    const std::uint32_t dimension = base_->class_count();
    return number < links_ ? Link{node, host_, dimension} : Link{host_, node, dimension};
  }

  LinkId reverse(LinkId link) const override {
    expects(link.index() < link_slots(), "link number is below link_slots()");
    if (link.index() < to_host_) {
      return base_->reverse(link);
    }
    const bool leads_to_host = link.index() - to_host_ < links_;
    return LinkId{leads_to_host ? link.index() + links_ : link.index() - links_};
  }

  std::span<const LinkDirection> link_directions() const override { return directions_; }

  const Topology& base() const { return *base_; }

 private:
  bool is_joined(NodeId node) const { return !attached_to_ || *attached_to_ == node; }
  /// Node at which messages between `node` and the host enter or leave the network.
  NodeId gate(NodeId node) const { return attached_to_.value_or(node); }
  /// Index of a joined node among the host's links.
  std::uint32_t index_of(NodeId node) const { return attached_to_ ? 0 : node.index(); }
  NodeId node_of(std::uint32_t index) const { return attached_to_.value_or(NodeId{index}); }

  std::shared_ptr<const Topology> base_;
  std::optional<NodeId> attached_to_;
  NodeId host_;
  std::uint32_t to_host_;  ///< number of the first link to the host
  std::uint32_t links_;    ///< number of the host's links
  std::vector<std::uint32_t> shape_;
  std::vector<LinkDirection> directions_;
};

}  // namespace

std::unique_ptr<Topology> with_host(std::shared_ptr<const Topology> base,
                                    std::optional<NodeId> attached_to) {
  constexpr std::uint64_t most_slots = std::numeric_limits<std::uint32_t>::max() - 1;
  expects(!attached_to || base->contains(*attached_to), "the host is joined to a node");
  const std::uint64_t links = attached_to ? 1 : base->node_count();
  refuse_if(base->node_count() >= most_slots || base->link_slots() + 2 * links > most_slots, "",
            "the machine is too large for a host computer (its links and the host's exceed 32-bit "
            "link numbers); attach the host to one node");
  return std::make_unique<WithHost>(std::move(base), attached_to);
}

const Topology& without_host(const Topology& topology) {
  const auto* const extended = dynamic_cast<const WithHost*>(&topology);
  return extended != nullptr ? extended->base() : topology;
}

}  // namespace dcube
