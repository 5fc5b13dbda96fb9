#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dcube/embedding/traffic.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

/// Processes that flows join with each other and with no others, ascending.
using TrafficPart = std::vector<std::uint32_t>;

/// All parts, by their first process.
std::vector<TrafficPart> parts_of(const Traffic& traffic);

/// Traffic of each part, whose processes are numbered in their order.
std::vector<Traffic> traffic_of_parts(const std::vector<TrafficPart>& parts,
                                      const Traffic& traffic);

/// Parts of equal traffic.
struct PartKind {
  Traffic traffic;
  std::uint64_t count = 0;
};

/// Kinds of the parts that have flows. Nothing for one part, or for more than four kinds.
std::vector<PartKind> kinds_of_parts(const Traffic& traffic);

/// Parts that no flows join cost at least what each costs alone: the sum of these bounds. The
/// source is that of the kind which adds most.
CostBound bound_of_parts(const std::vector<PartKind>& kinds, const SearchProblem& whole,
                         const std::function<CostBound(const SearchProblem&)>& bound_of);

}  // namespace dcube
