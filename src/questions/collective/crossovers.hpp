#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dcube/core/time.hpp"
#include "dcube/questions/collective.hpp"

namespace dcube {

/// A time that is wanted: of one of several ways to do a thing of so many bytes.
struct TimeRequest {
  std::size_t way = 0;
  std::uint64_t bytes = 0;
  /// Packets of this size that links serve in turn; 0: as the machine has it.
  std::uint64_t fair_packet = 0;

  friend auto operator<=>(const TimeRequest&, const TimeRequest&) = default;
};

/// Finds all times at once. Nothing for a way that cannot do it; an empty list ends the search.
using TimesOf =
    std::function<std::vector<std::optional<Ticks>>(std::span<const TimeRequest> requests)>;

/// The way that takes least time at a size.
struct FastestWay {
  std::uint64_t bytes = 0;
  std::size_t way = 0;
};

/// The crossovers between neighbouring sizes with different fastest ways (ascending sizes), by
/// bisection to one percent of the size, or to `grain` bytes, of which every size is a multiple.
/// A third way that is faster at a crossover is found there, one that is faster only elsewhere is
/// not. Nothing when the search was ended.
std::optional<std::vector<Crossover>> find_crossovers(std::span<const FastestWay> fastest,
                                                      std::span<const std::size_t> ways,
                                                      std::uint64_t grain, const TimesOf& times_of);

}  // namespace dcube
