#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/counted.hpp"
#include "dcube/search/cases.hpp"
#include "dcube/search/link_sections.hpp"
#include "dcube/search/methods.hpp"
#include "dcube/search/partners.hpp"
#include "dcube/search/semidefinite.hpp"
#include "search_run.hpp"

namespace dcube {
namespace {

/// Work that takes at most half as long as the search. A map of dense traffic takes longer. A
/// search whose effort nobody has chosen takes some tenths of a second at least.
double work_beside_search(const SearchAnswer& answer) {
  constexpr double of_a_map = 90;
  constexpr double of_the_shortest = 2e8;
  const SearchProblem& problem = *answer.problem;
  const std::uint64_t usual = usual_effort(problem);
  const Partners partners{problem.traffic, problem.objective};
  std::size_t ends = 0;
  for (std::uint32_t process = 0; process < partners.process_count(); ++process) {
    ends += partners.of(process).size();
  }
  const double mean = static_cast<double>(ends) / partners.process_count();
  return static_cast<double>(std::min(answer.effort, usual)) * (1 + mean / 16) * of_a_map +
         (answer.effort >= usual ? of_the_shortest : 0);
}

void insert(CostBound bound, std::vector<CostBound>& bounds) {
  bounds.insert(std::ranges::upper_bound(bounds, bound.cost, std::greater{}, &CostBound::cost),
                std::move(bound));
}

/// Puts a bound among the others, greatest first.
void take(SemidefiniteProof proof, SearchAnswer& answer) {
  std::vector<CostBound>& bounds = answer.bounds;
  if (proof.branched > 0) {
    insert({proof.branched, fmt::format("branch and bound over {} of near and far pairs, each with "
                                        "a semidefinite bound",
                                        counted(proof.cases, "case"))},
           bounds);
  }
  if (proof.bound.cost == 0 ||
      (answer.semidefinite && answer.semidefinite->bound.cost >= proof.bound.cost)) {
    return;
  }
  if (answer.semidefinite) {
    std::erase_if(bounds, [&](const CostBound& bound) {
      return bound.source == answer.semidefinite->bound.source;
    });
  }
  insert(proof.bound, bounds);
  answer.semidefinite = std::move(proof);
}

void take(PlacementCasesResult result, SearchAnswer& answer) {
  if (!result.map.empty()) {
    answer.found.map = std::move(result.map);
    answer.found.cost = result.cost;
    answer.found.origin = "branch and bound over placements";
  }
  if (result.bound > answer.bounds.front().cost) {
    insert({result.bound, fmt::format("branch and bound over {} of placements, each with a dual "
                                      "ascent (Hahn & Grant 1998)",
                                      counted(result.cases, "case"))},
           answer.bounds);
  }
}

void take(FlowPartsBound parts, SearchAnswer& answer) {
  if (parts.cost > answer.bounds.front().cost) {
    insert({parts.cost, fmt::format("branch and bound over {} of parts of the flows, each with few "
                                    "classes of clones (Fischetti, Monaci & Salvagnin 2012)",
                                    counted(parts.cases, "case"))},
           answer.bounds);
  }
}

SearchNews news_of(const SearchAnswer& answer, std::uint64_t bound) {
  return {.step = SearchNews::Step::proving,
          .progress = {answer.found.moves, answer.effort, answer.found.cost},
          .problem = answer.problem.get(),
          .bound = bound};
}

/// Bounds of links that take at most about half as long as the search.
void add_usual_link_bounds(double seconds, SearchWatch& watch, SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  constexpr double of_a_map = 10'000;
  constexpr double in_a_second = 2e9;
  const std::uint64_t maps = std::min(answer.effort, usual_effort(problem));
  const LinkSectionSettings settings{
      .work = std::min(static_cast<double>(maps) * of_a_map, seconds * in_a_second),
      .above = answer.bounds.front().cost,
      .should_stop = [&] { return watch.should_stop(); },
      .on_bound = [&](std::uint64_t bound) { watch.note_bound(bound); }};
  for (CostBound& bound : worked_link_bounds(problem, settings)) {
    watch.note_bound(bound.cost);
    insert(std::move(bound), answer.bounds);
  }
}

}  // namespace

void add_usual_semidefinite_bound(std::optional<std::chrono::nanoseconds> time_limit,
                                  SearchWatch& watch, SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  watch.note_bound(answer.bounds.front().cost);
  if (is_proof(answer.method) || answer.method == "scotch") {
    return;
  }
  if (traits_of(problem.objective).needs_routes) {
    constexpr double whole_search = 1e9;
    const double seconds =
        time_limit ? std::chrono::duration<double>{*time_limit}.count() / 2 : whole_search;
    add_usual_link_bounds(seconds, watch, answer);
    return;
  }
  if (!traits_of(problem.objective).is_sum) {
    return;
  }
  double allowed = work_beside_search(answer);
  if (time_limit) {
    constexpr double in_half_a_second = 1e9;
    allowed =
        std::min(allowed, std::chrono::duration<double>{*time_limit}.count() * in_half_a_second);
  }
  const std::optional<SearchWatch::Clock::time_point> end = watch.end_of_share(2);
  const auto should_stop = [&] {
    return watch.should_stop() || (end && SearchWatch::Clock::now() >= *end);
  };
  constexpr double share_of_parts = 0.5;
  if (auto parts = semidefinite_bound_of_parts(problem, allowed * share_of_parts, should_stop)) {
    watch.note_bound(parts->cost);
    insert(std::move(*parts), answer.bounds);
    allowed -= allowed * share_of_parts;
  }
  for (const SemidefiniteLevel level :
       {SemidefiniteLevel::triangles, SemidefiniteLevel::matrices}) {
    const std::optional<double> work = semidefinite_work(problem, level);
    if (!work || *work > allowed) {
      continue;
    }
    const FoundMap start = best_start(problem);
    if (start.cost <= answer.bounds.front().cost) {
      return;  // nothing is left to prove
    }
    const SemidefiniteSettings settings{
        .level = level,
        .reached = start.cost,
        .should_stop = should_stop,
        .on_bound = [&](std::uint64_t bound) { watch.note_bound(bound); }};
    if (std::optional<SemidefiniteProof> proof = semidefinite_bound(problem, settings)) {
      take(std::move(*proof), answer);
    }
    return;
  }
}

double link_work_beside(const SearchRequest& request) {
  constexpr double of_a_simulation = 5e6;
  const std::uint64_t simulations =
      std::min(request.effort.value_or(usual_simulations), usual_simulations);
  double work = static_cast<double>(simulations) * of_a_simulation;
  if (request.time_limit) {
    constexpr double in_half_a_second = 1e9;
    work = std::min(work,
                    std::chrono::duration<double>{*request.time_limit}.count() * in_half_a_second);
  }
  return work;
}

void prove_further(std::uint32_t jobs, SearchWatch& watch, SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  if (answer.found.cost <= answer.bounds.front().cost || answer.has_complete_proof()) {
    return;
  }
  std::uint64_t best = answer.bounds.front().cost;
  const auto should_stop = [&] {
    watch.tell(news_of(answer, best));
    return watch.should_stop();
  };
  const auto on_bound = [&](std::uint64_t bound) {
    best = std::max(best, bound);
    watch.note_bound(bound);
  };
  // What comes first has a share of the time: parts of the flows, or matrices where placements
  // follow. Theirs is the better bound if these come to no end.
  const bool has_cases = has_placement_cases(problem);
  constexpr std::uint32_t share_of_the_first = 4;
  const std::optional<SearchWatch::Clock::time_point> end = watch.end_of_share(share_of_the_first);
  const auto has_had_its_share = [&] {
    return should_stop() || (end && SearchWatch::Clock::now() >= *end);
  };
  if (!has_cases) {
    if (const auto parts = bound_by_parts(problem, {.reached = answer.found.cost,
                                                    .bound = answer.bounds.front().cost,
                                                    .should_stop = has_had_its_share,
                                                    .on_bound = on_bound})) {
      take(*parts, answer);
    }
  }
  SemidefiniteSettings settings{.level = SemidefiniteLevel::pentagons,
                                .reached = answer.found.cost,
                                .branches = !has_cases,
                                .jobs = jobs,
                                .should_stop = should_stop,
                                .on_bound = on_bound};
  if (has_cases) {
    settings.should_stop = has_had_its_share;
  }
  if (answer.found.cost > answer.bounds.front().cost) {
    if (std::optional<SemidefiniteProof> proof = semidefinite_bound(problem, settings)) {
      take(std::move(*proof), answer);
    }
  }
  if (has_cases && answer.found.cost > answer.bounds.front().cost && !watch.should_stop()) {
    take(*place_by_cases(problem, {.reached = answer.found.cost,
                                   .bound = answer.bounds.front().cost,
                                   .jobs = jobs,
                                   .should_stop = should_stop,
                                   .on_bound = on_bound}),
         answer);
  }
  answer.refuted.push_back(take_refuted(answer.bounds, answer.found));
  if (answer.found.cost <= answer.bounds.front().cost) {
    answer.ended = "bound reached";
  } else if (watch.is_interrupted()) {
    answer.ended = "interrupted";
  }
}

}  // namespace dcube
