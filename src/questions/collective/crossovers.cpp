#include "crossovers.hpp"

#include <algorithm>
#include <cmath>

// Every gap between two sizes is halved, all gaps at once, so that simulations can share
// processors. What ends a gap is then compared with all other ways: if one of those is faster
// there, the gap has two crossovers (or more) and becomes two gaps.

namespace dcube {
namespace {

constexpr double precision = 1.01;
constexpr std::size_t most_rounds = 500;

struct Gap {
  FastestWay before;  ///< at the lower end, of which everything is known
  FastestWay after;
  std::uint64_t low = 0;   ///< `before` is faster here
  std::uint64_t high = 0;  ///< `after` is faster here
};

Gap gap_between(const FastestWay& before, const FastestWay& after) {
  return {before, after, before.bytes, after.bytes};
}

/// The geometric mean; nothing when the ends are close enough.
std::optional<std::uint64_t> middle(const Gap& gap, std::uint64_t grain) {
  const auto low = static_cast<double>(gap.low);
  const auto high = static_cast<double>(gap.high);
  if (gap.high - gap.low <= grain || high <= low * precision) {
    return std::nullopt;
  }
  const auto mean = static_cast<std::uint64_t>(std::sqrt(low * high));
  return std::clamp(mean / grain * grain, gap.low + grain, gap.high - grain);
}

bool is_less(const std::optional<Ticks>& time, const std::optional<Ticks>& other) {
  return time && (!other || *time < *other);
}

/// Requests of each gap: the times of its two ways in the middle, or of all ways at its end.
std::vector<TimeRequest> requests_of(const std::vector<Gap>& gaps,
                                     std::span<const std::size_t> ways, std::uint64_t grain) {
  std::vector<TimeRequest> requests;
  for (const Gap& gap : gaps) {
    if (const std::optional<std::uint64_t> bytes = middle(gap, grain)) {
      requests.push_back({gap.before.way, *bytes});
      requests.push_back({gap.after.way, *bytes});
    } else {
      for (const std::size_t way : ways) {
        requests.push_back({way, gap.high});
      }
    }
  }
  return requests;
}

/// The first of the fastest.
std::size_t fastest_of(std::span<const std::size_t> ways,
                       std::span<const std::optional<Ticks>> times) {
  const auto own = times.first(ways.size());
  return static_cast<std::size_t>(std::ranges::min_element(own, is_less) - own.begin());
}

}  // namespace

std::optional<std::vector<Crossover>> find_crossovers(std::span<const FastestWay> fastest,
                                                      std::span<const std::size_t> ways,
                                                      std::uint64_t grain,
                                                      const TimesOf& times_of) {
  std::vector<Gap> gaps;
  for (std::size_t i = 1; i < fastest.size(); ++i) {
    if (fastest[i].way != fastest[i - 1].way) {
      gaps.push_back(gap_between(fastest[i - 1], fastest[i]));
    }
  }
  std::vector<Crossover> crossovers;
  for (std::size_t round = 0; !gaps.empty() && round < most_rounds; ++round) {
    const std::vector<std::optional<Ticks>> times = times_of(requests_of(gaps, ways, grain));
    if (times.empty()) {
      return std::nullopt;
    }
    std::span<const std::optional<Ticks>> rest{times};
    std::vector<Gap> open;
    for (Gap& gap : gaps) {
      if (const std::optional<std::uint64_t> bytes = middle(gap, grain)) {
        (is_less(rest[1], rest[0]) ? gap.high : gap.low) = *bytes;
        open.push_back(gap);
        rest = rest.subspan(2);
        continue;
      }
      const std::size_t best = fastest_of(ways, rest);
      const auto own =
          static_cast<std::size_t>(std::ranges::find(ways, gap.after.way) - ways.begin());
      const FastestWay third{gap.high, ways[best]};
      if (third.way == gap.before.way || !is_less(rest[best], rest[own]) ||
          third.bytes == gap.before.bytes || third.bytes == gap.after.bytes) {
        crossovers.push_back({gap.high, gap.before.way, gap.after.way});
      } else {
        open.push_back(gap_between(gap.before, third));
        open.push_back(gap_between(third, gap.after));
      }
      rest = rest.subspan(ways.size());
    }
    gaps = std::move(open);
  }
  std::ranges::sort(crossovers, {}, &Crossover::bytes);
  return crossovers;
}

}  // namespace dcube
