#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace dcube {

/// Every `count`-th run, from the `index`-th on; `index` is 0 .. count-1.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// How the simulations of a batch are made, each in a child process.
struct SimulationLimits {
  std::optional<std::uint32_t> at_once{};  ///< default: one a processor, as far as they fit
  std::optional<std::chrono::nanoseconds> timeout{};  ///< of each simulation
  /// Told now and then how many of how many simulations have ended.
  std::function<void(std::size_t ended, std::size_t all)> on_progress{};
};

}  // namespace dcube
