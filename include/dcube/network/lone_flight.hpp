#pragma once

#include <algorithm>
#include <cstdint>

#include "dcube/network/machine.hpp"

namespace dcube {

/// A message on an otherwise idle way: its last packet, and what matters of those before it.
///
/// All leave at 0 and follow each other at the distance of the longest occupancy so far. So the
/// packet before the last comes to a link (packets - 1) such occupancies after the first.
struct LoneFlight {
  Ticks first_head{0};  ///< time of the first packet at the node
  Ticks longest{0};     ///< longest occupancy so far of a packet before the last
  Ticks head{0};
  Ticks tail{0};

  /// Crosses `hops` equal links; with packets before, only one. Throws InputError past 63 bits.
  void cross(const HopTime& before, const HopTime& own, std::uint64_t packets_before,
             std::uint32_t hops);
  /// Arrival of the whole message.
  Ticks end() const { return std::max(head, tail); }
};

/// Packets of a message.
struct PacketCount {
  std::uint64_t before_last = 0;
  std::uint64_t bytes_before = 0;  ///< of each of these
  std::uint64_t bytes_last = 0;
};
PacketCount packet_count(const LinkModel& links, std::uint64_t bytes);

}  // namespace dcube
