#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "affine_map.hpp"
#include "annealer.hpp"
#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "search/objectives/hop_lengths.hpp"
#include "search/starts/starts.hpp"
#include "time_model.hpp"

// A simulation takes a tenth of a millisecond to minutes, and next to a good map one change in some
// hundred makes the program faster. So a candidate is the best of many changes by a model, which
// learns from the simulations (see TimeModel). Candidates around the present map are simulated side
// by side; the first of them that is accepted becomes the present map, and the next ones are drawn
// around it. The number of candidates is fixed, so the result does not depend on how many run at
// once. A walk simulates no map twice.
//
// Where a program repeats something, candidates first run a brief one, and the best of them are
// compared by the whole one.

namespace dcube {
namespace {

/// The maps that searches by the models find.
std::vector<Start> computed_starts(const SearchProblem& problem, const AnnealingSettings& settings,
                                   const SearchControl& control) {
  // About as much work as some hundred simulations of a small program. On grids the links of a
  // route are found without a search.
  const std::uint64_t partners = mean_partners(problem);
  const std::uint64_t far = problem.topology.dimension_count() + 4;
  const std::uint64_t link_moves = 1'000'000 / ((partners + 1) * far);
  std::vector<Start> starts;
  for (const Objective model : usable_models(problem)) {
    const std::uint64_t effort =
        traits_of(model).needs_routes
            ? std::min<std::uint64_t>(is_grid(problem.topology) ? 20'000 : 5'000, link_moves)
            : std::uint64_t{32'000'000} / (32 + partners);
    const SearchControl quiet{.should_stop = control.should_stop};
    const AnnealingSettings cheap{.seed = settings.seed, .effort = effort, .bound = 0};
    starts.push_back({fmt::format("least {}", to_string(model)),
                      anneal(problem.with_objective(model), cheap, quiet).map});
  }
  return starts;
}

/// A change of an affine map.
struct AffinePlace {
  static constexpr std::string_view origin = affine_walk;
  static constexpr int draws = 8;     // a change moves all processes
  static constexpr double hot = 0.2;  // of the usual increase
  static constexpr double cooling = 0.95;
  AffineMap affine;
  std::vector<NodeId> map;

  using Step = AffineMap;
};

/// A map that changes process by process.
struct NodePlace {
  static constexpr std::string_view origin = node_walk;
  static constexpr int draws = 64;
  static constexpr double hot = 0.25;  // more spoils good starts
  static constexpr double cooling = 0.98;
  std::vector<NodeId> map;

  using Step = std::vector<Relocation>;
};

class SimulatedAnnealing : Annealer {
 public:
  SimulatedAnnealing(const SearchProblem& problem, const AnnealingSettings& settings,
                     const SearchControl& control)
      : Annealer{problem, settings, control, 0x73696d756cU, 1}, model_{problem} {}

  FoundMap run() {
    const std::vector<Start> starts = structured_starts(problem_);
    found_ = best_of(problem_, starts);
    if (found_.map.empty()) {
      return std::move(found_);
    }
    if (!is_over() && !has_links_alike()) {
      add_starts(turned(starts));
    }
    if (settings_.more_starts && !is_over()) {
      add_starts(settings_.more_starts());
    }
    if (!is_over() && problem_.has_choice()) {
      add_starts(computed_starts(problem_, settings_, control_));
      add_estimated_starts();
    }
    const bool is_endless = settings_.effort >= endless_effort;
    auto effort = static_cast<double>(is_endless ? usual_effort(problem_) : settings_.effort);
    do {
      const double end = spent_ + effort;
      if (problem_.brief && !is_over()) {
        search_briefly(effort * share_of_brief);
      }
      walk_all(end - spent_, {problem_.simulate, 1, found_.cost, found_.map});
      effort *= 2;  // without an end, each repetition takes twice as long as the one before
    } while (is_endless && !is_over() && problem_.has_choice());
    return std::move(found_);
  }

 private:
  static constexpr std::size_t batch_size = 8;
  static constexpr double share_of_brief = 0.75;  ///< of the time

  /// The program that candidates run, and the best map so far by it.
  struct Level {
    const Simulate& simulate;
    double share;  ///< of the time of a simulation of the whole program
    std::uint64_t cost;
    std::vector<NodeId> map;

    bool is_whole() const { return share == 1; }
  };
  struct Leader {
    std::uint64_t cost;
    std::vector<NodeId> map;
    std::string_view origin;
    std::optional<std::uint64_t> whole{};  ///< cost by the whole program, once it is known
  };

