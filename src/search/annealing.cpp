#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "affine_map.hpp"
#include "dcube/core/random.hpp"
#include "dcube/search/search.hpp"
#include "distances.hpp"
#include "map_cost.hpp"
#include "moves.hpp"
#include "partners.hpp"
#include "starts.hpp"
#include "temperature.hpp"

// Plain swaps from the standard embedding end in poor valleys: half of the map must change to make
// it xor. So the search first walks over the affine maps over GF(2), where that change is one step.
// Then it anneals node by node: once from cool, which keeps the structure and improves details;
// once from hot, which gives the structure up, for traffic that has none; and at last from cool
// again, beginning at the best map so far.
//
// A simulation takes milliseconds to minutes, so there are few of them, and they run side by side.
// Candidates are drawn around the present map and simulated, and the best of them is accepted or
// not. The number of candidates is fixed, so the result does not depend on how many run at once.

namespace dcube {
namespace {

constexpr std::string_view affine_walk = "annealing: affine maps over GF(2)";
constexpr std::string_view node_walk = "annealing: swaps, blocks and reversals";

/// What annealing has whether costs are computed or simulated: how maps change, the best map so far
/// (the one of least energy, and so of least cost), and when to stop.
class Annealer {
 protected:
  /// `stream` tells the random numbers of one way of annealing from those of another. The caller is
  /// asked whether to stop after every `poll_interval` moves.
  Annealer(const SearchProblem& problem, const AnnealingSettings& settings,
           const SearchControl& control, std::uint64_t stream, std::uint64_t poll_interval)
      : problem_{problem},
        settings_{settings},
        control_{control},
        poll_interval_{poll_interval},
        partners_{problem.traffic, problem.objective},
        moves_{problem, partners_},
        random_{hash_of(settings.seed, stream)},
        floor_{settings.bound ? *settings.bound : cost_bounds(problem).front().cost} {
    found_.cost = std::numeric_limits<std::uint64_t>::max();
  }

  void offer(std::span<const NodeId> map, std::uint64_t cost, double energy,
             std::string_view origin) {
    if (cost < found_.cost || (cost == found_.cost && energy < energy_)) {
      found_.map.assign(map.begin(), map.end());
      found_.cost = cost;
      found_.origin = origin;
      energy_ = energy;
    }
  }

  /// The map as an affine one. A walk over such maps needs every node.
  std::optional<AffineMap> affine_map(std::span<const NodeId> map) const {
    return problem_.has_unusable_nodes()
               ? std::nullopt
               : AffineMap::of(map, problem_.topology.node_count(), problem_.slots);
  }

  /// Whether the bound is reached, or the caller wants to stop.
  bool is_over() {
    if (found_.is_cut_short || found_.cost <= floor_) {
      return true;
    }
    if (found_.moves % poll_interval_ == 0) {
      found_.is_cut_short = control_.stops_at({found_.moves, settings_.effort, found_.cost});
    }
    return found_.is_cut_short;
  }

  const SearchProblem& problem_;
  const AnnealingSettings& settings_;
  const SearchControl& control_;
  std::uint64_t poll_interval_;
  Partners partners_;
  Moves moves_;
  SplitMix64 random_;
  std::uint64_t floor_;
  Temperature temperature_;
  FoundMap found_;

 private:
  double energy_ = 0;  ///< of the best map
};

// --- Computed costs ---

constexpr std::uint32_t levels = 96;  ///< of temperature in a round

/// How many moves are made between two looks at the clock. A move of a large map may take as long
/// as a thousand moves of a small one.
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
    const std::uint64_t rest = settings_.effort - affine_moves;
    if (affine) {
      walk_affine(*affine, affine_moves);
    }
    constexpr double mild = 0.04;  // of a typical increase
    anneal_round(mild, rest / 10 + (affine ? 0 : affine_moves));
    constexpr double hot = 0.4;
    anneal_round(hot, rest - 2 * (rest / 10));
    anneal_round(mild / 2, rest / 10);
    return std::move(found_);
  }

