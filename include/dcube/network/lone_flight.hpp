#pragma once

#include <algorithm>
#include <cstdint>

#include "dcube/network/machine.hpp"

namespace dcube {

/// The last packet of a message on its way, where nobody else is, and what matters of the packets
/// before it. All leave together at 0.
///
/// Equal packets that leave together are at a link one after the other, as far apart as the link
/// with the longest occupancy so far makes them. So the one before the last comes to a link so many
/// occupancies after the first.
struct LoneFlight {
  Ticks first_head{0};  ///< when the first packet is at the node
  Ticks longest{0};     ///< occupancy so far by one of the packets before
  Ticks head{0};
  Ticks tail{0};

  /// Over so many equal links; where packets go before, over one. Throws InputError past 63 bits.
  void cross(const HopTime& before, const HopTime& own, std::uint64_t packets_before,
             std::uint32_t hops);
  /// When all of it is there.
  Ticks end() const { return std::max(head, tail); }
};

/// How a message of so many bytes is cut.
struct PacketCount {
  std::uint64_t before_last = 0;
  std::uint64_t bytes_before = 0;  ///< of each of these
  std::uint64_t bytes_last = 0;
};
PacketCount packet_count(const LinkModel& links, std::uint64_t bytes);

}  // namespace dcube
