#include "semidefinite_bounds.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "dcube/search/methods.hpp"
#include "dcube/search/semidefinite.hpp"

namespace dcube {
namespace {

/// Work of a level that takes half as long as so many maps of a search. Both take a second or so
/// for 5 10^7 maps and 2 10^9 units of work.
constexpr double work_of_a_map = 20;

/// Puts a bound among the others, greatest first.
void take(SemidefiniteProof proof, SearchAnswer& answer) {
  if (proof.bound.cost == 0 ||
      (answer.semidefinite && answer.semidefinite->bound.cost >= proof.bound.cost)) {
    return;
  }
  std::vector<CostBound>& bounds = answer.bounds;
  if (answer.semidefinite) {
    std::erase_if(bounds, [&](const CostBound& bound) {
      return bound.source == answer.semidefinite->bound.source;
    });
  }
  bounds.insert(
      std::ranges::lower_bound(bounds, proof.bound.cost, std::greater{}, &CostBound::cost),
      proof.bound);
  answer.semidefinite = std::move(proof);
}

SearchNews news_of(const SearchAnswer& answer, std::uint64_t bound) {
  return {.step = SearchNews::Step::proving,
          .progress = {answer.found.moves, answer.effort, answer.found.cost},
          .problem = answer.problem.get(),
          .bound = bound};
}

}  // namespace

void add_usual_semidefinite_bound(SearchWatch& watch, SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  watch.note_bound(answer.bounds.front().cost);
  if (is_proof(answer.method) || answer.method == "scotch") {
    return;
  }
  const auto maps = static_cast<double>(std::min(answer.effort, usual_effort(problem)));
  for (const SemidefiniteLevel level :
       {SemidefiniteLevel::triangles, SemidefiniteLevel::matrices}) {
    const std::optional<double> work = semidefinite_work(problem, level);
    if (!work || *work > maps * work_of_a_map) {
      continue;
    }
    const FoundMap start = best_start(problem);
    if (start.cost <= answer.bounds.front().cost) {
      return;  // nothing is left to prove
    }
    const SemidefiniteSettings settings{
        .level = level,
        .reached = start.cost,
        .should_stop = [&] { return watch.should_stop(); },
        .on_bound = [&](std::uint64_t bound) { watch.note_bound(bound); }};
    if (std::optional<SemidefiniteProof> proof = semidefinite_bound(problem, settings)) {
      take(std::move(*proof), answer);
    }
    return;
  }
}

void prove_further(SearchWatch& watch, SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  if (answer.found.cost <= answer.bounds.front().cost || answer.has_complete_proof()) {
    return;
  }
  std::uint64_t best = answer.bounds.front().cost;
  const SemidefiniteSettings settings{.level = SemidefiniteLevel::pentagons,
                                      .reached = answer.found.cost,
                                      .should_stop =
                                          [&] {
                                            watch.tell(news_of(answer, best));
                                            return watch.should_stop();
                                          },
                                      .on_bound =
                                          [&](std::uint64_t bound) {
                                            best = std::max(best, bound);
                                            watch.note_bound(bound);
                                          }};
  if (std::optional<SemidefiniteProof> proof = semidefinite_bound(problem, settings)) {
    take(std::move(*proof), answer);
    answer.refuted.push_back(take_refuted(answer.bounds, answer.found));
  }
}

}  // namespace dcube
