#include "dual_ascent.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "core/wide_vectors.hpp"

// All time goes to assignments of some twenty rows. A row is therefore as many numbers as whole
// vectors hold, known to the compiler, and what is beyond the columns is forbidden like any other
// choice.

namespace dcube {
namespace {

using Cost = DualAscent::Cost;

/// That of vectors that every processor has: compilers take wider ones apart before they know that
/// the code is for a processor that has them.
constexpr std::size_t vector_width = 4;
using Vector [[gnu::vector_size(vector_width * sizeof(Cost))]] = Cost;
using Bits [[gnu::vector_size(vector_width * sizeof(Cost))]] = std::uint32_t;

/// Rows begin anywhere, which a type of lower alignment does not tell all compilers.
Vector vector_at(const Cost* row, std::size_t part) {
  Vector vector;
  std::memcpy(&vector, row + part * vector_width, sizeof vector);
  return vector;
}
void set_vector(Cost* row, std::size_t part, const Vector& vector) {
  std::memcpy(row + part * vector_width, &vector, sizeof vector);
}

constexpr Vector zeros{};
constexpr Vector lanes{0, 1, 2, 3};

/// Compilers find no least number of a vector by themselves.
template <class Numbers>
auto least_in(const Numbers& of) {
  const Numbers turned = __builtin_shufflevector(of, of, 2, 3, 0, 1);
  const Numbers two = turned < of ? turned : of;
  return std::min(two[0], two[1]);
}

/// The least sum of costs when every row has a column of its own, and prices: every cost is at
/// least the price of its row plus that of its column, and the sum of prices is that least sum.
/// Shortest augmenting paths (Tomizawa 1971) after rows and columns are reduced. Columns that are
/// forbidden to all rows have no price.
template <std::size_t width>
class Assignment {
 public:
  std::array<const Cost*, width> rows;
  std::array<Cost, width> row_price;
  alignas(Vector) std::array<Cost, width> column_price;

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
  static constexpr std::size_t parts = width / vector_width;
  static constexpr std::uint8_t none = 0xFF;

  /// Or some sum that is at least `stop`.
  Cost reduce(Cost stop) {
    std::array<Vector, parts> prices;
    for (Vector& part : prices) {
      part = zeros + DualAscent::forbidden;
    }
    Cost sum = 0;
    for (std::size_t row = 0; row < size_; ++row) {
      Vector least = vector_at(rows[row], 0);
      for (std::size_t part = 1; part < parts; ++part) {
        const Vector costs = vector_at(rows[row], part);
        least = costs < least ? costs : least;
      }
      const Cost price = least_in(least);
      row_price[row] = price;
      sum += price;
      for (std::size_t part = 0; part < parts; ++part) {
        const Vector costs = vector_at(rows[row], part) - price;
        prices[part] = costs < prices[part] ? costs : prices[part];
      }
    }
    if (sum >= stop) {
      return sum;
    }
    // Columns that have no row yet by their number.
    const Vector taken = zeros + Cost{none};
    std::array<Vector, parts> free;
    for (std::size_t part = 0; part < parts; ++part) {
      constexpr Cost of_costs = DualAscent::forbidden - DualAscent::most_limit;
      prices[part] = prices[part] < of_costs ? prices[part] : 0;
      set_vector(column_price.data(), part, prices[part]);
      free[part] = lanes + static_cast<Cost>(part * vector_width);
    }
    for (const Cost price : column_price) {
      sum += price;
    }
    taken_ = 0;
    for (std::size_t row = 0; row < size_; ++row) {
      // The lowest one that is as cheap as prices say.
      Vector lowest = taken;
      for (std::size_t part = 0; part < parts; ++part) {
        const Vector fitting =
            vector_at(rows[row], part) - prices[part] == row_price[row] ? free[part] : taken;
        lowest = fitting < lowest ? fitting : lowest;
      }
      const auto column = static_cast<std::uint8_t>(least_in(lowest));
      column_of_[row] = column;
      if (column != none) {
        taken_ |= 1U << column;
        row_of_[column] = static_cast<std::uint8_t>(row);
        for (Vector& part : free) {
          part = part == column ? taken : part;
        }
      }
    }
    return sum;
  }