 private:
  /// Measures the starts. The walk begins at the best affine one.
  std::optional<AffineMap> start() {
    std::optional<AffineMap> affine;
    double affine_energy = 0;
    for (const Start& one : structured_starts(problem_)) {
      measure(one);
      const auto candidate = affine_map(one.map);
      if (candidate && (!affine || cost_->energy() < affine_energy)) {
        affine = candidate;
        affine_energy = cost_->energy();
      }
    }
    if (found_.cost > floor_ && settings_.more_starts) {
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
        offer(affine_walk);
      }
      cool(i, moves);
    }
  }

  /// Starts from the best map at `heat` times the typical increase of a move.
  void anneal_round(double heat, std::uint64_t moves) {
    if (problem_.topology.usable_count() < 2) {
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
        if (cost_->energy() < energy) {
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
  std::unique_ptr<MapCost> cost_;
};

// --- Simulated costs ---

/// Any map, as a place of a walk.
struct NodeMap {
  std::vector<NodeId> nodes;
  const std::vector<NodeId>& map() const { return nodes; }
};

class SimulatedAnnealing : Annealer {
 public:
  SimulatedAnnealing(const SearchProblem& problem, const AnnealingSettings& settings,
                     const SearchControl& control)
      : Annealer{problem, settings, control, 0x73696d756cU, 1} {}

  FoundMap run() {
    found_ = best_start(problem_);
    if (found_.map.empty()) {
      return std::move(found_);
    }
    if (settings_.more_starts && !is_over()) {
      const FoundMap more = best_of(problem_, settings_.more_starts());
      std::ranges::copy(more.starts, std::back_inserter(found_.starts));
      if (!more.map.empty()) {
        offer(more.map, more.cost, more.origin);
      }
    }
    if (const auto affine = affine_map(found_.map)) {
      walk(*affine, settings_.effort / 2, affine_walk,
           [&](AffineMap& next) { next.change(random_); });
    }
    if (problem_.topology.usable_count() > 1) {
      walk(NodeMap{found_.map}, settings_.effort - std::min(settings_.effort, found_.moves),
           node_walk, [&](NodeMap& next) {
             moves_.assign(next.nodes);
             for (const Relocation& change : moves_.draw(random_)) {
               next.nodes[change.process.index()] = change.node;
             }
           });
    }
    return std::move(found_);
  }

 private:
  void offer(std::span<const NodeId> map, std::uint64_t cost, std::string_view origin) {
    Annealer::offer(map, cost, 0, origin);
  }

  /// `change(place)` makes a neighbour of the place where the walk is.
  template <class Place, class Change>
  void walk(Place at, std::uint64_t moves, std::string_view origin, Change change) {
    constexpr std::size_t batch_size = 8;
    constexpr double start_heat = 0.02;  // of the makespan
    constexpr double cooling = 0.9;
    std::uint64_t present = found_.cost;
    temperature_.set(start_heat * static_cast<double>(present));
    const std::uint64_t end = found_.moves + moves;
    while (found_.moves < end && !is_over()) {
      std::vector<Place> candidates(std::min<std::uint64_t>(batch_size, end - found_.moves), at);
      std::vector<std::vector<NodeId>> maps;
      for (Place& candidate : candidates) {
        change(candidate);
        maps.push_back(candidate.map());
      }
      const auto costs = problem_.simulate(maps);
      if (costs.empty()) {
        found_.is_cut_short = true;
        return;
      }
      found_.moves += candidates.size();
      const auto least = std::ranges::min_element(costs, {}, [](const auto& cost) {
        return cost.value_or(std::numeric_limits<std::uint64_t>::max());
      });
      if (*least && temperature_.accepts(
                        static_cast<double>(**least) - static_cast<double>(present), random_)) {
        const auto best = static_cast<std::size_t>(least - costs.begin());
        present = **least;
        at = std::move(candidates[best]);
        offer(maps[best], present, origin);
      }
      temperature_.cool(cooling);
    }
  }
};

}  // namespace

FoundMap anneal(const SearchProblem& problem, const AnnealingSettings& settings,
                const SearchControl& control) {
  check_problem(problem);
  return problem.objective == Objective::makespan
             ? SimulatedAnnealing{problem, settings, control}.run()
             : ComputedAnnealing{problem, settings, control}.run();
}

}  // namespace dcube
