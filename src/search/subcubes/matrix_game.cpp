#include "matrix_game.hpp"

#include <algorithm>
#include <cmath>
#include <coin/ClpSimplex.hpp>

#include "core/mapped.hpp"

namespace dcube {
namespace {

constexpr long most_denominator = 20000;

/// The mixture of columns that loses least, in shares that add up to about 1. It solves the linear
/// programme min v, sum_j share_j entry_ij <= v for all rows i, sum_j share_j = 1 (Dantzig 1951).
std::vector<double> best_mixture(const MatrixGame& game) {
  const auto rows = static_cast<int>(game.rows);
  ClpSimplex model;
  model.setLogLevel(0);
  model.resize(rows + 1, 0);
  for (int row = 0; row < rows; ++row) {
    model.setRowBounds(row, -COIN_DBL_MAX, 0);
  }
  model.setRowBounds(rows, 1, 1);

  std::vector<int> places = numbered<int>(game.rows + 1);
  for (const std::vector<int>& column : game.columns) {
    std::vector<double> entries(column.begin(), column.end());
    entries.push_back(1);
    model.addColumn(rows + 1, places.data(), entries.data(), 0, COIN_DBL_MAX, 0);
  }
  const std::vector<double> loss(game.rows, -1);
  model.addColumn(rows, places.data(), loss.data(), -COIN_DBL_MAX, COIN_DBL_MAX, 1);
  model.primal();
  const double* solution = model.primalColumnSolution();
  return {solution, solution + game.columns.size()};
}

bool is_fair(const MatrixGame& game, const std::vector<long>& shares) {
  if (std::ranges::all_of(shares, [](long share) { return share == 0; })) {
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
  const std::vector<double> mixture = best_mixture(game);
  std::vector<long> shares(mixture.size());
  for (long denominator = 1; denominator <= most_denominator; ++denominator) {
    for (std::size_t i = 0; i < mixture.size(); ++i) {
      shares[i] = std::lround(std::max(0.0, mixture[i]) * static_cast<double>(denominator));
    }
    if (is_fair(game, shares)) {
      return shares;
    }
  }
  return std::nullopt;
}

}  // namespace dcube
