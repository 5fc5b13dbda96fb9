#pragma once

#include <algorithm>

#include "objective_kind.hpp"
#include "search/proofs/partial_bound.hpp"

// The functions of objectives that ask for the most loaded link. With `rates`, a load is in their
// units of time, otherwise in bytes.

namespace dcube {

/// The greatest load under a map. Flows of processes that `counts` refuses are left out.
template <class Counts>
std::uint64_t greatest_load(const SearchProblem& problem, std::span<const NodeId> map,
                            const LinkRates* rates, Counts counts) {
  std::vector<std::uint64_t> load(problem.topology.link_slots());
  std::uint64_t greatest = 0;
  for (const Flow& flow : problem.traffic.flows()) {
    if (!counts(flow.from.index()) || !counts(flow.to.index())) {
      continue;
    }
    for_each_link(problem.topology, map[flow.from.index()], map[flow.to.index()], [&](LinkId link) {
      std::uint64_t& sum = load[problem.server_of(link).index()];
      sum += rates == nullptr ? flow.bytes : flow.bytes * rates->units[link.index()];
      greatest = std::max(greatest, sum);
    });
  }
  return greatest;
}

inline std::uint64_t greatest_load_placed(const PartialBound& placed, const LinkRates* rates) {
  return greatest_load(placed.problem(), placed.map(), rates,
                       [&](std::uint32_t process) { return placed.is_placed(process); });
}

/// `rates` may be null, and must outlive the cost.
std::unique_ptr<MapCost> link_load_cost(const SearchProblem& problem, const LinkRates* rates);

}  // namespace dcube
