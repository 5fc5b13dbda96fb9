#pragma once

#include <cstdint>
#include <vector>

#include "calendar.hpp"
#include "dcube/core/int128.hpp"
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
  /// For how long messages have occupied the server while their tails were still to come and all
  /// that had come was through.
  Int128 held_by_tails(std::uint32_t server) const {
    return held_by_tails_.empty() ? Int128{0} : held_by_tails_[server];
  }

 private:
  void fly(std::uint32_t packet);
  void cross(HopEvent event);
  Instant cross(const HopEvent& event, std::uint32_t row, std::uint32_t hops);
  void note_tail(const HopEvent& event, std::uint32_t hops, Instant held);

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

  std::vector<Int128> held_by_tails_;  ///< [server], sums can exceed 63 bits; empty: none was
};

}  // namespace dcube