  bool is_over() { return Annealer::is_over(static_cast<std::uint64_t>(spent_)); }

  void walk_all(double effort, Level level) {
    const double end = spent_ + effort;
    tried_.clear();
    if (walk_affine(effort / 4, level)) {
      walk_nodes((end - spent_) / 2, level);
      // What is affine still is better than all around it, so affine maps elsewhere may be, too.
      walk_affine(end - spent_, level);
    }
    walk_nodes(end - spent_, level);
  }

  /// False where the best map is not affine. Walks from one map end at very different ones, soon;
  /// so there are several, and one from their best.
  bool walk_affine(double effort, Level& level) {
    const auto affine = affine_map(level.map);
    if (!affine) {
      return false;
    }
    const double end = spent_ + effort;
    const AffinePlace start{*affine, level.map};
    const std::uint64_t cost = level.cost;
    for (int left = 5; left > 1; --left) {
      Level own{level.simulate, level.share, cost, start.map};
      walk(start, (end - spent_) / left, own);
      if (own.cost < level.cost) {
        level.cost = own.cost;
        level.map = std::move(own.map);
      }
    }
    walk(AffinePlace{*affine_map(level.map), level.map}, end - spent_, level);
    return true;
  }

  /// Returns to the best map and becomes hot again at times: the later half of one long walk seldom
  /// found anything.
  void walk_nodes(double effort, Level& level) {
    const double end = spent_ + effort;
    for (int left = 3; left > 0 && problem_.has_choice(); --left) {
      walk(NodePlace{level.map}, (end - spent_) / left, level);
    }
  }

  /// Walks with the brief program. Its best maps, and so their order, are then compared with the
  /// whole one.
  void search_briefly(double effort) {
    const BriefProgram& brief = *problem_.brief;
    const auto [first, is_cut_short] = brief.simulate(std::span{&found_.map, 1});
    found_.is_cut_short |= is_cut_short;
    if (!first.front()) {
      return;
    }
    leaders_.assign(1, {*first.front(), found_.map, node_walk, found_.cost});
    walk_all(effort, {brief.simulate, brief.share, *first.front(), found_.map});
    if (!is_over()) {
      check(leaders_);
      found_.is_reordered = !found_.is_cut_short && leaders_.front().whole != found_.cost;
    }
  }

  /// Simulates the whole program with those maps with which it has not been.
  void check(std::span<Leader> leaders) {
    std::vector<std::vector<NodeId>> maps;
    for (const Leader& leader : leaders) {
      if (!leader.whole) {
        maps.push_back(leader.map);
      }
    }
    if (maps.empty()) {
      return;
    }
    const auto [costs, is_cut_short] = problem_.simulate(maps);
    auto cost = costs.begin();
    for (Leader& leader : leaders) {
      if (!leader.whole) {
        leader.whole = (cost++)->value_or(std::numeric_limits<std::uint64_t>::max());
        offer(leader.map, *leader.whole, leader.origin);
      }
    }
    found_.is_cut_short |= is_cut_short;
    spent_ += static_cast<double>(maps.size());
    found_.moves += maps.size();
    found_.checked += maps.size();
  }

  /// So that little is lost where time ends the walk.
  void check_first_at_times() {
    constexpr double interval = 8;
    if (spent_ >= checked_at_ + interval) {
      check(std::span{leaders_}.first(1));
      checked_at_ = spent_;
    }
  }

  /// Keeps the best maps of the brief program, in order.
  void lead(std::uint64_t cost, const std::vector<NodeId>& map, std::string_view origin) {
    constexpr std::size_t most = 8;
    const auto place = std::ranges::upper_bound(leaders_, cost, {}, &Leader::cost);
    leaders_.insert(place, {cost, map, origin, {}});
    leaders_.resize(std::min(leaders_.size(), most));
  }

  void note(Level& level, const std::vector<NodeId>& map, std::uint64_t cost,
            std::string_view origin) {
    if (level.is_whole()) {
      offer(map, cost, origin);
    } else {
      lead(cost, map, origin);
    }
    if (cost < level.cost) {
      level.cost = cost;
      level.map = map;
    }
  }

  void add_starts(const std::vector<Start>& starts) {
    const FoundMap more = best_of(problem_, starts);
    found_.is_cut_short |= more.is_cut_short;
    std::ranges::copy(more.starts, std::back_inserter(found_.starts));
    if (!more.map.empty()) {
      offer(more.map, more.cost, more.origin);
    }
  }

