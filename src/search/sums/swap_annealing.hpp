#pragma once

#include <cstdint>
#include <vector>

#include "dcube/core/random.hpp"
#include "placement.hpp"
#include "search/temperature.hpp"

namespace dcube {

/// How a walk of simulated annealing cools.
struct Cooling {
  double hot = 0;  ///< temperature at first, as a share of a typical increase
  double factor = 1;
  std::uint32_t levels = 1;
};

/// From a temperature at which structure dissolves to one at which hardly anything moves.
inline constexpr Cooling cool_slowly{.hot = 0.3, .factor = 0.98855, .levels = 200};
/// Keeps what is good in a map and mends the rest.
inline constexpr Cooling cool_gently{.hot = 0.08, .factor = 0.98, .levels = 50};

/// Simulated annealing of sums of weight times distance, by exchanges alone: a process takes the
/// place of another, or a free one. Half of the places are beside a partner.
class SwapAnnealing {
 public:
  /// Moves between two questions whether to stop.
  static constexpr std::uint64_t between_polls = 4096;

  /// `problem` must outlive it.
  explicit SwapAnnealing(const PlacementProblem& problem);

  /// The mean increase that exchanges of a map drawn at random make.
  double typical_increase() const { return typical_increase_; }

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

  Move draw(SplitMix64& random) const;
  /// What the move adds to the cost.
  std::int64_t increase(const Move& move) const;
  void make(const Move& move);
  void assign(std::vector<std::uint32_t> places);

  const PlacementProblem& problem_;
  Temperature temperature_;
  double typical_increase_ = 0;
  std::vector<std::uint32_t> place_;     ///< of each process
  std::vector<std::uint32_t> occupant_;  ///< of each place
};

template <class Stops>
std::vector<std::uint32_t> SwapAnnealing::run(std::vector<std::uint32_t> places,
                                              const Cooling& cooling, std::uint64_t moves,
                                              SplitMix64& random, Stops stops) {
  assign(std::move(places));
  std::vector<std::uint32_t> best = place_;
  std::int64_t cost = 0;  // above that of the first map
  std::int64_t least = 0;
  temperature_.set(cooling.hot * typical_increase_);
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
