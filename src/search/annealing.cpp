#include <algorithm>
#include <cstdint>

#include "annealer.hpp"
#include "dcube/search/search.hpp"
#include "sums/place_costs.hpp"

namespace dcube {

std::uint64_t usual_effort(const SearchProblem& problem) {
  if (problem.objective == Objective::makespan) {
    return 2'000;
  }
  if (!is_sum(problem.objective)) {
    return 1'000'000;
  }
  // A map of dense traffic takes longer to try, as does one of a large machine, and one of a small
  // machine leaves less to find.
  const std::uint64_t places = problem.usable_slots();
  const std::uint64_t most = places <= most_tabled_places ? 100'000'000 : 30'000'000;
  constexpr std::uint64_t of_a_pair = 20'000;
  return std::min(most, of_a_pair * places * places) * 32 / (32 + mean_partners(problem) / 2);
}

FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control) {
  check_problem(problem);
  return problem.objective == Objective::makespan ? anneal_simulated(problem, settings, control)
                                                  : anneal_computed(problem, settings, control);
}

}  // namespace dcube
