#include <algorithm>
#include <cstdint>

#include "annealer.hpp"
#include "dcube/search/search.hpp"

namespace dcube {

std::uint64_t usual_effort(const SearchProblem& problem) {
  if (problem.objective == Objective::makespan) {
    return 2'000;
  }
  if (!is_sum(problem.objective)) {
    return 1'000'000;
  }
  // A map of dense traffic takes longer to try, and one of a small machine leaves less to find.
  constexpr std::uint64_t most = 100'000'000;
  constexpr std::uint64_t of_a_pair = 20'000;
  const std::uint64_t places = problem.usable_slots();
  return std::min(most, of_a_pair * places * places) * 32 / (32 + mean_partners(problem) / 2);
}

FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control) {
  check_problem(problem);
  return problem.objective == Objective::makespan ? anneal_simulated(problem, settings, control)
                                                  : anneal_computed(problem, settings, control);
}

}  // namespace dcube
