#include <string>
#include <utility>

#include "dcube/search/methods.hpp"
#include "search_run.hpp"

namespace dcube {
namespace {

/// `news`: the members that do not change during the search.
SearchControl control_of(SearchWatch& watch, const SearchNews& news) {
  return {[&watch] { return watch.should_stop(); },
          [&watch, news](const SearchProgress& progress) {
            if (!news.counts_distances) {
              watch.note(progress.best);
            }
            SearchNews latest = news;
            latest.progress = progress;
            watch.tell(latest);
          }};
}

/// Other methods begin with the maps that are known; Scotch does not, so they may be better.
FoundMap with_scotch(const SearchProblem& problem, SearchWatch& watch, std::uint64_t seed,
                     std::uint32_t jobs) {
  FoundMap found = best_of(problem, watched_scotch_starts(problem, seed, watch, {.at_once = jobs}));
  if (found.map.empty()) {
    found = best_start(problem);
    found.is_cut_short = true;
  } else if (!problem.known.empty() && !traits_of(problem.objective).is_simulated) {
    FoundMap start = best_start(problem);
    if (start.cost < found.cost) {
      found = std::move(start);
    }
  }
  found.starts.clear();
  return found;
}

void find_map(const MethodSettings& settings, SearchWatch& watch, SearchAnswer& answer) {
  const SearchProblem& problem = *answer.problem;
  SearchNews news{.problem = &problem, .bound = answer.bounds.front().cost};
  const ExhaustiveSettings enumeration{.effort = answer.effort};
  if (answer.method == "exhaustive") {
    answer.proof = enumerate(problem, enumeration, control_of(watch, news));
    answer.found = answer.proof->found;
  } else if (answer.method == "constant-distances") {
    news.counts_distances = true;
    answer.constant_distances =
        enumerate_constant_distances(problem, enumeration, control_of(watch, news));
    answer.found = answer.constant_distances->found;
  } else if (answer.method == "scotch") {
    answer.found = with_scotch(problem, watch, answer.seed, settings.jobs);
  } else {
    AnnealingSettings annealing{.seed = answer.seed,
                                .effort = answer.effort,
                                .agreement = settings.is_usual_effort ? usual_agreement : 0,
                                .jobs = settings.jobs,
                                .bound = answer.bounds.front().cost};
    if (answer.method == annealing_from_scotch) {
      // Annealing has most of a limited time, but on large machines it comes nowhere near.
      constexpr std::uint64_t small = 1024;
      annealing.more_starts = [&] {
        return watched_scotch_starts(problem, answer.seed, watch,
                                     {.of = 4,
                                      .parts = problem.usable_slots() <= small ? 1U : 3U,
                                      .at_once = settings.jobs});
      };
    }
    answer.found = anneal(problem, annealing, control_of(watch, news));
  }
  if (answer.found.starts.empty() && !traits_of(problem.objective).is_simulated) {
    answer.found.starts = best_start(problem).starts;  // for comparison
  }
}

std::string why_ended(const SearchAnswer& answer, SearchWatch& watch) {
  if (answer.found.is_cut_short) {
    return watch.is_interrupted() ? "interrupted" : "time limit reached, so another run may differ";
  }
  if (answer.has_complete_proof()) {
    return "enumeration complete";
  }
  if (is_proof(answer.method)) {
    return "effort used";
  }
  if (answer.found.cost <= answer.bounds.front().cost) {
    return "bound reached";
  }
  if (answer.found.has_agreed) {
    return "populations agree";
  }
  return answer.method == "scotch" ? "done" : "effort used";
}

}  // namespace

void run_method(const MethodSettings& settings, SearchWatch& watch, SearchAnswer& answer) {
  find_map(settings, watch, answer);
  if (!answer.found.map.empty()) {
    answer.refuted.push_back(take_refuted(answer.bounds, answer.found));
  }
  answer.ended = why_ended(answer, watch);
  if (answer.proof && answer.proof->is_complete && answer.found.cost > answer.bounds.front().cost) {
    answer.bounds.insert(answer.bounds.begin(),
                         {answer.found.cost, "enumeration of every map up to symmetry"});
  }
}

}  // namespace dcube
