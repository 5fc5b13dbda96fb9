#include "simulated_annealing.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "affine_map.hpp"
#include "dcube/core/random.hpp"
#include "moves.hpp"
#include "partners.hpp"
#include "temperature.hpp"

// A simulation takes milliseconds to minutes, so there are few of them, and they run side by side.
// Candidates are drawn around the present map and simulated, and the best of them is accepted or
// not. The number of candidates is fixed, so the result does not depend on how many run at once.

namespace dcube {
namespace {

constexpr std::size_t batch_size = 8;
constexpr double start_heat = 0.02;  ///< of the makespan
constexpr double cooling = 0.9;

class SimulatedAnnealing {
 public:
  SimulatedAnnealing(const SearchProblem& problem, const AnnealingSettings& settings,
                     const SearchControl& control)
      : problem_{problem},
        settings_{settings},
        control_{control},
        partners_{problem.traffic, problem.objective},
        moves_{problem, partners_},
        random_{hash_of(settings.seed, 0x73696d756cU)},
        floor_{cost_bounds(problem).front().cost} {}

  FoundMap run() {
    found_ = best_start(problem_);
    if (found_.map.empty()) {
      return std::move(found_);
    }
    report();
    try_more_starts();
    walk_affine(settings_.effort / 2);
    walk_nodes(settings_.effort - std::min(settings_.effort, found_.moves));
    return std::move(found_);
  }

 private:
  void try_more_starts() {
    if (!settings_.more_starts || is_over()) {
      return;
    }
    FoundMap more = best_of(problem_, settings_.more_starts());
    std::ranges::copy(more.starts, std::back_inserter(found_.starts));
    if (!more.map.empty() && more.cost < found_.cost) {
      found_.map = std::move(more.map);
      found_.cost = more.cost;
      found_.origin = std::move(more.origin);
    }
  }

  void walk_affine(std::uint64_t moves) {
    std::optional<AffineMap> at = AffineMap::of(found_.map, problem_.topology.node_count());
    if (!at) {
      return;
    }
    walk(
        moves, "annealing: affine maps over GF(2)",
        [&] {
          AffineMap next = *at;
          next.change(random_);
          return next;
        },
        [](const AffineMap& next) { return next.map(); },
        [&](const AffineMap& next) { at = next; });
  }

  void walk_nodes(std::uint64_t moves) {
    if (problem_.topology.node_count() < 2) {
      return;
    }
    std::vector<NodeId> at = found_.map;
    walk(
        moves, "annealing: swaps, blocks and reversals",
        [&] {
          moves_.assign(at);
          std::vector<NodeId> next = at;
          for (const Relocation& change : moves_.draw(random_)) {
            next[change.process.index()] = change.node;
          }
          return next;
        },
        [](const std::vector<NodeId>& next) { return next; },
        [&](const std::vector<NodeId>& next) { at = next; });
  }

  /// `draw()` makes a candidate, `map_of()` its map; `accept()` makes it the present one.
  template <class Draw, class MapOf, class Accept>
  void walk(std::uint64_t moves, const char* origin, Draw draw, MapOf map_of, Accept accept) {
    std::uint64_t present = found_.cost;
    temperature_.set(start_heat * static_cast<double>(present));
    const std::uint64_t end = found_.moves + moves;
    while (found_.moves < end && !is_over()) {
      std::vector<decltype(draw())> candidates;
      std::vector<std::vector<NodeId>> maps;
      const std::uint64_t count = std::min<std::uint64_t>(batch_size, end - found_.moves);
      for (std::uint64_t i = 0; i < count; ++i) {
        candidates.push_back(draw());
        maps.push_back(map_of(candidates.back()));
      }
      const auto costs = problem_.simulate(maps);
      if (costs.empty()) {
        found_.is_cut_short = true;
        return;
      }
      found_.moves += count;
      const std::optional<std::size_t> best = least(costs);
      if (best && temperature_.accepts(
                      static_cast<double>(*costs[*best]) - static_cast<double>(present), random_)) {
        present = *costs[*best];
        accept(candidates[*best]);
        if (present < found_.cost) {
          found_.cost = present;
          found_.map = maps[*best];
          found_.origin = origin;
        }
      }
      temperature_.cool(cooling);
      report();
    }
  }

  static std::optional<std::size_t> least(const std::vector<std::optional<std::uint64_t>>& costs) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i] && (!best || *costs[i] < *costs[*best])) {
        best = i;
      }
    }
    return best;
  }

  void report() const {
    if (control_.on_progress) {
      control_.on_progress({found_.moves, settings_.effort, found_.cost});
    }
  }

  bool is_over() {
    found_.is_cut_short = found_.is_cut_short || (control_.should_stop && control_.should_stop());
    return found_.is_cut_short || found_.cost <= floor_;
  }

  const SearchProblem& problem_;
  const AnnealingSettings& settings_;
  const SearchControl& control_;
  Partners partners_;
  Moves moves_;
  SplitMix64 random_;
  std::uint64_t floor_;
  Temperature temperature_;
  FoundMap found_;
};

}  // namespace

FoundMap anneal_simulated(const SearchProblem& problem, const AnnealingSettings& settings,
                          const SearchControl& control) {
  return SimulatedAnnealing{problem, settings, control}.run();
}

}  // namespace dcube
