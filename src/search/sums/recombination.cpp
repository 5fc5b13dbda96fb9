#include <algorithm>

#include "core/mapped.hpp"
#include "maps.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

class Recombination {
 public:
  Recombination(const PlacementProblem& problem, std::span<const std::uint32_t> first,
                std::span<const std::uint32_t> second, SplitMix64& random)
      : problem_{problem},
        first_{first},
        second_{aligned_places(problem, first, second)},
        random_{random},
        order_(problem.movable),
        child_{first.begin(), first.end()},
        is_taken_(problem.node.size()) {
    for (const std::uint32_t process : order_) {
      child_[process] = nobody;
    }
    shuffle(order_, random);
  }

  std::vector<std::uint32_t> run() {
    if (draw_below(random_, 2) == 0) {
      take_common();
      for (const std::uint32_t process : order_) {
        const bool is_first = draw_below(random_, 2) == 0;
        take(process, is_first ? first_[process] : second_[process]);
        take(process, is_first ? second_[process] : first_[process]);
      }
    } else {
      take_region();
      for (const std::uint32_t process : order_) {
        take(process, second_[process]);
      }
    }
    place_the_rest();
    return std::move(child_);
  }

 private:
  void take(std::uint32_t process, std::uint32_t place) {
    if (child_[process] == nobody && !is_taken_[place]) {
      child_[process] = place;
      is_taken_[place] = true;
    }
  }

  void take_common() {
    for (const std::uint32_t process : order_) {
      if (first_[process] == second_[process]) {
        take(process, first_[process]);
      }
    }
  }

  /// A quarter to three quarters of the places, those nearest to a drawn one, from the first map.
  void take_region() {
    const std::uint32_t places = problem_.place_count();
    const std::uint32_t middle = draw_below(random_, places);
    const std::uint32_t count = places / 4 + draw_below(random_, places / 2 + 1);
    std::vector<std::uint32_t> nearest = numbered(places);
    std::ranges::stable_sort(nearest, {},
                             [&](std::uint32_t place) { return problem_.distance(middle, place); });
    std::vector<bool> is_inside(places);
    for (std::uint32_t i = 0; i < count; ++i) {
      is_inside[nearest[i]] = true;
    }
    for (const std::uint32_t process : order_) {
      if (is_inside[first_[process]]) {
        take(process, first_[process]);
      }
    }
  }

  void place_the_rest() {
    std::vector<std::uint32_t> free = kept(numbered(problem_.place_count()),
                                           [&](std::uint32_t place) { return !is_taken_[place]; });
    for (const std::uint32_t process : order_) {
      if (child_[process] == nobody) {
        const auto nearest = std::ranges::min_element(free, {}, [&](std::uint32_t place) {
          return problem_.distance(second_[process], place);
        });
        child_[process] = *nearest;
        *nearest = free.back();
        free.pop_back();
      }
    }
  }

  const PlacementProblem& problem_;
  std::span<const std::uint32_t> first_;
  std::vector<std::uint32_t> second_;
  SplitMix64& random_;
  std::vector<std::uint32_t> order_;  ///< of processes, drawn
  std::vector<std::uint32_t> child_;
  std::vector<bool> is_taken_;  ///< places
};

}  // namespace

std::vector<std::uint32_t> recombined(const PlacementProblem& problem,
                                      std::span<const std::uint32_t> first,
                                      std::span<const std::uint32_t> second, SplitMix64& random) {
  return Recombination{problem, first, second, random}.run();
}

}  // namespace dcube
