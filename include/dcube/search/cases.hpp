#pragma once

#include <cstdint>
#include <functional>

namespace dcube {

/// What a branch and bound starts from.
struct CasesSettings {
  std::uint64_t reached = 0;            ///< cost of a map, above 0; cases that reach it are closed
  std::uint64_t bound = 0;              ///< of all maps, if one is known
  std::uint32_t jobs = 1;               ///< threads
  std::function<bool()> should_stop{};  ///< polled often, by one thread at a time
  std::function<void(std::uint64_t)> on_bound{};  ///< called with each greater bound, like that
};

}  // namespace dcube
