#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/random.hpp"
#include "placement.hpp"
#include "search/temperature.hpp"

namespace dcube {

/// How a walk of simulated annealing cools.
struct Cooling {
  double hot = 0;         ///< temperature at first, as a share of a typical increase
  bool is_local = false;  ///< processes move near where they are, and increases are those of the
                          ///< first map; otherwise they move anywhere, and maps are random
  double factor = 1;
  std::uint32_t levels = 1;
};

/// From a temperature at which structure dissolves to one at which hardly anything moves.
inline constexpr Cooling cool_slowly{
    .hot = 0.3, .is_local = false, .factor = 0.98855, .levels = 200};
/// Keeps what is good in a map and mends the rest.
inline constexpr Cooling cool_gently{.hot = 0.08, .is_local = true, .factor = 0.98, .levels = 50};
/// Gives up some of it for more.
inline constexpr Cooling cool_warmly{.hot = 0.25, .is_local = true, .factor = 0.96, .levels = 100};

/// Simulated annealing of sums of weight times distance, by exchanges alone: a process takes the
/// place of another, or a free one. Most of these places are beside a partner; the rest are drawn.
/// On a large machine processes are taken as their places follow one another: what a move looks at
/// is then still in the cache. It helps if the numbers of processes follow their places, too.
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

  /// What a move looks at is in the cache wherever it is.
  static constexpr std::uint32_t most_places_drawn = 4096;

  Move draw(SplitMix64& random);
  std::uint32_t draw_process(std::uint64_t word);
  /// A place a few steps away.
  std::uint32_t wandered(std::uint32_t place, SplitMix64& random) const;
  /// The mean of what moves that make the present map worse add to the cost.
  double typical_increase(SplitMix64& random);
  /// What the move adds to the cost.
  std::int64_t increase(const Move& move) const;
  void make(const Move& move);
  void assign(std::vector<std::uint32_t> places);

  const PlacementProblem& problem_;
  bool is_large_;
  bool is_local_ = false;
  Temperature temperature_;
  double increase_of_random_maps_ = 0;
  std::vector<std::uint32_t> place_;     ///< of each process
  std::vector<NodeId> node_;             ///< of each process
  std::vector<std::uint32_t> occupant_;  ///< of each place
  std::uint32_t next_place_ = 0;         ///< whose process moves next, on a large machine
};

template <class Stops>
std::vector<std::uint32_t> SwapAnnealing::run(std::vector<std::uint32_t> places,
                                              const Cooling& cooling, std::uint64_t moves,
                                              SplitMix64& random, Stops stops) {
  assign(std::move(places));
  is_local_ = cooling.is_local;
  std::vector<std::uint32_t> best = place_;
  std::int64_t cost = 0;  // above that of the first map
  std::int64_t least = 0;
  temperature_.set(cooling.hot *
                   (cooling.is_local ? typical_increase(random) : increase_of_random_maps_));
  std::uint64_t done = 0;
  for (std::uint32_t level = 0; level < cooling.levels; ++level) {
    const std::uint64_t end = moves * (level + 1) / cooling.levels;
    for (; done < end; ++done) {
      const Move move = draw(random);
      const std::int64_t more = increase(move);
      if (temperature_.accepts(static_cast<double>(more), random)) {
        make(move);
        cost += more;
      }
      if (done % between_polls == between_polls - 1 && stops()) {
        level = cooling.levels;
        break;
      }
    }
    if (cost < least) {
      least = cost;
      best = place_;
    }
    temperature_.cool(cooling.factor);
  }
  return best;
}

}  // namespace dcube
