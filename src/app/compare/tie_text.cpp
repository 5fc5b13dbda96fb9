#include "tie_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/counted.hpp"
#include "core/mapped.hpp"
#include "dcube/show/readable.hpp"

namespace dcube::app {
namespace {

/// Four digits without the zeros at the end: "16 s", "1.234 ms".
std::string short_time(Ticks time) {
  const double seconds = to_seconds(time);
  const double digits = seconds > 0 ? 3 - std::floor(std::log10(seconds)) : 0;
  const double unit = std::pow(10.0, digits);
  return format_time(parse_duration(fmt::format("{:.15g}", std::round(seconds * unit) / unit)));
}

std::string spread_text(const SpreadUnderJitter& spread) {
  const std::string least = short_time(spread.least);
  const std::string greatest = short_time(spread.greatest);
  std::string text = least == greatest ? least : fmt::format("{} to {}", least, greatest);
  if (spread.not_completed > 0) {
    text +=
        fmt::format(", and {} of {} samples do not complete", spread.not_completed, spread.draws);
  }
  return text;
}

/// Up to this part only the order of what happens at one instant changes.
constexpr std::uint64_t least_part_without_ties = Jitter::whole / 1000;

std::string part_text(std::uint64_t part) {
  return part < least_part_without_ties
             ? jitter_part_text({.part = part})
             : fmt::format("{:.4g} %",
                           100 * static_cast<double>(part) / static_cast<double>(Jitter::whole));
}

}  // namespace

std::string tie_text(const Comparison& comparison,
                     const std::function<std::string(const ComparisonRow&)>& label) {
  std::vector<const ComparisonRow*> tied;
  for (const ComparisonRow& row : comparison.rows) {
    if (row.figures && row.figures->under_jitter && row.figures->under_jitter->rests_on_ties) {
      tied.push_back(&row);
    }
  }
  const std::vector<const ComparisonRow*> rivals = comparison.rivals_under_jitter();
  if (tied.empty() && rivals.empty()) {
    return {};
  }
  const SpreadUnderJitter drawn = *comparison.under_jitter();
  const bool are_ties = !tied.empty() && drawn.part < least_part_without_ties;
  std::string text =
      fmt::format("\n{}when computing times vary by {} ({})\n", are_ties ? "tie-sensitive; " : "",
                  part_text(drawn.part), counted(drawn.draws, "sample"));
  for (const ComparisonRow* const row : tied) {
    text += fmt::format("  {} takes {}\n", label(*row), spread_text(*row->figures->under_jitter));
  }
  for (const ComparisonRow* const row : rivals) {
    const ComparisonRow& winner = *comparison.best_beside(*row);
    text += fmt::format("  {} need not beat {}: {} against {}\n", label(winner), label(*row),
                        spread_text(*winner.figures->under_jitter),
                        spread_text(*row->figures->under_jitter));
  }
  if (const ComparisonRow* const best = comparison.best();
      rivals.empty() && comparison.networks.empty() && best->figures->under_jitter &&
      comparison.winners().size() == 1 && comparison.runner_up() != nullptr) {
    text += fmt::format("  {} wins all the same: {}\n", label(*best),
                        spread_text(*best->figures->under_jitter));
  }
  return text;
}

}  // namespace dcube::app
