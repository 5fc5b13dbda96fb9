#include "dual_ascent.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace dcube {
namespace {

using Cost = DualAscent::Cost;

/// The least sum of costs when every row has a column of its own, and prices: every cost is at
/// least the price of its row plus that of its column, and the sum of prices is that least sum.
/// Shortest augmenting paths (Tomizawa 1971) after rows and columns are reduced.
class SquareAssignment {
 public:
  static constexpr std::size_t stride = DualAscent::most_size;

  std::array<Cost, stride * stride> costs{};
  std::array<Cost, stride> row_price{};
  std::array<Cost, stride> column_price{};

  /// The least sum; `forbidden` where that is at least `stop`, and then no prices.
  Cost solve(std::size_t size, Cost stop) {
    size_ = size;
    Cost sum = reduce(stop);
    for (std::size_t row = 0; row < size && sum < stop; ++row) {
      if (column_of_[row] == none) {
        const Cost length = augment(row, stop - sum);
        if (length >= stop - sum) {
          return DualAscent::forbidden;
        }
        sum += length;
      }
    }
    return sum < stop ? sum : DualAscent::forbidden;
  }

 private:
  static constexpr std::uint8_t none = 0xFF;

  /// Or some sum that is at least `stop`.
  Cost reduce(Cost stop) {
    column_of_.fill(none);
    row_of_.fill(none);
    Cost sum = 0;
    column_price.fill(std::numeric_limits<Cost>::max());
    for (std::size_t row = 0; row < size_; ++row) {
      const Cost* const of_row = &costs[row * stride];
      const Cost least = *std::min_element(of_row, of_row + size_);
      row_price[row] = least;
      sum += least;
      for (std::size_t column = 0; column < size_; ++column) {
        column_price[column] = std::min(column_price[column], of_row[column] - least);
      }
    }
    if (sum >= stop) {
      return sum;
    }
    for (std::size_t column = 0; column < size_; ++column) {
      sum += column_price[column];
    }
    for (std::size_t row = 0; row < size_; ++row) {
      const Cost* const of_row = &costs[row * stride];
      for (std::size_t column = 0; column < size_; ++column) {
        if (row_of_[column] == none && of_row[column] == row_price[row] + column_price[column]) {
          row_of_[column] = static_cast<std::uint8_t>(row);
          column_of_[row] = static_cast<std::uint8_t>(column);
          break;
        }
      }
    }
    return sum;
  }

  /// Gives the row a column; by how much the sum grows. Nothing changes where that reaches `stop`.
  Cost augment(std::size_t first, Cost stop) {
    // Below all lengths, so that it stays, and as an unsigned number above all.
    constexpr Cost closed_length = std::numeric_limits<Cost>::min();
    std::array<Cost, stride> length;  // to columns that are not final
    std::array<Cost, stride> final_length;
    std::array<std::int32_t, stride> from;
    std::array<std::uint8_t, stride> closed;
    std::size_t closed_count = 0;
    std::fill_n(length.begin(), size_, std::numeric_limits<Cost>::max());
    std::size_t row = first;
    Cost reached = 0;
    std::size_t last = 0;
    while (true) {
      const Cost* const of_row = &costs[row * stride];
      const Cost base = reached - row_price[row];
      for (std::size_t column = 0; column < size_; ++column) {
        const Cost through = of_row[column] - column_price[column] + base;
        const bool is_shorter = through < length[column];
        length[column] = is_shorter ? through : length[column];
        from[column] = is_shorter ? static_cast<std::int32_t>(row) : from[column];
      }
      std::uint32_t least = static_cast<std::uint32_t>(closed_length);
      for (std::size_t column = 0; column < size_; ++column) {
        least = std::min(least, static_cast<std::uint32_t>(length[column]));
      }
      reached = static_cast<Cost>(least);
      if (reached >= stop) {
        return reached;
      }
      last = 0;
      while (length[last] != reached) {
        ++last;
      }
      if (row_of_[last] == none) {
        break;
      }
      length[last] = closed_length;
      final_length[last] = reached;
      closed[closed_count++] = static_cast<std::uint8_t>(last);
      row = row_of_[last];
    }
    row_price[first] += reached;
    for (std::size_t i = 0; i < closed_count; ++i) {
      const std::size_t column = closed[i];
      row_price[row_of_[column]] += reached - final_length[column];
      column_price[column] -= reached - final_length[column];
    }
    for (std::size_t column = last;;) {
      const auto before = static_cast<std::uint8_t>(from[column]);
      row_of_[column] = before;
      const std::uint8_t next = column_of_[before];
      column_of_[before] = static_cast<std::uint8_t>(column);
      if (before == first) {
        break;
      }
      column = next;
    }
    return reached;
  }

  std::size_t size_ = 0;
  std::array<std::uint8_t, stride> column_of_{};
  std::array<std::uint8_t, stride> row_of_{};
};

thread_local SquareAssignment assignment;

}  // namespace

DualAscent::DualAscent(std::span<const Cost> weights, std::span<const Cost> distances,
                       std::size_t size, Cost limit)
    : size_{size},
      limit_{limit},
      leaders_(size * size),
      pairs_(size * size * size * (size - 1) / 2) {
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = a + 1; b < size; ++b) {
      Cost* const costs = &pairs_[block(a, b)];
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t l = 0; l < size; ++l) {
          costs[j * size + l] =
              j == l ? forbidden
                     : static_cast<Cost>(
                           std::min(std::int64_t{weights[a * size + b]} * distances[j * size + l],
                                    std::int64_t{forbidden}));
        }
      }
    }
  }
}

