#include <algorithm>
#include <functional>
#include <numeric>

#include "core/mapped.hpp"
#include "dcube/topology/grid_kind.hpp"
#include "dcube/topology/hop_weights.hpp"
#include "maps.hpp"
#include "search/walks/draws.hpp"

namespace dcube {
namespace {

/// How coordinates of the moved map in one dimension become those of the fixed map in another.
struct Fit {
  std::size_t dimension = 0;
  bool is_reflected = false;
  std::uint32_t shift = 0;
  std::uint32_t hits = 0;  ///< processes that the two maps then agree about

  std::uint32_t operator()(std::uint32_t coordinate, std::uint32_t side) const {
    return ((is_reflected ? side - 1 - coordinate : coordinate) + shift) % side;
  }
};

class Alignment {
 public:
  Alignment(const PlacementProblem& problem, std::span<const std::uint32_t> fixed,
            std::span<const std::uint32_t> moved)
      : problem_{problem},
        fixed_{fixed},
        moved_{moved},
        sides_{problem.search.topology.shape()},
        strides_(sides_.size()) {
    std::exclusive_scan(sides_.begin(), sides_.end(), strides_.begin(), 1U, std::multiplies{});
  }

  std::vector<std::uint32_t> run() {
    const std::vector<Fit> fits = chosen_fits();
    return mapped(moved_, [&](std::uint32_t place) {
      const std::uint32_t slot = place % problem_.search.slots;
      std::uint32_t node = 0;
      for (std::size_t to = 0; to < sides_.size(); ++to) {
        node += strides_[to] * fits[to](coordinate(place, fits[to].dimension), sides_[to]);
      }
      return node * problem_.search.slots + slot;
    });
  }

 private:
  bool wraps(std::size_t dimension) const {
    return problem_.search.topology.structure().lines[dimension] == Structure::Line::cycle;
  }

  bool are_alike(std::size_t one, std::size_t other) const {
    const std::span<const std::uint32_t> weights = hop_weights_of(problem_.search.topology);
    return sides_[one] == sides_[other] && wraps(one) == wraps(other) &&
           (weights.empty() || weights[one] == weights[other]);
  }

  std::uint32_t coordinate(std::uint32_t place, std::size_t dimension) const {
    return problem_.node[place].index() / strides_[dimension] % sides_[dimension];
  }

  /// The best fit of each dimension of the fixed map, the best of all first.
  std::vector<Fit> chosen_fits() const {
    struct Pair {
      std::size_t to;
      Fit fit;
    };
    std::vector<Pair> pairs;
    for (std::size_t to = 0; to < sides_.size(); ++to) {
      for (std::size_t from = 0; from < sides_.size(); ++from) {
        if (are_alike(from, to)) {
          pairs.push_back({to, best_fit(to, from)});
        }
      }
    }
    std::ranges::stable_sort(pairs, std::greater{}, [](const Pair& pair) { return pair.fit.hits; });
    std::vector<Fit> fits(sides_.size());
    std::vector<bool> is_fitted(sides_.size());
    std::vector<bool> is_used(sides_.size());
    for (const Pair& pair : pairs) {
      if (!is_fitted[pair.to] && !is_used[pair.fit.dimension]) {
        fits[pair.to] = pair.fit;
        is_fitted[pair.to] = true;
        is_used[pair.fit.dimension] = true;
      }
    }
    return fits;
  }

  Fit best_fit(std::size_t to, std::size_t from) const {
    const std::uint32_t side = sides_[to];
    Fit best{.dimension = from};
    std::vector<std::uint32_t> hits(side);
    for (const bool is_reflected : {false, true}) {
      std::ranges::fill(hits, 0);
      for (std::size_t process = 0; process < fixed_.size(); ++process) {
        const Fit unshifted{.dimension = from, .is_reflected = is_reflected};
        const std::uint32_t there = unshifted(coordinate(moved_[process], from), side);
        ++hits[(coordinate(fixed_[process], to) + side - there) % side];
      }
      for (std::uint32_t shift = 0; shift < (wraps(to) ? side : 1); ++shift) {
        if (hits[shift] > best.hits) {
          best = {from, is_reflected, shift, hits[shift]};
        }
      }
    }
    return best;
  }

  const PlacementProblem& problem_;
  std::span<const std::uint32_t> fixed_;
  std::span<const std::uint32_t> moved_;
  std::span<const std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
};

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
      for (const std::uint32_t process : order_) {
        if (first_[process] == second_[process]) {
          take(process, first_[process]);
        }
      }
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

std::vector<std::uint32_t> aligned_places(const PlacementProblem& problem,
                                          std::span<const std::uint32_t> fixed,
                                          std::span<const std::uint32_t> moved) {
  const Topology& topology = problem.search.topology;
  if (!is_grid(topology) || problem.place_count() != problem.search.slot_count()) {
    return {moved.begin(), moved.end()};
  }
  return Alignment{problem, fixed, moved}.run();
}

std::vector<std::uint32_t> recombined(const PlacementProblem& problem,
                                      std::span<const std::uint32_t> first,
                                      std::span<const std::uint32_t> second, SplitMix64& random) {
  return Recombination{problem, first, second, random}.run();
}

}  // namespace dcube
