#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dcube/core/ids.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

class Fabric;

/// Greatest weight of a class of links.
inline constexpr std::uint32_t most_hop_weight = 65535;

/// The network with weights of its links in sums over hops (hop-bytes), by class, each from 1 to
/// most_hop_weight; the network itself where all are 1. Links, routes and distances stay. Needs an
/// entry for every class.
std::shared_ptr<const Topology> with_hop_weights(std::shared_ptr<const Topology> base,
                                                 std::vector<std::uint32_t> by_class);

/// The weights that with_hop_weights() was given, by class, also for a network that was then given
/// other routes or failures; empty where every link weighs 1. They live as long as `topology`.
std::span<const std::uint32_t> hop_weights_of(const Topology& topology);

/// The network that with_hop_weights() was given; any other itself. It lives as long as `topology`.
const Topology& without_hop_weights(const Topology& topology);

/// Lengths of routes: the sum of the weights of their links. Those of the usual routes between
/// terminals of grids, fat trees, dragonflies, HyperX and blocks are computed from the ends, as are
/// those of routers whose links are alike; other routes are walked. Const and thread-safe.
class HopLengths {
 public:
  /// The topology must outlive it.
  explicit HopLengths(const Topology& topology);

  /// Whether a link weighs more than 1.
  bool are_weighted() const { return !weights_.empty(); }
  /// Whether lengths there and back are known to be equal.
  bool are_symmetric() const { return form_ != Form::walked; }
  std::uint32_t least_weight() const;
  std::uint32_t greatest_weight() const;

  /// Without weights, the distance. Needs Topology::reaches(from, to).
  std::uint64_t operator()(NodeId from, NodeId to) const;

 private:
  enum class Form : std::uint8_t { hops, grid, fabric, walked };

  std::uint64_t on_grid(NodeId from, NodeId to) const;
  std::uint64_t walked(NodeId from, NodeId to) const;

  const Topology* topology_;
  std::span<const std::uint32_t> weights_;
  Form form_ = Form::hops;
  const Fabric* fabric_ = nullptr;  ///< whose usual routes, or equally long ones, are taken
};

}  // namespace dcube
