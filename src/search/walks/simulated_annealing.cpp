#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "affine_map.hpp"
#include "annealer.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "draws.hpp"
#include "search/objectives/distances.hpp"
#include "search/objectives/map_cost.hpp"
#include "search/starts/starts.hpp"

// A simulation takes a tenth of a millisecond to minutes. Candidates are drawn around the present
// map and simulated side by side; the first of them that is accepted becomes the present map, and
// the next ones are drawn around it. The number of candidates is fixed, so the result does not
// depend on how many run at once.
//
// Half of the candidates are the best of several by the objective's models, which cost a
// microsecond. The other half are not chosen, because a model does not know who waits for whom.

namespace dcube {
namespace {

/// Whether the links of a route are found without a search.
bool has_fast_routes(const SearchProblem& problem) { return is_grid(problem.topology); }

/// The maps that searches by the models find.
std::vector<Start> computed_starts(const SearchProblem& problem, const AnnealingSettings& settings,
                                   const SearchControl& control) {
  // About as much work as some hundred simulations of a small program.
  const std::uint64_t partners = mean_partners(problem);
  const std::uint64_t far = problem.topology.dimension_count() + 4;
  const std::uint64_t link_moves = 1'000'000 / ((partners + 1) * far);
  std::vector<Start> starts;
  for (const Objective model : usable_models(problem)) {
    const std::uint64_t effort =
        traits_of(model).needs_routes
            ? std::min<std::uint64_t>(has_fast_routes(problem) ? 20'000 : 5'000, link_moves)
            : 1'000'000 * 32 / (32 + partners);
    const SearchControl quiet{.should_stop = control.should_stop};
    const AnnealingSettings cheap{.seed = settings.seed, .effort = effort, .bound = 0};
    starts.push_back({fmt::format("least {}", to_string(model)),
                      anneal(problem.with_objective(model), cheap, quiet).map});
  }
  return starts;
}

/// Tells roughly which of two maps lets a program end earlier.
class CheapModel {
 public:
  explicit CheapModel(const SearchProblem& problem) : distances_{problem.topology} {
    for (const Objective model : usable_models(problem)) {
      if (has_fast_routes(problem) || !traits_of(model).needs_routes) {
        problems_.push_back(problem.with_objective(model));
      }
    }
    for (const SearchProblem& one : problems_) {
      costs_.push_back(make_map_cost(one, distances_));
    }
  }

  void assign(std::span<const NodeId> map) {
    for (const auto& cost : costs_) {
      cost->assign(map);
    }
  }

  /// The sum of relative increases.
  double increase(std::span<const Relocation> changes) {
    double sum = 0;
    for (const auto& cost : costs_) {
      const double before = cost->energy();
      cost->propose(changes);
      sum += before == 0 ? 0 : cost->energy() / before - 1;
      cost->revert();
    }
    return sum;
  }

 private:
  Distances distances_;
  std::vector<SearchProblem> problems_;
  std::vector<std::unique_ptr<MapCost>> costs_;
};

class SimulatedAnnealing : Annealer {
 public:
  SimulatedAnnealing(const SearchProblem& problem, const AnnealingSettings& settings,
                     const SearchControl& control)
      : Annealer{problem, settings, control, 0x73696d756cU, 1}, model_{problem} {}

  FoundMap run() {
    found_ = best_start(problem_);
    if (found_.map.empty()) {
      return std::move(found_);
    }
    if (settings_.more_starts && !is_over()) {
      add_starts(settings_.more_starts());
    }
    if (!is_over() && problem_.has_choice()) {
      add_starts(computed_starts(problem_, settings_, control_));
    }
    const bool is_endless = settings_.effort >= endless_effort;
    std::uint64_t effort = is_endless ? usual_effort(problem_) : settings_.effort;
    do {
      const std::uint64_t end = found_.moves + effort;
      if (const auto affine = affine_map(found_.map)) {
        walk(AffinePlace{*affine, this}, effort / 4);
      }
      if (problem_.has_choice()) {
        walk(NodePlace{found_.map, *this}, end - found_.moves);
      }
      effort *= 2;  // without an end, each repetition takes twice as long as the one before
    } while (is_endless && !is_over() && problem_.has_choice());
    return std::move(found_);
  }

 private:
  static constexpr std::size_t batch_size = 8;

