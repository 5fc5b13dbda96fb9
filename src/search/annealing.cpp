#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "affine_map.hpp"
#include "best_map.hpp"
#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "distances.hpp"
#include "map_cost.hpp"
#include "moves.hpp"
#include "partners.hpp"
#include "simulated_annealing.hpp"
#include "starts.hpp"
#include "temperature.hpp"

// Plain swaps from the standard embedding end in poor valleys: half of the map must change to make
// it xor. So the search first walks over the affine maps over GF(2), where that change is one step.
// Then it anneals node by node: once from cool, which keeps the structure and improves details;
// once from hot, which gives the structure up, for traffic that has none; and at last from cool
// again, beginning at the best map so far.

namespace dcube {
namespace {

constexpr std::uint32_t levels = 96;  ///< of temperature in a round
constexpr double cooling = 0.95;      ///< from one level to the next
/// The shares of the moves. An affine move costs as much as a whole map, so there are few of them.
struct Shares {
  std::uint64_t affine;
  std::uint64_t cool;
  std::uint64_t hot;
  std::uint64_t polish;
};

Shares shares_of(std::uint64_t effort, std::size_t flows) {
  constexpr std::uint64_t most_affine = 20'000;
  constexpr std::uint64_t most_affine_flows = 50'000'000;
  Shares shares{};
  shares.affine =
      std::min({effort / 10, most_affine, most_affine_flows / std::max<std::uint64_t>(1, flows)});
  const std::uint64_t rest = effort - shares.affine;
  shares.cool = rest / 10;
  shares.polish = rest / 10;
  shares.hot = rest - shares.cool - shares.polish;
  return shares;
}

/// How many moves are made between two looks at the clock. A move of a large map may take as long
/// as a thousand moves of a small one.
std::uint64_t poll_interval_of(const SearchProblem& problem) {
  constexpr std::uint64_t most = 1024;
  constexpr std::uint64_t flows_between = 1'000'000;
  return std::clamp<std::uint64_t>(flows_between / (problem.traffic.flows().size() + 1), 1, most);
}

class Annealing {
 public:
  Annealing(const SearchProblem& problem, const AnnealingSettings& settings,
            const SearchControl& control)
      : problem_{problem},
        settings_{settings},
        control_{control},
        poll_interval_{poll_interval_of(problem)},
        distances_{problem.topology},
        partners_{problem.traffic, problem.objective},
        cost_{make_map_cost(problem, distances_)},
        moves_{problem, partners_},
        random_{hash_of(settings.seed, 0x616e6e65616cU)},
        floor_{cost_bounds(problem).front().cost} {}

  FoundMap run() {
    std::optional<AffineMap> affine = start();
    const Shares shares = shares_of(settings_.effort, problem_.traffic.flows().size());
    if (affine) {
      walk_affine(*affine, shares.affine);
    }
    constexpr double mild = 0.04;  // of a typical increase
    anneal_round(mild, shares.cool + (affine ? 0 : shares.affine));
    constexpr double hot = 0.4;
    anneal_round(hot, shares.hot);
    anneal_round(mild / 2, shares.polish);
    found_.map = best_.map();
    found_.cost = best_.cost();
    return std::move(found_);
  }

 private:
  /// Measures the starts. The walk begins at the best affine one.
  std::optional<AffineMap> start() {
    std::optional<AffineMap> affine;
    double affine_energy = 0;
    for (const Start& one : structured_starts(problem_)) {
      measure(one);
      const auto candidate = AffineMap::of(one.map, problem_.topology.node_count());
      if (candidate && (!affine || cost_->energy() < affine_energy)) {
        affine = candidate;
        affine_energy = cost_->energy();
      }
    }
    if (best_.cost() > floor_ && settings_.more_starts) {
      std::ranges::for_each(settings_.more_starts(), [&](const Start& one) { measure(one); });
    }
    return affine;
  }

  void measure(const Start& start) {
    cost_->assign(start.map);
    found_.starts.push_back({start.embedding, cost_->cost()});
    offer(start.embedding);
  }

  void walk_affine(AffineMap at, std::uint64_t moves) {
    cost_->assign(at.map());
    double energy = cost_->energy();
    temperature_.set(0.05 * energy);
    for (std::uint64_t i = 0; i < moves && !is_over(); ++i) {
      AffineMap next = at;
      next.change(random_);
      cost_->assign(next.map());
      ++found_.moves;
      if (temperature_.accepts(cost_->energy() - energy, random_)) {
        at = next;
        energy = cost_->energy();
        offer("annealing: affine maps over GF(2)");
      }
      cool(i, moves);
    }
  }

  /// Starts from the best map at `heat` times the typical increase of a move.
  void anneal_round(double heat, std::uint64_t moves) {
    if (problem_.topology.node_count() < 2) {
      return;
    }
    cost_->assign(best_.map());
    moves_.assign(best_.map());
    temperature_.set(heat * typical_increase());
    double energy = cost_->energy();
    for (std::uint64_t i = 0; i < moves && !is_over(); ++i) {
      cost_->propose(moves_.draw(random_));
      ++found_.moves;
      if (temperature_.accepts(cost_->energy() - energy, random_)) {
        cost_->keep();
        moves_.keep();
        if (cost_->energy() < energy) {
          offer("annealing: swaps, blocks and reversals");
        }
        energy = cost_->energy();
      } else {
        cost_->revert();
      }
      cool(i, moves);
    }
  }

  /// The mean increase of the moves that make the map worse.
  double typical_increase() {
    constexpr int samples = 256;
    const double energy = cost_->energy();
    double sum = 0;
    int count = 0;
    for (int i = 0; i < samples; ++i) {
      cost_->propose(moves_.draw(random_));
      if (cost_->energy() > energy) {
        sum += cost_->energy() - energy;
        ++count;
      }
      cost_->revert();
    }
    return count == 0 ? 0 : sum / count;
  }

  void offer(std::string_view origin) {
    if (best_.offer(*cost_)) {
      found_.origin = origin;
    }
  }

  void cool(std::uint64_t done, std::uint64_t moves) {
    const std::uint64_t level_length = std::max<std::uint64_t>(1, moves / levels);
    if ((done + 1) % level_length == 0) {
      temperature_.cool(cooling);
    }
  }

  /// Whether the bound is reached, or the caller wants to stop.
  bool is_over() {
    if (found_.is_cut_short || best_.cost() <= floor_) {
      return true;
    }
    if (found_.moves % poll_interval_ == 0) {
      if (control_.on_progress) {
        control_.on_progress({found_.moves, settings_.effort, best_.cost()});
      }
      found_.is_cut_short = control_.should_stop && control_.should_stop();
    }
    return found_.is_cut_short;
  }

  const SearchProblem& problem_;
  const AnnealingSettings& settings_;
  const SearchControl& control_;
  std::uint64_t poll_interval_;
  Distances distances_;
  Partners partners_;
  std::unique_ptr<MapCost> cost_;
  Moves moves_;
  SplitMix64 random_;
  std::uint64_t floor_;
  Temperature temperature_;
  BestMap best_;
  FoundMap found_;
};

}  // namespace

FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control) {
  check_problem(problem);
  if (problem.objective == Objective::makespan) {
    return anneal_simulated(problem, settings, control);
  }
  return Annealing{problem, settings, control}.run();
}

}  // namespace dcube