  /// What counts differs from program to program, so several weights are tried, each from the best
  /// map so far.
  void add_estimated_starts() {
    constexpr std::uint32_t most = 128;
    const std::uint64_t simulations = std::min(settings_.effort, usual_effort(problem_));
    const std::uint64_t steps = simulations * std::min(problem_.traffic.process_count(), most) / 2;
    constexpr TimeModel::Weights few_loaded{0.1, 0, 0.9, 0};
    constexpr TimeModel::Weights short_steps{0.1, 0, 0, 0, 0.3, 0, 0.6, 0};
    constexpr TimeModel::Weights mixed{0.1, 0, 0.3, 0, 0.2, 0, 0, 0.4};
    const bool has_steps = !problem_.supersteps.empty();
    for (const TimeModel::Weights& weights :
         {few_loaded, has_steps ? short_steps : TimeModel::Weights{0.2, 0.4, 0.4, 0},
          has_steps ? mixed : few_loaded, TimeModel::Weights{0.3, 0, 0.4, 0.3}}) {
      if (!is_over()) {
        add_starts({{"least estimate",
                     anneal_estimate(problem_, found_.map, weights, steps, random_, control_)}});
      }
    }
  }

  /// Turned with a quarter of the simulations at most.
  std::vector<Start> turned(std::span<const Start> starts) {
    const auto value = [](std::uint64_t cost) { return static_cast<double>(cost); };
    auto measured = found_.starts.begin();  // those whose simulation failed are left out
    const auto own = mapped(starts, [&](const Start& start) -> MapValue {
      const bool is_next =
          measured != found_.starts.end() && measured->embedding == start.embedding;
      return is_next ? MapValue{value((measured++)->cost)} : std::nullopt;
    });
    std::uint64_t left = std::min(settings_.effort, usual_effort(problem_)) / 4;
    const auto simulated = [&](std::span<const std::vector<NodeId>> maps) {
      if (maps.size() > left) {
        return std::vector<MapValue>{};
      }
      left -= maps.size();
      return mapped(costs_of(problem_, maps).results,
                    [&](const auto& cost) { return cost ? MapValue{value(*cost)} : std::nullopt; });
    };
    return turned_starts(problem_, starts, own, simulated);
  }

  bool has_links_alike() const {
    const std::vector<std::uint32_t> links =
        kept(numbered(problem_.link_times.size()),
             [&](std::uint32_t link) { return problem_.topology.link(LinkId{link}).has_value(); });
    return std::ranges::all_of(links, [&](std::uint32_t link) {
      return problem_.link_times[link] == problem_.link_times[links.front()];
    });
  }

  void offer(std::span<const NodeId> map, std::uint64_t cost, std::string_view origin) {
    Annealer::offer(map, cost, 0, origin);
  }

  // --- Steps ---

  AffineMap draw(const AffinePlace& at) {
    // A map has some dozens of neighbours, which are soon known; two changes in turn have
    // thousands.
    AffineMap next = at.affine;
    do {
      next.change(random_);
    } while (draw_below(random_, 3) == 0);
    return next;
  }
  std::vector<Relocation> draw(const NodePlace&) {
    const auto changes = moves_.draw(random_);
    return {changes.begin(), changes.end()};
  }

  std::vector<Relocation> changes_of(const AffinePlace& at, const AffineMap& next) const {
    const std::vector<NodeId> map = map_of(next);
    std::vector<Relocation> changes;
    for (std::uint32_t process = 0; process < map.size(); ++process) {
      if (map[process] != at.map[process]) {
        changes.push_back({ProcessId{process}, map[process]});
      }
    }
    return changes;
  }
  static const std::vector<Relocation>& changes_of(const NodePlace&,
                                                   const std::vector<Relocation>& changes) {
    return changes;
  }

  AffinePlace after(const AffinePlace&, const AffineMap& next) const {
    return {next, map_of(next)};
  }
  static NodePlace after(const NodePlace& at, const std::vector<Relocation>& changes) {
    NodePlace next = at;
    for (const Relocation& change : changes) {
      next.map[change.process.index()] = change.node;
    }
    return next;
  }

  // --- Candidates ---

  template <class Place>
  struct Candidate {
    Place place;
    TimeModel::Increases increases;
  };

