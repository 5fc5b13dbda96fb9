#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dcube/network/machine.hpp"
#include "dcube/topology/topology.hpp"

namespace dcube {

/// A straight stretch of a route, as a hop event walks it: servers `first`, first + stride, ..
struct Stretch {
  std::uint32_t first = 0;
  std::uint32_t hops = 0;      ///< 1 .. 2^16
  std::uint8_t direction = 0;  ///< see Servers
  std::uint32_t block =
      0;  ///< position in link_directions() of the block with the servers' numbers
  NodeId end;
};

/// The servers of links. Full duplex: each directed link has its own. Half duplex: both directions
/// share one, numbered by the lower of their link numbers.
///
/// A hop event has seven bits for its direction, which stands for properties of the stretch: the
/// stride between servers, the dimension, and whether links have the numbers of their servers.
/// Blocks of alike links share a direction, numbered when the first message takes it.
class Servers {
 public:
  static constexpr std::size_t most_directions = 128;
  static constexpr std::uint8_t unknown = 0xff;

  /// InputError when the numbers of injection servers do not fit.
  Servers(const Topology& topology, const LinkModel& links);

  const Topology& topology() const { return topology_; }
  std::uint32_t count() const { return count_; }
  /// Whether there are servers between links and their nodes in this direction.
  bool have_injection(Passage passage) const {
    return passage == Passage::out ? limits_out_ : limits_in_;
  }
  /// The only hop through an injection server; its `direction` is that of no link.
  Stretch injection(NodeId node, Passage passage, std::uint32_t tag) const {
    const std::uint32_t interface = interfaces_ == 1 ? 0 : tag % interfaces_;
    return {injection_server(topology_, node, passage, interface).index(), 1,
            static_cast<std::uint8_t>(passage), 0, node};
  }
  /// Whether `direction` is that of messages entering their node.
  bool is_entering(std::uint8_t direction) const {
    return limits_in_ && direction == static_cast<std::uint8_t>(Passage::in);
  }
  /// Difference between the numbers of consecutive servers in `direction`.
  std::uint32_t stride(std::uint8_t direction) const { return strides_[direction]; }
  /// [direction]: stride().
  const std::uint32_t* strides() const { return strides_.data(); }
  std::uint32_t dimension(std::uint8_t direction) const { return directions_[direction].dimension; }
  /// The link that a message moving in `direction` uses on `server`.
  LinkId link(std::uint32_t server, std::uint8_t direction) const {
    return directions_[direction].has_servers_numbers ? LinkId{server}
                                                      : topology_.reverse(LinkId{server});
  }
  bool are_shared() const { return duplex_ == Duplex::half; }
  /// The server with the lowest number on a stretch.
  LinkId lowest(const Stretch& stretch) const {
    return duplex_ == Duplex::full ? LinkId{stretch.first} : lowest_shared(stretch);
  }
  Stretch hop(LinkId link, NodeId to) { return stretch_of({link, 0, 1, to}); }
  /// The first stretch of a run.
  Stretch stretch_of(const Run& run);
  /// Direction of a run whose links have servers of their own; `unknown` if it is not known yet, or
  /// the run is too long for a hop event.
  std::uint8_t known_direction(const Run& run) const {
    return run.block != Run::unknown && run.hops <= most_hops ? known_[run.block][1] : unknown;
  }
  /// First stretch of the route between two nodes. ContractViolation above `most_directions`.
  [[gnu::always_inline]] Stretch next_stretch(NodeId at, NodeId to) {
    const Run run = topology_.next_run(at, to);
    if (duplex_ == Duplex::full) [[likely]] {
      if (const std::uint8_t direction = known_direction(run); direction != unknown) [[likely]] {
        return {run.first.index(), run.hops, direction, run.block, run.end};
      }
    }
    return stretch_of(run);
  }

 private:
  struct Direction {
    std::uint32_t stride = 0;
    std::uint32_t dimension = 0;
    bool has_servers_numbers = true;

    friend bool operator==(const Direction&, const Direction&) = default;
  };
  static constexpr std::uint32_t most_hops = std::uint32_t{1} << 16;  ///< limit of an event

  LinkId lowest_shared(const Stretch& stretch) const;

  std::uint32_t block_of(LinkId link) const;
  LinkId server_of(LinkId link) const;
  std::uint8_t direction_of(std::uint32_t block, bool has_servers_numbers);
  std::uint8_t new_direction(const Direction& direction);
  std::uint32_t hops_in_line(const Run& run, std::uint32_t stride) const;

  const Topology& topology_;
  Duplex duplex_;
  bool limits_out_;
  bool limits_in_;
  std::uint32_t interfaces_;
  std::uint32_t count_;
  std::span<const LinkDirection> blocks_;
  /// [block]: direction of links without, and with, the numbers of their servers.
  std::vector<std::array<std::uint8_t, 2>> known_;
  std::vector<Direction> directions_;
  std::vector<std::uint32_t> strides_;  ///< [direction]; has its full size, so that it never moves
};

}  // namespace dcube
