#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dcube {

/// A lower bound for all ways to give each of some processes (rows) a place (column) of its own,
/// where pairs cost. Dual ascent for the reformulation by products of pairs (Hahn & Grant 1998):
///   cost = bound + sum of leaders of the choices (row, column) made
///                + sum of pair costs of every two choices made
/// holds for every way that costs less than the limit, and no term is negative. Steps move costs
/// from pairs to leaders and from leaders to the bound, in whole numbers; choices and pairs of
/// choices that reach the limit are forbidden.
class DualAscent {
 public:
  using Cost = std::int32_t;
  /// More than all other numbers, and sums of `most_size` of it fit.
  static constexpr Cost forbidden = Cost{1} << 25U;
  static constexpr Cost most_limit = Cost{1} << 23U;
  static constexpr std::size_t most_size = 32;

  /// `weights` of pairs of rows and `distances` of pairs of columns, size x size each and
  /// symmetric: what a pair costs is their product. Ways that cost `limit` are of no interest.
  DualAscent(std::span<const Cost> weights, std::span<const Cost> distances, std::size_t size,
             Cost limit);

  std::size_t size() const { return size_; }
  Cost bound() const { return bound_; }
  Cost limit() const { return limit_; }
  bool reaches_limit() const { return bound_ >= limit_; }
  /// Ways that cost `limit` are of no interest any more.
  void lower_limit(Cost limit) { limit_ = std::min(limit_, limit); }
  /// What the choice costs beyond the bound, or `forbidden`.
  Cost leader(std::size_t row, std::size_t column) const { return leaders_[row * width_ + column]; }
  bool is_forbidden(std::size_t row, std::size_t column) const {
    return leader(row, column) >= forbidden;
  }
  void forbid(std::size_t row, std::size_t column) { leaders_[row * width_ + column] = forbidden; }

  /// One step over all choices, the rows in turn upwards and downwards.
  void sweep();
  /// What is left after a choice: its row and column are gone, those behind move up.
  DualAscent after(std::size_t row, std::size_t column) const;
  std::size_t bytes() const { return (leaders_.size() + pairs_.size()) * sizeof(Cost); }

 private:
  /// Nothing costs anything, and what is beyond the columns is forbidden.
  DualAscent(std::size_t size, Cost limit);

  template <std::size_t width>
  void sweep_in();
  template <std::size_t width>
  void spread_leaders();
  template <std::size_t width>
  void lift_row(std::size_t row);
  template <std::size_t width>
  void lift_bound();
  /// Costs of rows a < b: [column of a, column of b].
  std::size_t block(std::size_t a, std::size_t b) const {
    return (a * (2 * size_ - a - 1) / 2 + b - a - 1) * size_ * width_;
  }

  std::size_t size_ = 0;
  std::size_t width_ = 0;  ///< of a row in memory, whole vectors
  Cost bound_ = 0;
  Cost limit_ = 0;
  bool is_backward_ = false;
  std::vector<Cost> leaders_;
  std::vector<Cost> pairs_;
};

}  // namespace dcube
