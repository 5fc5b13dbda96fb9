#include "search_methods.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/terminal/output.hpp"
#include "app/terminal/readable.hpp"

namespace dcube::app {
namespace {

/// `best` says how a cost reads.
template <class Best>
SearchControl control_of(SearchWatch& watch, Best best) {
  return {[&watch] { return watch.should_stop(); },
          [&watch, best](const SearchProgress& progress) {
            if (watch.is_shown()) {
              const std::string done =
                  progress.effort < endless_effort
                      ? fmt::format("{} of {}", grouped(progress.done), grouped(progress.effort))
                      : counted(progress.done, "map");
              watch.show(fmt::format("{}, best {}", done, best(progress.best)));
            }
          }};
}

/// ", bound 1.163, gap 17.3 %".
std::string gap_words(const SearchProblem& problem, std::uint64_t cost, std::uint64_t bound) {
  if (bound == 0 || cost < bound) {
    return {};
  }
  const double gap = static_cast<double>(cost) / static_cast<double>(bound) - 1;
  return fmt::format(", bound {:.5g}, gap {}", value_of(problem, bound), percent(gap));
}

/// Costs are those of the problem: their history is kept.
SearchControl control_of(SearchWatch& watch, const SearchProblem& problem) {
  SearchControl control = control_of(watch, [&](std::uint64_t cost) {
    return cost_text(problem, cost) + gap_words(problem, cost, watch.bound());
  });
  control.on_progress = [&watch, show = control.on_progress](const SearchProgress& progress) {
    watch.note(progress.best);
    show(progress);
  };
  return control;
}

FoundMap with_scotch(const SearchProblem& problem, SearchWatch& watch, std::uint64_t seed) {
  const std::vector<Start> starts = scotch_starts_in_child(problem, seed, watch, 1);
  FoundMap found = best_of(problem, starts);
  if (found.map.empty()) {
    found = best_start(problem);
    found.is_cut_short = true;
  }
  found.starts.clear();
  return found;
}

void search(const SearchProblem& problem, SearchWatch& watch, SearchOutcome& outcome) {
  const SearchControl control = control_of(watch, problem);
  const ExhaustiveSettings enumeration{.effort = outcome.effort};
  if (outcome.method == "exhaustive") {
    outcome.proof = enumerate(problem, enumeration, control);
    outcome.found = outcome.proof->found;
  } else if (outcome.method == "constant-distances") {
    outcome.constant_distances =
        enumerate_constant_distances(problem, enumeration, control_of(watch, [](std::uint64_t sum) {
                                       return fmt::format("sum of distances {}", grouped(sum));
                                     }));
    outcome.found = outcome.constant_distances->found;
  } else if (outcome.method == "scotch") {
    outcome.found = with_scotch(problem, watch, outcome.seed);
  } else {
    AnnealingSettings annealing{.seed = outcome.seed,
                                .effort = outcome.effort,
                                .agreement = outcome.is_usual_effort ? usual_agreement : 0,
                                .jobs = outcome.jobs,
                                .bound = outcome.bounds.front().cost};
    if (outcome.method == annealing_from_scotch) {
      // Annealing has most of a limited time.
      constexpr std::uint32_t share_of_scotch = 4;
      annealing.more_starts = [&] {
        return scotch_starts_in_child(problem, outcome.seed, watch, share_of_scotch);
      };
    }
    outcome.found = anneal(problem, annealing, control);
  }
  if (outcome.found.starts.empty() && problem.objective != Objective::makespan) {
    outcome.found.starts = best_start(problem).starts;  // for comparison
  }
}

std::string why_ended(const SearchOutcome& outcome, SearchWatch& watch) {
  if (outcome.found.is_cut_short) {
    return watch.is_interrupted() ? "interrupted" : "time limit reached, so another run may differ";
  }
  if (has_complete_proof(outcome)) {
    return "enumeration complete";
  }
  if (is_proof(outcome.method)) {
    return "effort used";
  }
  if (outcome.found.cost <= outcome.bounds.front().cost) {
    return "bound reached";
  }
  if (outcome.found.has_agreed) {
    return "populations agree";
  }
  return outcome.method == "scotch" ? "done" : "effort used";
}

}  // namespace

bool has_complete_proof(const SearchOutcome& outcome) {
  return (outcome.proof && outcome.proof->is_complete) ||
         (outcome.constant_distances && outcome.constant_distances->is_complete);
}

void run_method(const SearchProblem& problem, SearchWatch& watch, SearchOutcome& outcome) {
  search(problem, watch, outcome);
  if (const std::string refuted = take_refuted(outcome.bounds, outcome.found); !refuted.empty()) {
    watch.end_progress();
    complain_once(refuted);
  }
  outcome.ended = why_ended(outcome, watch);
  if (outcome.proof && outcome.proof->is_complete &&
      outcome.found.cost > outcome.bounds.front().cost) {
    outcome.bounds.insert(outcome.bounds.begin(),
                          {outcome.found.cost, "enumeration of every map up to symmetry"});
  }
}

}  // namespace dcube::app