  /// Gives the row a column; by how much the sum grows. Nothing changes where that reaches `stop`.
  Cost augment(std::size_t first, Cost stop) {
    // Lengths of ways to columns times 32, and the column, so that the least one names it.
    constexpr int column_bits = 5;
    // Below all lengths, so that it stays, and as an unsigned number above all.
    constexpr Cost closed = std::numeric_limits<Cost>::min();
    std::array<Vector, parts> length;
    std::array<Vector, parts> from{};
    std::array<Cost, width> final_length;
    std::array<std::uint8_t, width> closed_columns;
    std::size_t closed_count = 0;
    for (Vector& part : length) {
      part = zeros + std::numeric_limits<Cost>::max();
    }
    std::size_t row = first;
    Cost reached = 0;
    std::size_t last = 0;
    while (true) {
      const Cost base = reached - row_price[row];
      const auto here = static_cast<Cost>(row);
      Bits least = reinterpret_cast<const Bits&>(zeros) - 1;
      for (std::size_t part = 0; part < parts; ++part) {
        Vector through = vector_at(rows[row], part) - vector_at(column_price.data(), part) + base;
        through = through < DualAscent::forbidden ? through : DualAscent::forbidden;
        const Vector key =
            (through << column_bits) + lanes + static_cast<Cost>(part * vector_width);
        from[part] = key < length[part] ? here : from[part];
        length[part] = key < length[part] ? key : length[part];
        const Bits bits = reinterpret_cast<const Bits&>(length[part]);
        least = bits < least ? bits : least;
      }
      const std::uint32_t nearest = least_in(least);
      reached = static_cast<Cost>(nearest >> column_bits);
      if (reached >= stop) {
        return reached;
      }
      last = nearest & ((1U << column_bits) - 1);
      if ((taken_ >> last & 1U) == 0) {
        break;
      }
      for (std::size_t part = 0; part < parts; ++part) {
        length[part] = lanes + static_cast<Cost>(part * vector_width) == static_cast<Cost>(last)
                           ? closed
                           : length[part];
      }
      final_length[last] = reached;
      closed_columns[closed_count++] = static_cast<std::uint8_t>(last);
      row = row_of_[last];
    }
    row_price[first] += reached;
    for (std::size_t i = 0; i < closed_count; ++i) {
      const std::size_t column = closed_columns[i];
      row_price[row_of_[column]] += reached - final_length[column];
      column_price[column] -= reached - final_length[column];
    }
    taken_ |= 1U << last;
    for (std::size_t column = last;;) {
      const auto before =
          static_cast<std::uint8_t>(from[column / vector_width][column % vector_width]);
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
  std::uint32_t taken_ = 0;  ///< columns that have a row, a bit each
  std::array<std::uint8_t, width> column_of_;
  std::array<std::uint8_t, width> row_of_;
};

}  // namespace

DualAscent::DualAscent(std::size_t size, Cost limit)
    : size_{size},
      width_{(size + vector_width - 1) / vector_width * vector_width},
      limit_{limit},
      leaders_(size * width_),
      pairs_(size * (size - 1) / 2 * size * width_, forbidden) {
  for (std::size_t row = 0; row < size; ++row) {
    std::fill(&leaders_[row * width_] + size, &leaders_[row * width_] + width_, forbidden);
  }
}

DualAscent::DualAscent(std::span<const Cost> weights, std::span<const Cost> distances,
                       std::size_t size, Cost limit)
    : DualAscent{size, limit} {
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = a + 1; b < size; ++b) {
      Cost* costs = &pairs_[block(a, b)];
      for (std::size_t j = 0; j < size; ++j, costs += width_) {
        for (std::size_t l = 0; l < size; ++l) {
          costs[l] = j == l ? forbidden
                            : static_cast<Cost>(std::min(
                                  std::int64_t{weights[a * size + b]} * distances[j * size + l],
                                  std::int64_t{forbidden}));
        }
      }
    }
  }
}

void DualAscent::sweep() {
  with_wide_vectors([this] {
    const auto try_widths = [this]<std::size_t... widths>(std::index_sequence<widths...>) {
      ((width_ == (widths + 1) * vector_width ? sweep_in<(widths + 1) * vector_width>() : void()),
       ...);
    };
    try_widths(std::make_index_sequence<most_size / vector_width>{});
  });
}

template <std::size_t width>
void DualAscent::sweep_in() {
  spread_leaders<width>();
  // In one order alone costs gather at the last rows: nug15 of QAPLIB comes to 958, not 1010.
  is_backward_ = !is_backward_;
  for (std::size_t i = 0; i < size_; ++i) {
    lift_row<width>(is_backward_ ? size_ - 1 - i : i);
  }
  lift_bound<width>();
}

/// A leader goes to the pairs of its choice with those of each other row, of which one is made.
template <std::size_t width>
void DualAscent::spread_leaders() {
  const Cost gap = limit_ - bound_;
  if (size_ < 2) {
    return;
  }
  std::array<Cost, most_size * width> shares;
  const auto others = static_cast<Cost>(size_ - 1);
  for (std::size_t i = 0; i < leaders_.size(); ++i) {
    shares[i] = leaders_[i] < forbidden ? leaders_[i] / others : 0;
  }
  for (std::size_t a = 0; a < size_; ++a) {
    for (std::size_t b = a + 1; b < size_; ++b) {
      Cost* costs = &pairs_[block(a, b)];
      const Cost* const leaders = &leaders_[b * width];
      const Cost* const more = &shares[b * width];
      for (std::size_t j = 0; j < size_; ++j, costs += width) {
        const Cost leader = leaders_[a * width + j];
        const Cost share = shares[a * width + j];
        for (std::size_t part = 0; part < width / vector_width; ++part) {
          const Vector of = vector_at(costs, part);
          const Vector lifted = of + share + vector_at(more, part);
          set_vector(costs, part,
                     of + leader + vector_at(leaders, part) >= gap ? zeros + forbidden : lifted);
        }
      }
    }
  }
  for (std::size_t i = 0; i < leaders_.size(); ++i) {
    leaders_[i] -= shares[i] * others;
  }
}

/// Takes the least sum of pairs of each of the row's choices to its leader.
template <std::size_t width>
void DualAscent::lift_row(std::size_t row) {
  thread_local std::array<Cost, most_size * most_size * width> turned;  // blocks of rows before
  for (std::size_t other = 0; other < row; ++other) {
    const Cost* const from = &pairs_[block(other, row)];
    Cost* const to = &turned[other * size_ * width];
    for (std::size_t j = 0; j < size_; ++j) {
      for (std::size_t l = 0; l < size_; ++l) {
        to[j * width + l] = from[l * width + j];
      }
      std::fill(to + j * width + size_, to + (j + 1) * width, forbidden);
    }
  }
  Assignment<width> local;
  for (std::size_t column = 0; column < size_; ++column) {
    Cost& leader = leaders_[row * width + column];
    if (leader >= forbidden) {
      continue;
    }
    std::array<Cost*, width> costs;
    for (std::size_t other = 0, r = 0; other < size_; ++other) {
      if (other != row) {
        costs[r] = (other < row ? &turned[other * size_ * width] : &pairs_[block(row, other)]) +
                   column * width;
        local.rows[r] = costs[r];
        ++r;
      }
    }
    const Cost sum = local.solve(size_ - 1, limit_ - bound_ - leader);
    if (sum >= forbidden) {
      leader = forbidden;
      continue;
    }
    leader += sum;
    for (std::size_t r = 0; r + 1 < size_; ++r) {
      Cost* const of_row = costs[r];
      const Cost price = local.row_price[r];
      for (std::size_t part = 0; part < width / vector_width; ++part) {
        const Vector of = vector_at(of_row, part);
        const Vector less = of - price - vector_at(local.column_price.data(), part);
        set_vector(of_row, part, of >= forbidden ? zeros + forbidden : less);
      }
    }
  }
  for (std::size_t other = 0; other < row; ++other) {
    const Cost* const from = &turned[other * size_ * width];
    Cost* const to = &pairs_[block(other, row)];
    for (std::size_t l = 0; l < size_; ++l) {
      for (std::size_t j = 0; j < size_; ++j) {
        to[l * width + j] = from[j * width + l];
      }
    }
  }
}

template <std::size_t width>
void DualAscent::lift_bound() {
  Assignment<width> whole;
  for (std::size_t row = 0; row < size_; ++row) {
    whole.rows[row] = &leaders_[row * width];
  }
  const Cost sum = whole.solve(size_, limit_ - bound_);
  if (sum >= forbidden) {
    bound_ = limit_;
    return;
  }
  bound_ += sum;
  for (std::size_t row = 0; row < size_; ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      const Cost left =
          leaders_[row * width + column] - whole.row_price[row] - whole.column_price[column];
      leaders_[row * width + column] = left >= limit_ - bound_ ? forbidden : left;
    }
  }
}

DualAscent DualAscent::after(std::size_t row, std::size_t column) const {
  DualAscent left{size_ - 1, limit_};
  left.bound_ = bound_ + leader(row, column);
  const auto without = [](std::size_t i, std::size_t gone) { return i + (i >= gone ? 1 : 0); };
  for (std::size_t a = 0; a < left.size_; ++a) {
    const std::size_t from = without(a, row);
    for (std::size_t j = 0; j < left.size_; ++j) {
      const std::size_t at = without(j, column);
      const Cost pair = from > row ? pairs_[block(row, from) + column * width_ + at]
                                   : pairs_[block(from, row) + at * width_ + column];
      left.leaders_[a * left.width_ + j] = std::min(leader(from, at) + pair, forbidden);
    }
    for (std::size_t b = a + 1; b < left.size_; ++b) {
      const Cost* const costs = &pairs_[block(from, without(b, row))];
      Cost* to = &left.pairs_[left.block(a, b)];
      for (std::size_t j = 0; j < left.size_; ++j, to += left.width_) {
        const Cost* const of = costs + without(j, column) * width_;
        std::copy_n(of, column, to);
        std::copy_n(of + column + 1, left.size_ - column, to + column);
      }
    }
  }
  return left;
}

}  // namespace dcube
