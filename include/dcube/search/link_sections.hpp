#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "dcube/search/search.hpp"

namespace dcube {

struct LinkSectionSettings {
  double work = 2e9;        ///< multiplications, roughly; some 2e9 a second
  std::uint64_t above = 0;  ///< only bounds above this cost count
  /// A bound that reaches this cost ends the work.
  std::optional<std::uint64_t> reached{};
  std::function<bool()> should_stop{};            ///< polled often
  std::function<void(std::uint64_t)> on_bound{};  ///< called with each greater bound
};

/// Bound of the busiest link, for objectives of links: what so many processes exchange with the
/// others at least crosses the links between two parts of the machine. Parts are what planes, boxes
/// and balls leave; least sections of the traffic have semidefinite bounds. Links have their own
/// rates where the objective counts time. The same on every run unless should_stop() ends it.
/// Nothing where no bound is above `above`. docs/theory/lower-bounds.md derives it.
std::optional<CostBound> link_section_bound(const SearchProblem& problem,
                                            const LinkSectionSettings& settings);

/// That bound, and those of cost_bounds() that rest on the least hop-bytes, with a semidefinite
/// bound of these: what is above `above`, greatest first.
std::vector<CostBound> worked_link_bounds(const SearchProblem& problem,
                                          const LinkSectionSettings& settings);

}  // namespace dcube
