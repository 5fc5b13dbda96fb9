#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/topology/topology.hpp"

// Nodes with a coordinate on each of several axes, and links along the axes.
//
// Node numbers are mixed-radix: node = i1 + k1*(i2 + k2*(i3 + ..)), so the coordinate of a
// dimension advances in steps of that dimension's stride, the product of the sides before it.
//
// A link is numbered by its direction and the node it leaves:
//
//     | dimension 0 up | dimension 0 down | dimension 1 up | ..
//       node 0, 1, ..    node 0, 1, ..
//
// so along a dimension, link numbers advance in the same strides as node numbers.

namespace dcube {

enum class Heading { up, down };

/// `Axis` has `side`, `stride`, `up` (the number of the upward link of node 0) and `wraps` (whether
/// a link leads on from its last coordinate). `Derived` gives the ends of links:
///   std::optional<NodeId> step(const Axis&, std::uint32_t node, Heading) const;   nothing: no link
template <class Derived, class Axis>
class OfAxes : public Topology {
 public:
  std::span<const std::uint32_t> shape() const final { return shape_; }
  std::uint32_t node_count() const final { return node_count_; }

  std::uint64_t link_count() const final {
    std::uint64_t count = 0;
    for (const Axis& axis : axes_) {
      count += std::uint64_t{node_count_ / axis.side} * (axis.wraps ? axis.side : axis.side - 1);
    }
    return count;
  }

  std::vector<NodeId> neighbours(NodeId node) const final {
    expects(contains(node), "node is on this machine");
    std::vector<NodeId> found;
    for (const Axis& axis : axes_) {
      for (const Heading heading : {Heading::up, Heading::down}) {
        if (const std::optional<NodeId> next = from(axis, node.index(), heading)) {
          found.push_back(*next);
        }
      }
    }
    std::ranges::sort(found);
    return found;
  }

  std::uint32_t link_slots() const final {
    return static_cast<std::uint32_t>(directions_.size()) * node_count_;
  }

  std::optional<Link> link(LinkId link) const final {
    const Slot slot = decode(link);
    const std::optional<NodeId> to = from(axes_[slot.dimension], slot.node, slot.heading);
    return to ? std::optional{Link{NodeId{slot.node}, *to, slot.dimension}} : std::nullopt;
  }

  LinkId reverse(LinkId link) const final {
    const Slot slot = decode(link);
    const Axis& axis = axes_[slot.dimension];
    const std::optional<NodeId> to = from(axis, slot.node, slot.heading);
    expects(to.has_value(), "the link is in use");
    return LinkId{axis.up + (slot.heading == Heading::up ? node_count_ : 0) + to->index()};
  }

  std::span<const LinkDirection> link_directions() const final { return directions_; }

 protected:
  /// The product of the sides and its link numbers must fit 32 bits.
  explicit OfAxes(std::vector<std::uint32_t> shape) : shape_{std::move(shape)} {}

  /// Adds the axis of the next dimension, which has `side` and `wraps`.
  void add_axis(Axis axis) {
    axis.stride = node_count_;
    node_count_ *= axis.side;
    axes_.push_back(std::move(axis));
  }

  /// Call it after the last add_axis().
  void number_links() {
    for (std::uint32_t dimension = 0; dimension < axes_.size(); ++dimension) {
      Axis& axis = axes_[dimension];
      axis.up = 2 * dimension * node_count_;
      const auto stride = static_cast<std::int32_t>(axis.stride);
      directions_.push_back({LinkId{axis.up}, node_count_, stride, dimension});
      directions_.push_back({LinkId{axis.up + node_count_}, node_count_, -stride, dimension});
    }
    is_power_of_two_ = std::has_single_bit(node_count_);
  }

  std::vector<std::uint32_t> shape_;
  std::uint32_t node_count_ = 1;
  std::vector<Axis> axes_;
  bool is_power_of_two_ = false;  ///< every side is

 private:
  /// Parts of a link number.
  struct Slot {
    std::uint32_t dimension;
    Heading heading;
    std::uint32_t node;
  };

  Slot decode(LinkId link) const {
    expects(link.index() < link_slots(), "link number is below link_slots()");
    const std::uint32_t direction = is_power_of_two_ ? link.index() >> std::countr_zero(node_count_)
                                                     : link.index() / node_count_;
    return {direction / 2, direction % 2 == 0 ? Heading::up : Heading::down,
            link.index() - direction * node_count_};
  }

  std::optional<NodeId> from(const Axis& axis, std::uint32_t node, Heading heading) const {
    return static_cast<const Derived&>(*this).step(axis, node, heading);
  }

  std::vector<LinkDirection> directions_;
};

}  // namespace dcube