  /// The best of several changes by the model; nothing where all their maps have been simulated.
  template <class Place>
  std::optional<Candidate<Place>> candidate(const Place& at) {
    std::optional<Candidate<Place>> best;
    double least = 0;
    for (int i = 0; i < Place::draws; ++i) {
      const typename Place::Step step = draw(at);
      const TimeModel::Increases increases = model_.increases(changes_of(at, step));
      const double estimate = model_.estimate(increases);
      if (best && estimate >= least) {
        continue;
      }
      Place next = after(at, step);
      if (!tried_.contains(number_of(next.map))) {
        best.emplace(Candidate<Place>{std::move(next), increases});
        least = estimate;
      }
    }
    if (best) {
      tried_.insert(number_of(best->place.map));
    }
    return best;
  }

  /// A hash: two maps have the same by chance alone, and then one is left out.
  static std::uint64_t number_of(std::span<const NodeId> map) {
    std::uint64_t number = 0;
    for (const NodeId node : map) {
      number = hash_of(number, node.index());
    }
    return number;
  }

  template <class Place>
  std::vector<Candidate<Place>> candidates(const Place& at, std::size_t most) {
    std::vector<Candidate<Place>> drawn;
    for (std::size_t i = 0; i < std::min(batch_size, most); ++i) {
      if (auto one = candidate(at)) {
        drawn.push_back(*std::move(one));
      }
    }
    return drawn;
  }

  void look_around(std::span<const NodeId> map) {
    moves_.assign(map);
    model_.assign(map);
  }

  /// Goes on until it has made so much effort, or finds no new maps. Temperatures follow the usual
  /// increase, which differs widely from program to program.
  template <class Place>
  void walk(Place at, double effort, Level& level) {
    constexpr double coolings = 90;
    constexpr int patience = 16;  // batches without a new map
    std::optional<std::uint64_t> present = level.cost;
    double heat = Place::hot * static_cast<double>(level.cost);
    const double begin = spent_;
    double cooled = 0;
    int idle = 0;
    look_around(at.map);
    while (spent_ < begin + effort && idle < patience && !is_over()) {
      const auto most =
          static_cast<std::size_t>(std::ceil((begin + effort - spent_) / level.share));
      std::vector<Candidate<Place>> drawn = candidates(at, most);
      idle = drawn.empty() ? idle + 1 : 0;
      if (drawn.empty()) {  // all around is known, so go elsewhere
        at = after(at, draw(at));
        look_around(at.map);
        present.reset();
        continue;
      }
      const std::vector<std::vector<NodeId>> maps =
          mapped(drawn, [](const Candidate<Place>& one) { return one.place.map; });
      const auto [costs, is_cut_short] = level.simulate(maps);
      found_.is_cut_short |= is_cut_short;
      temperature_.set(heat * usual_increase_);
      found_.moves += drawn.size();
      spent_ += static_cast<double>(drawn.size()) * level.share;
      Candidate<Place>* accepted = nullptr;
      const std::optional<std::uint64_t> before = present;
      for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!costs[i]) {
          continue;
        }
        note(level, maps[i], *costs[i], Place::origin);
        const double increase =
            before ? static_cast<double>(*costs[i]) - static_cast<double>(*before) : 0;
        if (before) {
          note_increase(increase / static_cast<double>(*before));
          model_.note(drawn[i].increases, increase / static_cast<double>(*before));
        }
        if (accepted == nullptr && temperature_.accepts(increase, random_)) {
          present = *costs[i];
          accepted = &drawn[i];
        }
      }
      model_.fit();
      if (!level.is_whole() && !found_.is_cut_short) {
        check_first_at_times();
      }
      if (accepted != nullptr) {
        at = std::move(accepted->place);
        look_around(at.map);
      }
      for (; cooled + 1 <= (spent_ - begin) * coolings / effort; ++cooled) {
        heat *= Place::cooling;
      }
    }
  }

  /// Means of what changes cost, the latest most.
  void note_increase(double increase) {
    constexpr double most = 0.1;
    constexpr double memory = 0.97;
    if (increase > 0) {
      usual_increase_ = memory * usual_increase_ + (1 - memory) * std::min(increase, most);
    }
  }

  double usual_increase_ = 0.02;  ///< relative, by a candidate that is worse
  double spent_ = 0;              ///< in simulations of the whole program
  double checked_at_ = 0;         ///< `spent_` when the first of leaders_ was last checked
  std::vector<Leader> leaders_;   ///< best maps of the brief program, first the best
  TimeModel model_;
  std::unordered_set<std::uint64_t> tried_;  ///< numbers of maps
};

}  // namespace

FoundMap anneal_simulated(const SearchProblem& problem, const AnnealingSettings& settings,
                          const SearchControl& control) {
  return SimulatedAnnealing{problem, settings, control}.run();
}

}  // namespace dcube
