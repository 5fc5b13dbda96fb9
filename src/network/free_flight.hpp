#pragma once

#include <cstdint>
#include <vector>

#include "calendar.hpp"
#include "hop_costs.hpp"
#include "hop_teller.hpp"
#include "ways.hpp"

namespace dcube {

/// Messages on links that never queue; only packets of one message follow each other.
class FreeFlight {
 public:
  FreeFlight(const Servers& servers, const HopCosts& costs, Ways& ways, Messages& messages,
             HopTeller& teller)
      : servers_{servers}, costs_{costs}, ways_{ways}, messages_{messages}, teller_{teller} {}

  /// Arrival of a message in `packets` packets, numbered from `first`.
  Instant arrival(std::uint32_t first, std::uint32_t packets);

 private:
  void fly(std::uint32_t packet);
  void cross(HopEvent event);
  Instant cross(const HopEvent& event, std::uint32_t row, std::uint32_t hops);

  const Servers& servers_;
  const HopCosts& costs_;
  Ways& ways_;
  Messages& messages_;
  HopTeller& teller_;

  /// State of the packet under way.
  Instant head_ = 0;
  Instant tail_ = 0;
  bool is_followed_ = false;      ///< it follows packets of its message, or is followed
  std::size_t hop_ = 0;           ///< index of the next hop
  std::vector<Instant> free_at_;  ///< [hop]: when the packet before leaves the link
};

}  // namespace dcube
