#pragma once

#include <cstdint>
#include <optional>

#include "dcube/questions/search.hpp"
#include "dcube/scenario/scenario.hpp"
#include "search_watch.hpp"

namespace dcube {

/// A scenario whose program repeats things more rarely.
struct BriefScenario {
  Scenario scenario;
  BriefRuns runs;
};

/// The scenario with fewer repetitions, where its program has enough of them to save most of the
/// time. `messages`: of its whole run.
std::optional<BriefScenario> brief_scenario(const Scenario& whole, std::uint64_t messages,
                                            SearchWatch& watch);

/// Messages between processes.
std::uint64_t messages_of(const Traffic& traffic);

}  // namespace dcube
