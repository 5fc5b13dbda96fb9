#pragma once

#include <cstdint>
#include <optional>

#include "dcube/network/machine.hpp"
#include "dcube/runs/record.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {

// Machines of today cut messages into packets, and their links serve packets of several messages in
// turn. Where whole messages are served first come first served, a large one holds up others, which
// can make a faster machine slower. Rankings are held against links that serve in turn.

/// Packets times hops that all runs of a question under fair links may have, unless they are asked
/// for: some 50 ms of one processor.
inline constexpr std::uint64_t cheap_fair_steps = 250'000;

/// A run whose links could serve in turn.
struct FairLinks {
  std::uint64_t packet_bytes = 0;  ///< a 32nd of the mean message, at least 4 KiB
  std::uint64_t steps = 0;         ///< packets times hops, about
  double queued_share = 0;         ///< of the hops, under the machine's own service

  /// The scenario with links that serve packets of this size in turn.
  Scenario of(Scenario scenario) const;
};

/// Nothing where fair links would make no difference: no hop queued, messages do not cut through,
/// links serve in turn already, or flows share them.
std::optional<FairLinks> fair_links(const Machine& machine, const RunRecord& record);

/// A run as it is and under fair links.
struct UnderFairLinks {
  FairLinks links;
  std::optional<Ticks> makespan{};  ///< nothing: not tried
};

}  // namespace dcube