void DualAscent::sweep() {
  spread_leaders();
  // In one order alone costs gather at the last rows: nug15 of QAPLIB comes to 958, not 1010.
  is_backward_ = !is_backward_;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t row = is_backward_ ? size_ - 1 - i : i;
    for (std::size_t column = 0; column < size_; ++column) {
      if (!is_forbidden(row, column)) {
        lift(row, column);
      }
    }
  }
  lift_bound();
}

/// A leader goes to the pairs of its choice with those of each other row, of which one is made.
void DualAscent::spread_leaders() {
  const Cost gap = limit_ - bound_;
  std::vector<Cost> shares(leaders_.size());
  if (size_ < 2) {
    return;
  }
  const auto others = static_cast<Cost>(size_ - 1);
  for (std::size_t i = 0; i < leaders_.size(); ++i) {
    shares[i] = leaders_[i] < forbidden ? leaders_[i] / others : 0;
  }
  for (std::size_t a = 0; a < size_; ++a) {
    for (std::size_t b = a + 1; b < size_; ++b) {
      Cost* costs = &pairs_[block(a, b)];
      const Cost* const leaders = &leaders_[b * size_];
      const Cost* const more = &shares[b * size_];
      for (std::size_t j = 0; j < size_; ++j, costs += size_) {
        const Cost leader = leaders_[a * size_ + j];
        const Cost share = shares[a * size_ + j];
        for (std::size_t l = 0; l < size_; ++l) {
          costs[l] = costs[l] + leader + leaders[l] >= gap ? forbidden : costs[l] + share + more[l];
        }
      }
    }
  }
  for (std::size_t i = 0; i < leaders_.size(); ++i) {
    leaders_[i] -= shares[i] * others;
  }
}

/// Takes the least sum of pairs of a choice to its leader.
void DualAscent::lift(std::size_t row, std::size_t column) {
  constexpr std::size_t stride = SquareAssignment::stride;
  SquareAssignment& local = assignment;
  Cost* to = local.costs.data();
  for (std::size_t other = 0; other < size_; ++other) {
    if (other == row) {
      continue;
    }
    const bool is_after = other > row;
    const Cost* from = is_after ? &pairs_[block(row, other) + column * size_]
                                : &pairs_[block(other, row) + column];
    const std::size_t step = is_after ? 1 : size_;
    for (std::size_t l = 0; l < column; ++l) {
      to[l] = from[l * step];
    }
    for (std::size_t l = column + 1; l < size_; ++l) {
      to[l - 1] = from[l * step];
    }
    to += stride;
  }
  Cost& leader = leaders_[row * size_ + column];
  const Cost sum = local.solve(size_ - 1, limit_ - bound_ - leader);
  if (sum >= forbidden) {
    leader = forbidden;
    return;
  }
  leader += sum;
  const Cost* taken = local.costs.data();
  for (std::size_t other = 0, r = 0; other < size_; ++other) {
    if (other == row) {
      continue;
    }
    const bool is_after = other > row;
    Cost* into = is_after ? &pairs_[block(row, other) + column * size_]
                          : &pairs_[block(other, row) + column];
    const std::size_t step = is_after ? 1 : size_;
    const Cost price = local.row_price[r];
    const auto put = [&](std::size_t l, std::size_t c) {
      const Cost cost = taken[c];
      into[l * step] = cost >= forbidden ? forbidden : cost - price - local.column_price[c];
    };
    for (std::size_t l = 0; l < column; ++l) {
      put(l, l);
    }
    for (std::size_t l = column + 1; l < size_; ++l) {
      put(l, l - 1);
    }
    taken += stride;
    ++r;
  }
}

void DualAscent::lift_bound() {
  SquareAssignment& local = assignment;
  for (std::size_t row = 0; row < size_; ++row) {
    std::copy_n(&leaders_[row * size_], size_, &local.costs[row * SquareAssignment::stride]);
  }
  const Cost sum = local.solve(size_, limit_ - bound_);
  if (sum >= forbidden) {
    bound_ = limit_;
    return;
  }
  bound_ += sum;
  for (std::size_t row = 0; row < size_; ++row) {
    for (std::size_t column = 0; column < size_; ++column) {
      Cost& leader = leaders_[row * size_ + column];
      if (leader < forbidden) {
        leader -= local.row_price[row] + local.column_price[column];
        if (leader >= limit_ - bound_) {
          leader = forbidden;
        }
      }
    }
  }
}

DualAscent DualAscent::after(std::size_t row, std::size_t column) const {
  DualAscent left;
  left.size_ = size_ - 1;
  left.limit_ = limit_;
  left.bound_ = bound_ + leader(row, column);
  left.leaders_.resize(left.size_ * left.size_);
  left.pairs_.resize(left.size_ * left.size_ * left.size_ * (left.size_ - 1) / 2);
  const auto without = [](std::size_t i, std::size_t gone) { return i + (i >= gone ? 1 : 0); };
  for (std::size_t a = 0; a < left.size_; ++a) {
    const std::size_t from = without(a, row);
    for (std::size_t j = 0; j < left.size_; ++j) {
      const std::size_t at = without(j, column);
      const Cost pair = from > row ? pairs_[block(row, from) + column * size_ + at]
                                   : pairs_[block(from, row) + at * size_ + column];
      left.leaders_[a * left.size_ + j] = std::min(leader(from, at) + pair, forbidden);
    }
    for (std::size_t b = a + 1; b < left.size_; ++b) {
      const Cost* const costs = &pairs_[block(from, without(b, row))];
      Cost* to = &left.pairs_[left.block(a, b)];
      for (std::size_t j = 0; j < left.size_; ++j, to += left.size_) {
        const Cost* const of = costs + without(j, column) * size_;
        std::copy_n(of, column, to);
        std::copy_n(of + column + 1, left.size_ - column, to + column);
      }
    }
  }
  return left;
}

}  // namespace dcube
