#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/time.hpp"

namespace dcube {

/// What a search minimises. The cost of a map is a whole number:
enum class Objective {
  average_dilation,  ///< hops of all flows together: the average times the number of flows
  longest_dilation,  ///< hops of the longest flow
  link_load,         ///< bytes on the most loaded link
  hop_bytes,         ///< sum over all flows of bytes times hops
  cc_time,           ///< picoseconds of the CC d-cube recurrence [X IV.A]; needs a cube's traffic
  makespan,          ///< picoseconds of a simulation, made by SearchProblem::simulate
  link_time,         ///< picoseconds of the link whose bytes take longest; needs LinkRates
  weighted_sum       ///< the costs of several of these, each times its weight
};

/// Whether the cost is the sum of a weight times the distance over all pairs of processes.
constexpr bool is_sum(Objective objective) {
  return objective == Objective::average_dilation || objective == Objective::hop_bytes;
}

/// "average-dilation", ..: as on the command line, in the order of the enumeration; not that of a
/// sum.
std::span<const std::string> objective_names();
std::string_view to_string(Objective objective);

/// A part of a weighted sum.
struct ObjectiveTerm {
  Objective objective = Objective::hop_bytes;
  std::uint64_t weight = 1;  ///< of its cost, > 0; over the sum's scale

  friend bool operator==(const ObjectiveTerm&, const ObjectiveTerm&) = default;
};

/// One objective, or a sum: the cost of a map is the sum of weight times cost over the terms, which
/// `scale` divides where it is shown.
struct Goal {
  Objective objective = Objective::hop_bytes;
  std::vector<ObjectiveTerm> terms{};  ///< of a sum; empty otherwise
  std::uint64_t scale = 1;
  /// Weights are those of costs over the bounds of the terms: see weigh_by_bounds().
  bool is_relative = false;

  friend bool operator==(const Goal&, const Goal&) = default;
};

/// Reads "hop-bytes", or a sum such as "hop-bytes+0.2*link-load", or with relative weights
/// "hop-bytes+20%*link-load", where a term without one has 100 %. Weights are positive decimal
/// numbers, taken exactly. Throws InputError (no place) that names the term: an unknown objective,
/// one that is there twice, a weight that is none, has too many digits or is relative beside one
/// that is not, a makespan in a sum.
Goal parse_goal(std::string_view text);
/// As parse_goal() reads it.
std::string to_string(const Goal& goal);

/// What a byte takes on every link, in whole numbers of one unit, so that sums are exact.
struct LinkRates {
  std::vector<std::uint64_t> units;  ///< of a byte, by link number (0 for those not in use)
  ExactTime unit{};                  ///< in picoseconds

  std::uint64_t most() const;  ///< of all links
  /// So many units, rounded once, half up, to whole picoseconds. Needs a time within 63 bits.
  std::uint64_t time_of(std::uint64_t units_of_bytes) const;
};

/// The rates of links that take so long for a byte each. Throws InputError (no place) when no link
/// takes any time, or when the numbers have no common unit within 63 bits.
LinkRates link_rates(std::span<const ExactTime> per_byte);

}  // namespace dcube
