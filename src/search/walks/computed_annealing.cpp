#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "affine_map.hpp"
#include "annealer.hpp"
#include "core/mapped.hpp"
#include "dcube/core/int128.hpp"
#include "search/objectives/distances.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/objectives/map_cost.hpp"
#include "search/starts/starts.hpp"
#include "search/sums/population.hpp"

// Plain swaps from the standard embedding end in poor valleys: half of the map must change to make
// it xor. So the search first walks over the affine maps over GF(2), where that change is one step.
// A sum of weight times distance then goes to a population (sums/). For other objectives the search
// anneals node by node: once from cool, which keeps the structure and improves details; once from
// hot, which gives the structure up, for traffic that has none; and at last from cool again,
// beginning at the best map so far.

namespace dcube {
namespace {

constexpr std::uint32_t levels = 96;  ///< temperatures in a round

/// Number of moves between two looks at the clock. A move of a large map may take as long as a
/// thousand moves of a small one.
std::uint64_t poll_interval_of(const SearchProblem& problem) {
  constexpr std::uint64_t most = 1024;
  constexpr std::uint64_t flows_between = 1'000'000;
  return std::clamp<std::uint64_t>(flows_between / (problem.traffic.flows().size() + 1), 1, most);
}

class ComputedAnnealing : Annealer {
 public:
  ComputedAnnealing(const SearchProblem& problem, const AnnealingSettings& settings,
                    const SearchControl& control)
      : Annealer{problem, settings, control, 0x616e6e65616cU, poll_interval_of(problem)},
        distances_{problem.topology},
        cost_{make_map_cost(problem, distances_)} {}

  FoundMap run() {
    std::optional<AffineMap> affine = start();
    // An affine move costs as much as a whole map, so there are few of them.
    constexpr std::uint64_t most_affine = 20'000;
    constexpr std::uint64_t most_affine_flows = 50'000'000;
    const std::uint64_t affine_moves =
        std::min({settings_.effort / 10, most_affine,
                  most_affine_flows / std::max<std::uint64_t>(1, problem_.traffic.flows().size())});
    const bool is_endless = settings_.effort >= endless_effort;
    const std::uint64_t rest = settings_.effort - affine_moves;
    if (affine) {
      walk_affine(*affine, affine_moves);
    }
    if (traits_of(problem_.objective).is_sum) {
      // Blocks and reversals find what exchanges alone do not: on lines, and for trees.
      // A process of many partners is in no such structure, and takes longer to move.
      constexpr std::uint64_t most_moves = 400'000;
      constexpr std::uint64_t few_partners = 16;
      constexpr std::uint64_t most_places = 1024;
      if (problem_.usable_slots() <= most_places) {
        anneal_rounds(std::min(most_moves * few_partners / (few_partners + mean_partners(problem_)),
                               rest / 4),
                      0);
      }
      improve_sum(is_endless ? endless_effort : settings_.effort - found_.moves);
      return std::move(found_);
    }
    anneal_rounds(is_endless ? usual_effort(problem_) : rest, affine ? 0 : affine_moves);
    // Without an end each repetition takes twice as long as the one before.
    for (std::uint64_t moves = 2 * usual_effort(problem_); is_endless && !is_over(); moves *= 2) {
      anneal_rounds(moves, 0);
    }
    return std::move(found_);
  }

 private:
  void anneal_rounds(std::uint64_t moves, std::uint64_t more_at_first) {
    constexpr double mild = 0.04;  // of a typical increase
    anneal_round(mild, moves / 10 + more_at_first);
    constexpr double hot = 0.4;
    anneal_round(hot, moves - 2 * (moves / 10));
    anneal_round(mild / 2, moves / 10);
  }

  void improve_sum(std::uint64_t moves) {
    if (is_over()) {
      return;
    }
    const PlacementProblem placement{problem_};
    const PopulationSettings settings{.seed = settings_.seed,
                                      .effort = moves,
                                      .agreement = settings_.agreement,
                                      .jobs = settings_.jobs,
                                      .floor = floor_};
    SearchControl control{.should_stop = control_.should_stop};
    if (control_.on_progress) {
      control.on_progress = [&](const SearchProgress& progress) {
        control_.on_progress({found_.moves + progress.done, settings_.effort, progress.best});
      };
    }
    std::vector<Individual> starts{individual_of(placement, found_.map)};
    starts.front().origin = found_.origin;
    if (placement.has_many_a_node()) {
      for (const Start& one : more_starts_) {
        starts.push_back(individual_of(placement, one.map));
      }
    }
    PopulationResult result = improve(placement, std::move(starts), settings, control);
    found_.moves += result.moves;
    found_.is_cut_short = result.is_cut_short;
    found_.has_agreed = result.has_agreed;
    if (result.best.cost < found_.cost) {
      found_.map = placement.map_of(result.best.places);
      found_.cost = cost_of(problem_, found_.map);  // by the machine's own distances
      found_.origin = result.best.origin;
    }
  }

