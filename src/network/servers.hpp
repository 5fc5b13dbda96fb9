#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A straight stretch of a route as a hop event can walk it: servers `first`, first + stride, ..
struct Stretch {
  std::uint32_t first = 0;
  std::uint32_t hops = 0;  ///< 1 .. 2^16
  std::uint8_t direction = 0;
  NodeId end;
};

/// Which server carries a link's messages. Full duplex: each directed link has its own. Half
/// duplex: the two directions share one, numbered by the lower of their link numbers.
class Servers {
 public:
  Servers(const Topology& topology, Duplex duplex);

  const Topology& topology() const { return topology_; }
  std::uint32_t count() const { return topology_.link_slots(); }
  /// What a message moving in `direction` adds to a server's number to reach the next.
  std::uint32_t stride(std::uint8_t direction) const { return strides_[direction]; }
  /// stride() of every direction.
  const std::uint32_t* strides() const { return strides_.data(); }
  std::uint32_t dimension(std::uint8_t direction) const { return directions_[direction].dimension; }
  /// The block of link_directions() that holds this number.
  std::uint8_t direction_of(std::uint32_t link) const;
  /// The link that a message moving in `direction` uses on `server`.
  LinkId link(std::uint32_t server, std::uint8_t direction) const {
    return duplex_ == Duplex::full ? LinkId{server} : link_of_shared(server, direction);
  }
  bool are_shared() const { return duplex_ == Duplex::half; }
  /// The first stretch of the route between two different nodes.
  Stretch next_stretch(NodeId at, NodeId to) const;

 private:
  LinkId link_of_shared(std::uint32_t server, std::uint8_t direction) const;
  LinkId server_of(LinkId link) const;
  std::uint32_t hops_in_line(const Run& run, std::uint8_t direction) const;

  const Topology& topology_;
  Duplex duplex_;
  std::span<const LinkDirection> directions_;
  std::vector<std::uint32_t> strides_;
};

}  // namespace dcube
