#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/wide_vectors.hpp"
#include "dcube/core/random.hpp"
#include "place_costs.hpp"
#include "placement.hpp"
#include "search/walks/draws.hpp"
#include "search/walks/temperature.hpp"

namespace dcube {

/// Cooling schedule of a walk of simulated annealing.
struct Cooling {
  double hot = 0;         ///< temperature at first, as a share of a typical increase
  bool is_local = false;  ///< processes move near where they are, and increases are those of the
                          ///< first map; otherwise they move anywhere, and maps are random
  double factor = 1;
  std::uint32_t levels = 1;
};

/// From a temperature at which structure dissolves to one at which hardly anything moves.
inline constexpr Cooling cool_slowly{
    .hot = 0.15, .is_local = false, .factor = 0.99198, .levels = 200};
/// cool_slowly from twice as hot, for large machines.
inline constexpr Cooling cool_from_hot{
    .hot = 0.3, .is_local = false, .factor = 0.98855, .levels = 200};
/// Keeps what is good in a map and mends the rest.
inline constexpr Cooling cool_gently{.hot = 0.08, .is_local = true, .factor = 0.98, .levels = 50};
/// Gives up some of what is good in a map to gain more.
inline constexpr Cooling cool_warmly{.hot = 0.25, .is_local = true, .factor = 0.96, .levels = 100};

/// Simulated annealing of sums of weight times distance, by exchanges alone: a process takes the
/// place of another, or a free one. Most of these places are beside a partner; the rest are drawn.
/// Where a table of costs fits in a cache and few moves are made, a process is tried with all
/// places in one go, and takes the first that is accepted. A place's draw is then one of a list
/// that is shuffled once for each temperature. On a large machine processes are taken as their
/// places follow one another: what a move looks at is then still in the cache. It helps if the
/// numbers of processes follow their places, too.
class SwapAnnealing {
 public:
  /// Moves between two questions whether to stop.
  static constexpr std::uint64_t between_polls = 4096;

  /// `problem` must outlive it.
  explicit SwapAnnealing(const PlacementProblem& problem);

  /// Anneals from `places` and returns the best map seen at the end of a level. Asks `stops()`
  /// after every `between_polls` moves.
  template <class Stops>
  std::vector<std::uint32_t> run(std::vector<std::uint32_t> places, const Cooling& cooling,
                                 std::uint64_t moves, SplitMix64& random, Stops stops);

 private:
  struct Move {
    std::uint32_t process;
    std::uint32_t place;
  };

  /// Limit of places up to which the data of any move is in the cache.
  static constexpr std::uint32_t most_places_drawn = 4096;

  /// A row of so many places takes about as long as a move that is drawn.
  static constexpr std::uint64_t places_of_a_move = 16;

  Move draw(SplitMix64& random);
  std::uint32_t draw_process(std::uint64_t word);
  /// A place a few steps away.
  std::uint32_t wandered(std::uint32_t place, SplitMix64& random) const;
  /// Mean cost added by moves that make the present map worse.
  double typical_increase(SplitMix64& random);
  /// Cost added by the move, from the partners of its processes.
  std::int64_t increase(const Move& move) const;
  void make(const Move& move);
  void assign(std::vector<std::uint32_t> places);
  void make_costs();
  /// Makes moves until there were `end` in all. Returns false when `stops()` says so.
  template <class Stops>
  bool walk(std::uint64_t end, SplitMix64& random, Stops& stops);
  /// walk() with a table of costs: a process is tried with all places in one go.
  template <class Stops, class Number>
  bool walk(std::uint64_t end, PlaceCosts<Number>& costs, SplitMix64& random, Stops& stops);
  template <class Stops>
  bool walk(std::uint64_t, std::monostate, SplitMix64&, Stops&) {
    return true;
  }
  template <class Number>
  void fill(PlaceCosts<Number>& costs) const {
    costs.assign(place_);
  }
  void fill(std::monostate) const {}
  /// Whether a table of costs pays where so many of the moves are made.
  bool is_worth_costs(std::uint64_t made, std::uint64_t tried) const {
    constexpr std::uint64_t most_nodes = 24;  // of a table, changed for a move that is tried
    return costs_.index() > 0 && made * problem_.near.size() < most_nodes * tried;
  }

