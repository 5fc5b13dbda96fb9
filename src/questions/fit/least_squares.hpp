#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace dcube {

/// A number to find, least <= start <= most; least is finite.
struct FitRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  double start = 1;
  /// A number that has little effect, > 0: differences at smaller ones are taken as at this.
  double scale = 1e-30;
};

/// One number for each range.
using FitPoint = std::vector<double>;

/// Times of all rows at each of some points; empty after an interrupt.
using TimesAt =
    std::function<std::vector<std::vector<double>>(const std::vector<FitPoint>& points)>;

/// Numbers for which times are nearest to measured ones.
struct NearestTimes {
  FitPoint point;
  std::vector<double> times;                ///< at the point
  std::vector<std::vector<double>> slopes;  ///< [number][row]: derivatives of times there
  bool is_interrupted = false;
  bool is_rough = false;  ///< corners or jumps of times were in the way
};

/// Sum of what fit() makes least.
double fit_cost(std::span<const double> measured, std::span<const double> times);
/// Whether a sum is nothing but what is lost to digits.
bool is_exact(double cost, std::size_t rows);

/// Levenberg-Marquardt from the starts of the ranges. Needs as many rows as ranges; all times are
/// positive.
NearestTimes nearest_times(std::span<const double> measured, const std::vector<FitRange>& ranges,
                           const TimesAt& times_at);

/// Change of times (root of the mean square of relative changes) by each unit of a number.
double effect_of(const NearestTimes& found, std::size_t number);

/// A direction in which numbers may go, by given sizes, while times change by `effect` (root of
/// the mean square of relative changes).
struct WeakDirection {
  std::vector<double> shares;  ///< sizes of 0 to 1
  std::vector<double> parts;   ///< how much each would change times if the others did not go
  double effect = 0;
};

/// Directions with less than `least_effect`, weakest first. Numbers whose size is 0 have no part in
/// them.
std::vector<WeakDirection> weak_directions(const NearestTimes& found,
                                           const std::vector<double>& sizes, double least_effect);

/// Standard errors of the numbers: the rows are dealt to groups, and each group is left out once
/// (delete-a-group jackknife). Times are taken as linear around the point. Empty for fewer than two
/// rows a number.
std::vector<double> standard_errors(std::span<const double> measured,
                                    const std::vector<FitRange>& ranges, const NearestTimes& found);

}  // namespace dcube
