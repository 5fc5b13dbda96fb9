#pragma once

#include <cstdint>
#include <optional>

#include "dcube/questions/compare.hpp"

namespace dcube {

/// Settings of the draws of a run that show whether it rests on ties.
struct TieDraws {
  TieCheck check = TieCheck::never;
  std::uint64_t part = 0;   ///< see Jitter
  std::uint32_t draws = 0;  ///< most draws; with seeds 1 ..
  std::uint32_t runs = 1;   ///< of the comparison, which share these limits

  /// Makes the runs, in this process. Nothing when they are not to be made, the first run did not
  /// complete, its times vary already, or the program cannot be made again.
  std::optional<SpreadUnderJitter> look(const Scenario& scenario, const RunReport& report) const;
};

}  // namespace dcube
