#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "record.hpp"

namespace dcube::detail {

/// Lanes in which hops are drawn. A link with contention carries one message at a time and has one
/// lane. Without contention hops overlap, and each takes the first free lane of its link.
class LinkLanes {
 public:
  struct Lane {
    std::uint32_t number = 0;  ///< among all lanes, in order of their first hop
    std::uint32_t index = 0;   ///< among those of the link
    bool is_new = false;
  };

  /// The hops come in order of their begin.
  Lane lane_of(const TraceRecord& hop) {
    const auto [first, second] = hop.link_ends();
    std::vector<OneLane>& lanes =
        lanes_[std::uint64_t{first.index()} << 32 | std::uint64_t{second.index()}];
    for (std::uint32_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i].free_at <= hop.begin) {
        lanes[i].free_at = hop.end;
        return {lanes[i].number, i, false};
      }
    }
    lanes.push_back({hop.end, count_});
    return {count_++, static_cast<std::uint32_t>(lanes.size() - 1), true};
  }

 private:
  struct OneLane {
    Ticks free_at;
    std::uint32_t number;
  };
  std::unordered_map<std::uint64_t, std::vector<OneLane>> lanes_;
  std::uint32_t count_ = 0;
};

}  // namespace dcube::detail
