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
/// exchange every entry about two other items changes by one product (Taillard 1991). No entry may
/// pass what Number holds.
template <class Number>
class ExchangeTable {
 public:
  /// `problem` must outlive it.
  explicit ExchangeTable(const QuadraticProblem<Number>& problem)
      : problem_{problem},
        size_{problem.size},
        apart_(size_ * size_),
        delta_(problem.movable * size_),
        least_(problem.movable),
        is_stale_(problem.movable),
        weight_step_(size_),
        distance_step_(size_) {
    for (std::size_t a = 0; a < size_; ++a) {
      first_.push_back(partners_.size());
      for (std::size_t b = 0; b < size_; ++b) {
        if (problem.weights[a * size_ + b] != 0) {
          partners_.push_back(b);
        }
      }
    }
    first_.push_back(partners_.size());
    constexpr std::size_t sparse_share = 6;
    is_sparse_ = partners_.size() < size_ * size_ / sparse_share;
  }

  void assign(std::span<const std::uint32_t> places) {
    place_.assign(places.begin(), places.end());
    for (std::size_t a = 0; a < size_; ++a) {
      const Number* from = &problem_.distances[place_[a] * size_];
      for (std::size_t b = 0; b < size_; ++b) {
        apart_[a * size_ + b] = from[place_[b]];
      }
    }
    gained_ = 0;
    for (std::size_t a = 0; a < problem_.movable; ++a) {
      compute_row(a);
      find_least(a);
    }
  }

  /// What the exchanges since assign() have added to the cost.
  std::int64_t gained() const { return gained_; }
  std::span<const std::uint32_t> places() const { return place_; }
  bool is_apart(std::size_t a, std::size_t b) const { return apart_[a * size_ + b] != 0; }
  /// What an exchange of item a with each later one adds; those of items up to a mean nothing.
  const Number* deltas_of(std::size_t a) const { return &delta_[a * size_]; }
  /// The least of them.
  Number least(std::size_t a) const { return least_[a]; }

  /// Exchanges movable items r < s.
  void exchange(std::size_t r, std::size_t s) {
    gained_ += delta_[r * size_ + s];
    std::swap(place_[r], place_[s]);
    std::swap_ranges(&apart_[r * size_], &apart_[r * size_] + size_, &apart_[s * size_]);
    for (std::size_t a = 0; a < size_; ++a) {
      std::swap(apart_[a * size_ + r], apart_[a * size_ + s]);
    }
    for (std::size_t a = 0; a < size_; ++a) {
      weight_step_[a] = narrow(problem_.weights[r * size_ + a] - problem_.weights[s * size_ + a]);
      distance_step_[a] = narrow(apart_[r * size_ + a] - apart_[s * size_ + a]);
    }
    if (is_sparse_) {
      update_few(r, s);
    } else {
      for (std::size_t a = 0; a < problem_.movable; ++a) {
        if (a != r && a != s) {
          update_row(a);
        }
      }
    }
    for (std::size_t a = 0; a < problem_.movable; ++a) {
      if (a == r || a == s) {
        compute_row(a);
      } else {
        if (a < r) {
          set(a, r, from_scratch(a, r));
        }
        if (a < s) {
          set(a, s, from_scratch(a, s));
        }
      }
      if (!is_sparse_ || is_stale_[a]) {
        find_least(a);
      }
    }
  }

 private:
  void compute_row(std::size_t a) {
    for (std::size_t b = a + 1; b < problem_.movable; ++b) {
      delta_[a * size_ + b] = from_scratch(a, b);
    }
    is_stale_[a] = true;
  }

  void update_row(std::size_t a) {
    Number* const row = &delta_[a * size_];
    const Number weight = weight_step_[a];
    const Number distance = distance_step_[a];
    for (std::size_t b = a + 1; b < problem_.movable; ++b) {
      row[b] =
          narrow(row[b] + narrow(weight - weight_step_[b]) * narrow(distance_step_[b] - distance));
    }
    is_stale_[a] = true;
  }

  /// Only entries about a partner of r or s change.
  void update_few(std::size_t r, std::size_t s) {
    changed_.clear();
    for (const std::size_t one : {r, s}) {
      for (std::size_t i = first_[one]; i < first_[one + 1]; ++i) {
        const std::size_t b = partners_[i];
        if (b < problem_.movable && b != r && b != s && weight_step_[b] != 0 &&
            std::ranges::find(changed_, b) == changed_.end()) {
          changed_.push_back(b);
        }
      }
    }
    for (std::size_t a = 0; a < problem_.movable; ++a) {
      if (a == r || a == s) {
        continue;
      }
      if (weight_step_[a] != 0) {
        update_row(a);
        continue;
      }
      for (const std::size_t b : changed_) {
        if (b > a) {
          set(a, b,
              narrow(delta_[a * size_ + b] -
                     weight_step_[b] * (distance_step_[b] - distance_step_[a])));
        }
      }
    }
  }

  void set(std::size_t a, std::size_t b, Number delta) {
    Number& entry = delta_[a * size_ + b];
    if (delta < least_[a]) {
      least_[a] = delta;
    } else if (entry == least_[a] && delta > entry) {
      is_stale_[a] = true;
    }
    entry = delta;
  }

  Number from_scratch(std::size_t a, std::size_t b) const {
    const Number* const weights_a = &problem_.weights[a * size_];
    const Number* const weights_b = &problem_.weights[b * size_];
    const Number* const apart_a = &apart_[a * size_];
    const Number* const apart_b = &apart_[b * size_];
    Number sum = 0;
    if (is_sparse_) {
      for (std::size_t i = first_[a]; i < first_[a + 1]; ++i) {
        const std::size_t c = partners_[i];
        sum = narrow(sum + weights_a[c] * (apart_b[c] - apart_a[c]));
      }
      for (std::size_t i = first_[b]; i < first_[b + 1]; ++i) {
        const std::size_t c = partners_[i];
        sum = narrow(sum - weights_b[c] * (apart_b[c] - apart_a[c]));
      }
    } else {
      for (std::size_t c = 0; c < size_; ++c) {
        sum = narrow(sum + narrow(weights_a[c] - weights_b[c]) * narrow(apart_b[c] - apart_a[c]));
      }
    }
    // The sum takes their own pair for gone, once from either side.
    return narrow(sum + 2 * weights_a[b] * apart_a[b]);
  }

  /// Sums that no longer fit wrap around and come back.
  template <class Wide>
  static Number narrow(Wide number) {
    return static_cast<Number>(number);
  }

  void find_least(std::size_t a) {
    Number least = std::numeric_limits<Number>::max();
    for (std::size_t b = a + 1; b < problem_.movable; ++b) {
      least = std::min(least, delta_[a * size_ + b]);
    }
    least_[a] = least;
    is_stale_[a] = false;
  }

  const QuadraticProblem<Number>& problem_;
  std::size_t size_;
  std::vector<std::uint32_t> place_;  ///< of each item
  std::vector<Number> apart_;         ///< the distance of each two items
  std::vector<Number> delta_;
  std::vector<Number> least_;  ///< of each row, unless stale
  std::vector<char> is_stale_;
  std::vector<Number> weight_step_;
  std::vector<Number> distance_step_;
  std::int64_t gained_ = 0;
  std::vector<std::size_t> first_;     ///< entry of partners_, of each item; one more at the end
  std::vector<std::size_t> partners_;  ///< of all items
  bool is_sparse_ = false;
  std::vector<std::size_t> changed_;  ///< partners, of one exchange
};

}  // namespace dcube
