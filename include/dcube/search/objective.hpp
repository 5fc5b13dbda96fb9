#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/time.hpp"

// One line for each objective of a search; each is defined in the file of the same name in
// src/search/objectives. Users read them in this order.
#define DCUBE_OBJECTIVES(OBJECTIVE) \
  OBJECTIVE(average_dilation)       \
  OBJECTIVE(longest_dilation)       \
  OBJECTIVE(link_load)              \
  OBJECTIVE(hop_bytes)              \
  OBJECTIVE(cc_time)                \
  OBJECTIVE(makespan)               \
  OBJECTIVE(link_time)              \
  OBJECTIVE(weighted_sum)

namespace dcube {

struct SearchProblem;

/// Quantity that a search minimises. The cost of a map is a whole number.
enum class Objective {
#define DCUBE_OBJECTIVE_KEY(name) name,
  DCUBE_OBJECTIVES(DCUBE_OBJECTIVE_KEY)
#undef DCUBE_OBJECTIVE_KEY
};

/// Default objective.
inline constexpr Objective usual_objective = Objective::hop_bytes;

/// Weight of a flow between partners: its bytes, or 1.
enum class FlowWeight { bytes, one };

/// Public properties of an objective.
struct ObjectiveTraits {
  std::string name;               ///< "hop-bytes"; a sum has no name of its own to be chosen by
  const char* quantity = "";      ///< a cost over `per`, as a heading: "hops per byte"
  const char* counted = nullptr;  ///< noun that a cost counts, if any: "byte"
  const char* place = "";         ///< follows `counted`: "on the busiest link"
  bool is_time = false;           ///< costs are picoseconds
  /// Costs are shown divided by this; default: by 1, or times in seconds.
  std::uint64_t (*per)(const SearchProblem&) = nullptr;
  FlowWeight flow_weight = FlowWeight::bytes;

  bool is_sum = false;        ///< the cost is the sum of weight times distance over all pairs
  bool is_composed = false;   ///< the cost is a sum over terms
  bool is_simulated = false;  ///< SearchProblem::simulate makes the costs
  bool is_longest = false;    ///< the cost is the distance of the farthest pair
  bool needs_cube = false;    ///< needs a cube's traffic, and times of a stage and a hop
  bool needs_routes = false;  ///< the cost depends on the links of every route
  bool needs_rates = false;   ///< the cost depends on SearchProblem::rates
  bool is_reason = false;     ///< explains why a map is good or bad, whatever was searched for
  bool is_unchecked = false;  ///< unknown to scripts/check_certificate.py
  /// Objectives that are faster to compute and whose best maps are often good for this one.
  std::vector<Objective> models{};
};

const ObjectiveTraits& traits_of(Objective objective);

/// All objectives, in the order of the enumeration.
std::span<const Objective> objective_catalog();
/// Objectives with the property, the default one first.
std::vector<Objective> objectives_with(bool ObjectiveTraits::*property);
/// Names of the objectives as text: "hop-bytes, average-dilation and makespan".
std::string listed(std::span<const Objective> objectives);

/// Names that users can choose, in the order of the enumeration.
std::span<const std::string> objective_names();
std::string_view to_string(Objective objective);

/// A part of a weighted sum.
struct ObjectiveTerm {
  Objective objective = usual_objective;
  std::uint64_t weight = 1;  ///< factor of the cost, > 0; the sum's scale divides it

  friend bool operator==(const ObjectiveTerm&, const ObjectiveTerm&) = default;
};

/// One objective, or a sum: the cost of a map is the sum of weight times cost over the terms, which
/// `scale` divides where it is shown.
struct Goal {
  Objective objective = usual_objective;
  std::vector<ObjectiveTerm> terms{};  ///< of a sum; empty otherwise
  std::uint64_t scale = 1;
  /// Weights are those of costs over the bounds of the terms: see weigh_by_bounds().
  bool is_relative = false;

  /// The terms, or the objective alone.
  std::vector<ObjectiveTerm> parts() const;
  /// Whether one of the parts has the property.
  bool has(bool ObjectiveTraits::*property) const;

  friend bool operator==(const Goal&, const Goal&) = default;
};

/// Reads "hop-bytes", or a sum such as "hop-bytes+0.2*link-load", or with relative weights
/// "hop-bytes+20%*link-load", where a term without one has 100 %. Weights are positive decimal
/// numbers, taken exactly. Throws InputError (no place) that names the term: an unknown objective,
/// one that is there twice, a weight that is none, has too many digits or is relative beside one
/// that is not, a makespan in a sum.
Goal parse_goal(std::string_view text);
/// Text that parse_goal() reads as this goal.
std::string to_string(const Goal& goal);

/// Time of a byte on every link, in whole numbers of one unit, so that sums are exact.
struct LinkRates {
  std::vector<std::uint64_t> units;  ///< time of a byte, by link number; 0 for unused links
  ExactTime unit{};                  ///< in picoseconds

  std::uint64_t most() const;  ///< greatest of `units`
  /// Time of so many units, rounded once, half up, to whole picoseconds. Needs a time within 63
  /// bits.
  std::uint64_t time_of(std::uint64_t units_of_bytes) const;
};

/// Rates of links, from the time of a byte on each. Throws InputError (no place) when no link takes
/// any time, or when the numbers have no common unit within 63 bits.
LinkRates link_rates(std::span<const ExactTime> per_byte);

}  // namespace dcube
