#include "ties.hpp"

#include <algorithm>
#include <cstdlib>

#include "dcube/core/int128.hpp"
#include "dcube/scenario/run.hpp"

namespace dcube {
namespace {

/// Limits of all draws of a comparison together, which take far less than a second: hops, messages
/// and processes, and the data of programs. No clock decides, so that results are the same
/// everywhere.
constexpr std::uint64_t most_steps = 3'000'000;
constexpr std::uint64_t most_data_bytes = std::uint64_t{64} << 20;

bool differs(Ticks makespan, Ticks usual, std::uint64_t part) {
  constexpr std::uint64_t factor = 100;
  const auto difference = static_cast<std::uint64_t>(std::abs((makespan - usual).count()));
  return UInt128{difference} * Jitter::whole >
         UInt128{static_cast<std::uint64_t>(usual.count())} * part * factor;
}

/// Number of the draws that are cheap.
std::uint32_t cheap_draws(const Scenario& scenario, const RunReport& report,
                          const TieDraws& wanted) {
  constexpr std::uint64_t least_draws = 3;  // fewer say little
  const std::uint64_t steps = report.hops + report.messages + report.process_ends.size();
  const std::uint64_t bytes = scenario.program->data_bytes();
  std::uint64_t draws = std::min<std::uint64_t>(wanted.draws, most_steps / wanted.runs / steps);
  if (bytes > 0) {
    draws = std::min(draws, most_data_bytes / wanted.runs / bytes);
  }
  return draws < least_draws ? 0 : static_cast<std::uint32_t>(draws);
}

}  // namespace

std::optional<SpreadUnderJitter> TieDraws::look(const Scenario& scenario,
                                                const RunReport& report) const {
  if (check == TieCheck::never || part == 0 || report.outcome != Outcome::completed ||
      scenario.jitter.part > 0 || !is_repeatable(scenario, report)) {
    return std::nullopt;
  }
  const std::uint32_t made =
      check == TieCheck::always ? draws : cheap_draws(scenario, report, *this);
  if (made == 0) {
    return std::nullopt;
  }
  RepeatedRuns again{build_scenario(scenario.document, scenario.source)};
  SpreadUnderJitter spread{
      .part = part, .draws = made, .least = report.makespan, .greatest = report.makespan};
  for (std::uint32_t seed = 1; seed <= made; ++seed) {
    const RunReport drawn = again.run(scenario.embedding->map(), {.part = part, .seed = seed});
    if (drawn.outcome != Outcome::completed) {
      ++spread.not_completed;
      continue;
    }
    spread.least = std::min(spread.least, drawn.makespan);
    spread.greatest = std::max(spread.greatest, drawn.makespan);
  }
  spread.rests_on_ties = spread.not_completed > 0 || differs(spread.least, report.makespan, part) ||
                         differs(spread.greatest, report.makespan, part);
  return spread;
}

}  // namespace dcube
