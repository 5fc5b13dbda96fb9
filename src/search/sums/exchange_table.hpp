#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dcube {

/// A quadratic assignment: items on places, as many of both, and the sum over all pairs of items of
/// weight times distance. Both are symmetric, and 0 on the diagonal. The first `movable` items may
/// change places.
template <class Number>
struct QuadraticProblem {
  std::size_t size = 0;
  std::size_t movable = 0;
  std::vector<Number> weights;    ///< of items, row by row
  std::vector<Number> distances;  ///< of places, row by row
};

/// A map of items to places, and what each exchange of two items would add to its cost. After an
/// exchange every entry about two other items changes by one product (Taillard 1991). Entries about
/// the two come from a table of what each item costs on each place. One sweep changes a row and
/// finds what is least in it: where traffic is sparse most products are 0, but to pick the others
/// takes longer. No entry may pass what Number holds.
template <class Number>
class ExchangeTable {
 public:
  /// `problem` must outlive it.
  explicit ExchangeTable(const QuadraticProblem<Number>& problem)
      : problem_{problem},
        size_{problem.size},
        costs_(size_ * size_),
        own_(size_),
        delta_(problem.movable * size_),
        least_(problem.movable),
        weight_step_(size_),
        distance_step_(size_),
        place_step_(size_),
        of_first_(size_),
        of_second_(size_) {}

  void assign(std::span<const std::uint32_t> places) {
    place_.assign(places.begin(), places.end());
    std::ranges::fill(costs_, Number{0});
    for (std::size_t a = 0; a < size_; ++a) {
      for (std::size_t c = 0; c < size_; ++c) {
        add(a, problem_.weights[a * size_ + c], distances_from(place_[c]));
      }
      own_[a] = costs_[a * size_ + place_[a]];
    }
    gained_ = 0;
    for (std::size_t a = 0; a < problem_.movable; ++a) {
      compute(a, &delta_[a * size_]);
      find_least(a);
    }
  }

  /// Cost added by the exchanges since assign().
  std::int64_t gained() const { return gained_; }
  std::span<const std::uint32_t> places() const { return place_; }
  bool is_apart(std::size_t a, std::size_t b) const {
    return distances_from(place_[a])[place_[b]] != 0;
  }
  /// Cost added by exchanging item a with each later one; entries of items up to a mean nothing.
  const Number* deltas_of(std::size_t a) const { return &delta_[a * size_]; }
  /// Least of the valid deltas_of(a).
  Number least(std::size_t a) const { return least_[a]; }

  /// Exchanges movable items r < s.
  void exchange(std::size_t r, std::size_t s) {
    gained_ += delta_[r * size_ + s];
    const Number* const from = distances_from(place_[r]);
    const Number* const to = distances_from(place_[s]);
    for (std::size_t place = 0; place < size_; ++place) {
      place_step_[place] = narrow(to[place] - from[place]);
    }
    std::swap(place_[r], place_[s]);
    for (std::size_t a = 0; a < size_; ++a) {
      weight_step_[a] = narrow(problem_.weights[r * size_ + a] - problem_.weights[s * size_ + a]);
      distance_step_[a] = place_step_[place_[a]];
      add(a, weight_step_[a], place_step_.data());
      own_[a] = costs_[a * size_ + place_[a]];
    }
    compute(r, of_first_.data());
    compute(s, of_second_.data());
    for (std::size_t a = 0; a < problem_.movable; ++a) {
      if (a != r && a != s) {
        // The sweep takes these two for others.
        Number* const row = &delta_[a * size_];
        row[r] = narrow(of_first_[a] - step(a, r));
        row[s] = narrow(of_second_[a] - step(a, s));
        sweep(a);
      }
    }
    std::ranges::copy(of_first_, &delta_[r * size_]);
    std::ranges::copy(of_second_, &delta_[s * size_]);
    find_least(r);
    find_least(s);
  }

 private:
  const Number* distances_from(std::size_t place) const {
    return &problem_.distances[place * size_];
  }

  /// Adds to the costs of the item on each place.
  void add(std::size_t a, Number weight, const Number* distances) {
    if (weight == 0) {
      return;
    }
    Number* const costs = &costs_[a * size_];
    for (std::size_t place = 0; place < size_; ++place) {
      costs[place] = narrow(costs[place] + weight * distances[place]);
    }
  }

  /// Computes the cost added by exchanging item a with each other one.
  void compute(std::size_t a, Number* row) const {
    const Number* const weights = &problem_.weights[a * size_];
    const Number* const costs = &costs_[a * size_];
    const Number* const apart = distances_from(place_[a]);
    for (std::size_t b = 0; b < problem_.movable; ++b) {
      const std::uint32_t there = place_[b];
      const Number mine = narrow(costs[there] - own_[a]);
      const Number its = narrow(costs_[b * size_ + place_[a]] - own_[b]);
      // Both rows counted the pair as if its partner stayed; correct that.
      row[b] = narrow(mine + its + 2 * weights[b] * apart[there]);
    }
  }

  /// Change of the entry of two items that are not exchanged.
  Number step(std::size_t a, std::size_t b) const {
    return narrow(narrow(weight_step_[a] - weight_step_[b]) *
                  narrow(distance_step_[b] - distance_step_[a]));
  }

  void sweep(std::size_t a) {
    Number* const row = &delta_[a * size_];
    const Number* const weights = weight_step_.data();
    const Number* const distances = distance_step_.data();
    const Number weight = weights[a];
    const Number distance = distances[a];
    Number least = std::numeric_limits<Number>::max();
    for (std::size_t b = a + 1; b < problem_.movable; ++b) {
      row[b] = narrow(row[b] + narrow(weight - weights[b]) * narrow(distances[b] - distance));
      least = std::min(least, row[b]);
    }
    least_[a] = least;
  }

  void find_least(std::size_t a) {
    Number least = std::numeric_limits<Number>::max();
    for (std::size_t b = a + 1; b < problem_.movable; ++b) {
      least = std::min(least, delta_[a * size_ + b]);
    }
    least_[a] = least;
  }

  /// Sums that no longer fit wrap around and come back.
  template <class Wide>
  static Number narrow(Wide number) {
    return static_cast<Number>(number);
  }

  const QuadraticProblem<Number>& problem_;
  std::size_t size_;
  std::vector<std::uint32_t> place_;  ///< of each item
  std::vector<Number> costs_;         ///< of each item on each place while others stay
  std::vector<Number> own_;           ///< cost of each item on its own place
  std::vector<Number> delta_;
  std::vector<Number> least_;          ///< of each row
  std::vector<Number> weight_step_;    ///< by item, of one exchange
  std::vector<Number> distance_step_;  ///< by item
  std::vector<Number> place_step_;     ///< by place
  std::vector<Number> of_first_;       ///< entries of the items exchanged
  std::vector<Number> of_second_;
  std::int64_t gained_ = 0;
};

}  // namespace dcube