  /// An affine map, as a place of a walk.
  struct AffinePlace {
    static constexpr std::string_view origin = affine_walk;
    AffineMap affine;
    const SimulatedAnnealing* search;

    std::vector<NodeId> map() const { return search->map_of(affine); }
    void prepare() {}
    AffinePlace neighbour(SplitMix64& random, std::size_t /*candidate*/) const {
      AffinePlace next = *this;
      next.affine.change(random);
      return next;
    }
  };

  /// Place of a walk over any maps.
  struct NodePlace {
    static constexpr std::string_view origin = node_walk;
    std::vector<NodeId> nodes;
    SimulatedAnnealing& search;

    NodePlace(std::vector<NodeId> map, SimulatedAnnealing& all)
        : nodes{std::move(map)}, search{all} {}
    NodePlace(const NodePlace&) = default;
    NodePlace& operator=(NodePlace&& other) noexcept {
      nodes = std::move(other.nodes);
      return *this;
    }

    const std::vector<NodeId>& map() const { return nodes; }
    void prepare() {
      search.moves_.assign(nodes);
      search.model_.assign(nodes);
    }
    NodePlace neighbour(SplitMix64& random, std::size_t candidate) const {
      NodePlace next = *this;
      for (const Relocation& change : search.drawn_changes(random, candidate % 2 == 0)) {
        next.nodes[change.process.index()] = change.node;
      }
      return next;
    }
  };

  void add_starts(const std::vector<Start>& starts) {
    const FoundMap more = best_of(problem_, starts);
    std::ranges::copy(more.starts, std::back_inserter(found_.starts));
    if (!more.map.empty()) {
      offer(more.map, more.cost, more.origin);
    }
  }

  void offer(std::span<const NodeId> map, std::uint64_t cost, std::string_view origin) {
    Annealer::offer(map, cost, 0, origin);
  }

  /// The changes of a candidate: any, or the best of several by the model.
  std::vector<Relocation> drawn_changes(SplitMix64& random, bool is_screened) {
    constexpr int drawn = 8;
    std::vector<Relocation> best;
    double least = 0;
    for (int i = 0; i < (is_screened ? drawn : 1); ++i) {
      const auto changes = moves_.draw(random);
      const double increase = is_screened ? model_.increase(changes) : 0;
      if (best.empty() || increase < least) {
        best.assign(changes.begin(), changes.end());
        least = increase;
      }
    }
    return best;
  }

  template <class Place>
  void walk(Place at, std::uint64_t moves) {
    constexpr double hot = 0.01;  // of the makespan
    constexpr double cooling = 0.95;
    constexpr std::uint64_t levels = 90;  // from hot to a hundredth of it
    std::uint64_t present = found_.cost;
    temperature_.set(hot * static_cast<double>(present));
    const std::uint64_t begin = found_.moves;
    std::uint64_t level = 0;
    at.prepare();
    while (found_.moves < begin + moves && !is_over()) {
      std::vector<Place> candidates;
      std::vector<std::vector<NodeId>> maps;
      for (std::size_t i = 0; i < std::min<std::uint64_t>(batch_size, begin + moves - found_.moves);
           ++i) {
        candidates.push_back(at.neighbour(random_, i));
        maps.push_back(candidates.back().map());
      }
      const auto costs = problem_.simulate(maps);
      if (costs.empty()) {
        found_.is_cut_short = true;
        return;
      }
      found_.moves += candidates.size();
      bool has_moved = false;
      const std::uint64_t before = present;
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!costs[i]) {
          continue;
        }
        offer(maps[i], *costs[i], Place::origin);
        const double increase = static_cast<double>(*costs[i]) - static_cast<double>(before);
        if (!has_moved && temperature_.accepts(increase, random_)) {
          present = *costs[i];
          at = std::move(candidates[i]);
          at.prepare();
          has_moved = true;
        }
      }
      for (; level < (found_.moves - begin) * levels / moves; ++level) {
        temperature_.cool(cooling);
      }
    }
  }

  CheapModel model_;
};

}  // namespace

FoundMap anneal_simulated(const SearchProblem& problem, const AnnealingSettings& settings,
                          const SearchControl& control) {
  return SimulatedAnnealing{problem, settings, control}.run();
}

}  // namespace dcube