  const PlacementProblem& problem_;
  bool is_large_;
  bool is_local_ = false;
  Temperature temperature_;
  double increase_of_random_maps_ = 0;
  /// Places beside each node, and on it where it has several, and where those of a node begin.
  std::vector<std::uint32_t> near_places_;
  std::vector<std::uint32_t> first_near_;
  std::vector<std::uint32_t> place_;     ///< of each process
  std::vector<NodeId> node_;             ///< of each process
  std::vector<std::uint32_t> occupant_;  ///< of each place
  std::uint32_t next_place_ = 0;         ///< whose process moves next, on a large machine
  std::uint64_t tried_ = 0;              ///< moves of a walk
  std::uint64_t made_ = 0;               ///< moves of a level
  std::int64_t cost_ = 0;                ///< above that of the first map of a walk
  /// Table of costs, in the smallest numbers that hold them; nothing where it would not fit in a
  /// cache.
  std::variant<std::monostate, PlaceCosts<std::int16_t>, PlaceCosts<std::int32_t>,
               PlaceCosts<std::int64_t>>
      costs_;
};

template <class Stops>
bool SwapAnnealing::walk(std::uint64_t end, SplitMix64& random, Stops& stops) {
  const double limit = temperature_.limit();
  while (tried_ < end) {
    const Move move = draw(random);
    const std::int64_t more = increase(move);
    if (static_cast<double>(more) < limit &&
        temperature_.accepts(static_cast<double>(more), random)) {
      made_ += node_[move.process] != problem_.node[move.place] ? 1 : 0;
      make(move);
      cost_ += more;
    }
    if (tried_++ % between_polls == between_polls - 1 && stops()) {
      return false;
    }
  }
  return true;
}

template <class Stops, class Number>
bool SwapAnnealing::walk(std::uint64_t end, PlaceCosts<Number>& costs, SplitMix64& random,
                         Stops& stops) {
  const std::uint64_t places = problem_.place_count();
  const std::uint64_t moves_of_a_row = 1 + places / places_of_a_move;
  const std::size_t width = padded_places(places);
  const auto thresholds = temperature_.thresholds<Number>(width, static_cast<double>(costs.unit()));
  while (tried_ < end) {
    const std::uint32_t process = problem_.movable[draw_below(random, problem_.movable.size())];
    const std::uint32_t first = draw_below(random, places);
    const Number* const drawn = &thresholds[draw_below(random, thresholds.size() - width)];
    const std::uint32_t place =
        with_wide_vectors([&] { return costs.place_below(process, first, drawn); });
    if (place != nobody) {
      cost_ += static_cast<std::int64_t>(costs.unit()) * costs.increase();
      with_wide_vectors([&] { costs.move(process, place); });
      make({process, place});
    }
    const std::uint64_t before = tried_;
    tried_ += moves_of_a_row;
    if (before / between_polls != tried_ / between_polls && stops()) {
      return false;
    }
  }
  return true;
}

template <class Stops>
std::vector<std::uint32_t> SwapAnnealing::run(std::vector<std::uint32_t> places,
                                              const Cooling& cooling, std::uint64_t moves,
                                              SplitMix64& random, Stops stops) {
  assign(std::move(places));
  is_local_ = cooling.is_local;
  std::vector<std::uint32_t> best = place_;
  std::int64_t least = 0;
  temperature_.set(cooling.hot *
                   (cooling.is_local ? typical_increase(random) : increase_of_random_maps_));
  bool has_costs = false;
  bool goes_on = true;
  for (std::uint32_t level = 0; level < cooling.levels && goes_on; ++level) {
    const std::uint64_t begin = tried_;
    made_ = 0;
    const std::uint64_t end = moves * (level + 1) / cooling.levels;
    goes_on = has_costs
                  ? std::visit([&](auto& costs) { return walk(end, costs, random, stops); }, costs_)
                  : walk(end, random, stops);
    if (!has_costs && is_worth_costs(made_, tried_ - begin)) {
      has_costs = true;
      std::visit([&](auto& costs) { fill(costs); }, costs_);
    }
    if (cost_ < least) {
      least = cost_;
      best = place_;
    }
    temperature_.cool(cooling.factor);
  }
  return best;
}

}  // namespace dcube