  /// Measures the starts. The walk begins at the best affine one.
  std::optional<AffineMap> start() {
    std::optional<AffineMap> affine;
    double affine_energy = 0;
    const std::vector<Start> starts = structured_starts(problem_);
    std::vector<MapValue> energies;
    for (const Start& one : starts) {
      if (!found_.map.empty() && control_.should_stop && control_.should_stop()) {
        found_.is_cut_short = true;
        break;
      }
      measure(one);
      energies.emplace_back(cost_->energy());
      const auto candidate = affine_map(one.map);
      if (candidate && (!affine || cost_->energy() < affine_energy)) {
        affine = candidate;
        affine_energy = cost_->energy();
      }
    }
    turn(starts, energies);
    if (found_.cost != floor_ && settings_.more_starts && !found_.is_cut_short) {
      more_starts_ = settings_.more_starts();
      std::ranges::for_each(more_starts_, [&](const Start& one) { measure(one); });
    }
    for (const Objective model : usable_models(problem_)) {
      offer_map_by(model);
    }
    turn(std::vector<Start>{{found_.origin, found_.map}}, std::vector<MapValue>{energy_});
    return affine;
  }

  /// The best map by a model is found much faster.
  void offer_map_by(Objective model) {
    if (is_over()) {
      return;
    }
    const SearchProblem modelled = problem_.with_objective(model);
    const SearchControl quiet{.should_stop = control_.should_stop};
    const FoundMap found = anneal(modelled,
                                  {.seed = settings_.seed,
                                   .effort = share_of_effort(usual_effort(modelled) / 4),
                                   .agreement = settings_.agreement,
                                   .jobs = settings_.jobs,
                                   .bound = 0,
                                   .more_starts = [&] { return more_starts_; }},
                                  quiet);
    cost_->assign(found.map);
    offer(fmt::format("least {}", to_string(model)));
  }

  /// By energies, as one turn may leave one of several links that are as busy.
  void turn(std::span<const Start> starts, std::span<const MapValue> own) {
    if (is_over() || !problem_.has(&ObjectiveTraits::needs_routes)) {
      return;
    }
    const MapValues energies = [&](std::span<const std::vector<NodeId>> maps) {
      return mapped(maps, [&](const std::vector<NodeId>& map) {
        cost_->assign(map);
        return MapValue{cost_->energy()};
      });
    };
    for (const Start& one : turned_starts(problem_, starts, own, energies)) {
      measure(one);
    }
  }

  /// As much of the usual effort by a model as this search has of its own.
  std::uint64_t share_of_effort(std::uint64_t usual) const {
    const std::uint64_t own = usual_effort(problem_);
    return settings_.effort >= own
               ? usual
               : static_cast<std::uint64_t>(UInt128{usual} * settings_.effort / own);
  }

  void measure(const Start& start) {
    cost_->assign(start.map);
    found_.starts.push_back({start.embedding, cost_->cost()});
    offer(start.embedding);
  }

  void walk_affine(AffineMap at, std::uint64_t moves) {
    cost_->assign(map_of(at));
    double energy = cost_->energy();
    temperature_.set(0.05 * energy);
    for (std::uint64_t i = 0; i < moves && !is_over(); ++i) {
      AffineMap next = at;
      next.change(random_);
      cost_->assign(map_of(next));
      ++found_.moves;
      if (temperature_.accepts(cost_->energy() - energy, random_)) {
        at = next;
        energy = cost_->energy();
        offer(affine_walk);
      }
      cool(i, moves);
    }
  }

  /// Starts from the best map at `heat` times the typical increase of a move.
  void anneal_round(double heat, std::uint64_t moves) {
    if (!problem_.has_choice()) {
      return;
    }
    cost_->assign(found_.map);
    moves_.assign(found_.map);
    temperature_.set(heat * typical_increase());
    double energy = cost_->energy();
    for (std::uint64_t i = 0; i < moves && !is_over(); ++i) {
      cost_->propose(moves_.draw(random_));
      ++found_.moves;
      if (temperature_.accepts(cost_->energy() - energy, random_)) {
        cost_->keep();
        moves_.keep();
        if (cost_->energy() < energy || cost_->cost() < found_.cost) {
          offer(node_walk);
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
    Annealer::offer(cost_->map(), cost_->cost(), cost_->energy(), origin);
  }

  void cool(std::uint64_t done, std::uint64_t moves) {
    constexpr double cooling = 0.95;  // from one level to the next
    const std::uint64_t level_length = std::max<std::uint64_t>(1, moves / levels);
    if ((done + 1) % level_length == 0) {
      temperature_.cool(cooling);
    }
  }

  Distances distances_;
  std::vector<Start> more_starts_;
  std::unique_ptr<MapCost> cost_;
};

}  // namespace

FoundMap anneal_computed(const SearchProblem& problem, const AnnealingSettings& settings,
                         const SearchControl& control) {
  return ComputedAnnealing{problem, settings, control}.run();
}

}  // namespace dcube
