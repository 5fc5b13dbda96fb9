#include "matrix_game.hpp"

#include <algorithm>
#include <cmath>

namespace dcube {
namespace {

constexpr double tiny = 1e-9;
constexpr int most_steps = 10000;
constexpr long most_denominator = 20000;

/// Solves max sum y, B y <= 1, y >= 0 for a matrix B of positive numbers: y in proportion is the
/// best mixture of columns (Dantzig 1951). The start y = 0 is feasible, so one phase is enough.
class Simplex {
 public:
  /// `offset` makes all entries positive.
  Simplex(const MatrixGame& game, int offset)
      : rows_(game.rows, std::vector<double>(game.columns.size() + game.rows + 1)),
        gain_(game.columns.size() + game.rows + 1),
        basis_(game.rows),
        columns_{game.columns.size()} {
    for (std::size_t row = 0; row < game.rows; ++row) {
      for (std::size_t column = 0; column < columns_; ++column) {
        rows_[row][column] = game.columns[column][row] + offset;
      }
      rows_[row][columns_ + row] = 1;
      rows_[row].back() = 1;
      basis_[row] = columns_ + row;
    }
    std::fill_n(gain_.begin(), columns_, 1.0);
    for (int step = 0; step < most_steps && improve(step); ++step) {
    }
  }

  std::vector<double> solution() const {
    std::vector<double> solution(columns_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (basis_[row] < columns_) {
        solution[basis_[row]] = rows_[row].back();
      }
    }
    return solution;
  }

 private:
  /// The column that gains most; after a while the first that gains, which never cycles (Bland).
  std::size_t entering(int step) const {
    constexpr int greedy_steps = 500;
    const auto end = gain_.end() - 1;
    const auto found = step < greedy_steps ? std::max_element(gain_.begin(), end)
                                           : std::find_if(gain_.begin(), end,
                                                          [](double gain) { return gain > tiny; });
    return static_cast<std::size_t>(found - gain_.begin());
  }

  std::size_t leaving(std::size_t column) const {
    std::size_t best = rows_.size();
    double least = 0;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_[row][column] > tiny) {
        const double ratio = rows_[row].back() / rows_[row][column];
        if (best == rows_.size() || ratio < least - tiny ||
            (ratio < least + tiny && basis_[row] < basis_[best])) {
          best = row;
          least = ratio;
        }
      }
    }
    return best;
  }

  static void subtract(std::vector<double>& from, const std::vector<double>& row, double times) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      from[i] -= times * row[i];
    }
  }

  bool improve(int step) {
    const std::size_t column = entering(step);
    if (column + 1 >= gain_.size() || gain_[column] <= tiny) {
      return false;
    }
    const std::size_t pivot = leaving(column);
    if (pivot == rows_.size()) {
      return false;
    }
    const double divisor = rows_[pivot][column];
    for (double& value : rows_[pivot]) {
      value /= divisor;
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (row != pivot) {
        subtract(rows_[row], rows_[pivot], rows_[row][column]);
      }
    }
    subtract(gain_, rows_[pivot], gain_[column]);
    basis_[pivot] = column;
    return true;
  }

  std::vector<std::vector<double>> rows_;  ///< the last entry is the right-hand side
  std::vector<double> gain_;
  std::vector<std::size_t> basis_;
  std::size_t columns_;
};

bool is_fair(const MatrixGame& game, const std::vector<long>& shares) {
  if (std::all_of(shares.begin(), shares.end(), [](long share) { return share == 0; })) {
    return false;
  }
  for (std::size_t row = 0; row < game.rows; ++row) {
    long loss = 0;
    for (std::size_t column = 0; column < shares.size(); ++column) {
      loss += shares[column] * game.columns[column][row];
    }
    if (loss > 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<long>> fair_shares(const MatrixGame& game) {
  int least = 0;
  for (const std::vector<int>& column : game.columns) {
    for (const int entry : column) {
      least = std::min(least, entry);
    }
  }
  std::vector<double> mixture = Simplex{game, 1 - least}.solution();
  double sum = 0;
  for (const double share : mixture) {
    sum += share;
  }
  if (!(sum > 0)) {
    return std::nullopt;
  }
  std::vector<long> shares(mixture.size());
  for (long denominator = 1; denominator <= most_denominator; ++denominator) {
    for (std::size_t i = 0; i < mixture.size(); ++i) {
      shares[i] = std::lround(mixture[i] / sum * static_cast<double>(denominator));
    }
    if (is_fair(game, shares)) {
      return shares;
    }
  }
  return std::nullopt;
}

}  // namespace dcube
