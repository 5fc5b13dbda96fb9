#include <algorithm>
#include <cstdint>

#include "dcube/search/search.hpp"
#include "search/sums/place_costs.hpp"
#include "search/walks/annealer.hpp"

namespace dcube {

std::uint64_t usual_effort(const SearchProblem& problem) {
  const ObjectiveTraits& traits = traits_of(problem.objective);
  if (traits.is_simulated) {
    return 2'000;
  }
  if (!traits.is_sum) {
    return 1'000'000;
  }
  // A map of dense traffic takes longer to try, as does one of a large machine, and one of a small
  // machine leaves less to find.
  const std::uint64_t places = problem.usable_slots();
  if (places > most_tabled_places) {
    constexpr std::uint64_t of_a_large_machine = 30'000'000;
    return of_a_large_machine * 32 / (32 + mean_partners(problem) / 2);
  }
  const std::uint64_t most = 600'000'000 + 900'000 * places;
  const std::uint64_t of_a_triple = std::max<std::uint64_t>(700, 16 * places);
  constexpr std::uint64_t few_partners = 16;
  return std::max<std::uint64_t>(1, std::min(most, of_a_triple * places * places * places) *
                                        few_partners / (few_partners + mean_partners(problem)));
}

FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control) {
  check_problem(problem);
  return traits_of(problem.objective).is_simulated ? anneal_simulated(problem, settings, control)
                                                   : anneal_computed(problem, settings, control);
}

}  // namespace dcube
