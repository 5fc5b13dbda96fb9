#include "least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unsupported/Eigen/NonLinearOptimization>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/random.hpp"

namespace dcube {
namespace {

/// Relative error above which a row counts by its size, below by its square.
constexpr double fit_knee = 0.1;
/// Step of differences, as part of the number. Times are linear in costs but for corners and
/// whole picoseconds, so it is large.
constexpr double fit_step = 1e-3;
/// Groups of the jackknife, at most.
constexpr std::size_t fit_folds = 10;

/// Signed root of the pseudo-Huber loss of ln(time / measured), and its derivative by time.
struct FitResidual {
  double value;
  double slope;
};

FitResidual fit_residual(double measured, double time) {
  const double log_ratio = std::log(time / measured);
  const double root = std::sqrt(1 + log_ratio * log_ratio / (fit_knee * fit_knee));
  // 2 c^2 (root - 1) = 2 r^2 / (root + 1), which loses no digits near 0.
  const double value = log_ratio * std::sqrt(2 / (root + 1));
  const double by_log = log_ratio == 0 ? 1 : log_ratio / (value * root);
  return {value, by_log / time};
}

/// The problem as Eigen's solver takes it. Numbers outside their ranges stand for the nearest
/// inside; the solver goes on from there. A number at a bound that would leave its range is kept
/// out of a step.
class FitProblem {
 public:
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  // NOLINTNEXTLINE(readability-identifier-naming): names of Eigen's
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  FitProblem(std::span<const double> measured, const std::vector<FitRange>& ranges,
             const TimesAt& times_at)
      : measured_{measured}, ranges_{ranges}, times_at_{times_at} {}

  int inputs() const { return static_cast<int>(ranges_.size()); }
  int values() const { return static_cast<int>(measured_.size()); }

  InputType begin() const {
    InputType numbers(inputs());
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      numbers[static_cast<Eigen::Index>(i)] = ranges_[i].start;
    }
    return numbers;
  }

  FitPoint point_of(const InputType& numbers) const {
    return numbered<Eigen::Index>(ranges_.size(), [&](Eigen::Index i) {
      const FitRange& range = ranges_[static_cast<std::size_t>(i)];
      return std::clamp(numbers[i], range.least, range.most);
    });
  }

  void bring_inside(InputType& numbers) const {
    const FitPoint point = point_of(numbers);
    for (std::size_t i = 0; i < point.size(); ++i) {
      numbers[static_cast<Eigen::Index>(i)] = point[i];
    }
  }

  /// Times and their derivatives at a point; nothing in them after an interrupt.
  NearestTimes at(const FitPoint& point) const {
    std::vector<FitPoint> points{point};
    for (std::size_t i = 0; i < point.size(); ++i) {
      points.push_back(point);
      points.back()[i] += step(i, point[i]);
    }
    NearestTimes here{.point = point, .times = {}, .slopes = {}};
    std::vector<std::vector<double>> times = times_at_(points);
    if (times.empty()) {
      here.is_interrupted = true;
      return here;
    }
    here.times = std::move(times.front());
    for (std::size_t i = 0; i < point.size(); ++i) {
      std::vector<double> slopes = std::move(times[i + 1]);
      for (std::size_t row = 0; row < slopes.size(); ++row) {
        slopes[row] = (slopes[row] - here.times[row]) / step(i, point[i]);
      }
      here.slopes.push_back(std::move(slopes));
    }
    return here;
  }

  int operator()(const InputType& numbers, ValueType& residuals) const {
    const std::vector<std::vector<double>> times = times_at_({point_of(numbers)});
    if (times.empty()) {
      return -1;
    }
    for (std::size_t row = 0; row < measured_.size(); ++row) {
      residuals[static_cast<Eigen::Index>(row)] =
          fit_residual(measured_[row], times.front()[row]).value;
    }
    return 0;
  }

  int df(const InputType& numbers, JacobianType& jacobian) const {
    const NearestTimes here = at(point_of(numbers));
    if (here.is_interrupted) {
      return -1;
    }
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      double gradient = 0;
      for (std::size_t row = 0; row < measured_.size(); ++row) {
        const FitResidual residual = fit_residual(measured_[row], here.times[row]);
        const double slope = residual.slope * here.slopes[i][row];
        jacobian(static_cast<Eigen::Index>(row), column) = slope;
        gradient += slope * residual.value;
      }
      const bool would_leave = (here.point[i] <= ranges_[i].least && gradient > 0) ||
                               (here.point[i] >= ranges_[i].most && gradient < 0);
      if (would_leave) {
        jacobian.col(column).setZero();
      }
    }
    return 0;
  }

 private:
  /// Step of a difference at a number; it may pass the greatest by a thousandth.
  double step(std::size_t i, double number) const {
    return fit_step * std::max(number, ranges_[i].scale);
  }

  std::span<const double> measured_;
  const std::vector<FitRange>& ranges_;
  const TimesAt& times_at_;
};

}  // namespace

double fit_cost(std::span<const double> measured, std::span<const double> times) {
  double cost = 0;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    const double residual = fit_residual(measured[row], times[row]).value;
    cost += residual * residual;
  }
  return cost;
}

NearestTimes nearest_times(std::span<const double> measured, const std::vector<FitRange>& ranges,
                           const TimesAt& times_at) {
  FitProblem problem{measured, ranges, times_at};
  Eigen::VectorXd numbers = problem.begin();
  Eigen::LevenbergMarquardt<FitProblem> solver{problem};
  solver.parameters.ftol = 1e-8;
  solver.parameters.xtol = 1e-6;
  solver.parameters.maxfev = 200;
  using Status = Eigen::LevenbergMarquardtSpace::Status;
  Status status = solver.minimizeInit(numbers);
  while (status == Status::NotStarted || status == Status::Running) {
    status = solver.minimizeOneStep(numbers);
    problem.bring_inside(numbers);
  }
  if (status == Status::UserAsked) {
    return {.point = problem.point_of(numbers), .times = {}, .slopes = {}, .is_interrupted = true};
  }
  return problem.at(problem.point_of(numbers));
}

std::vector<WeakDirection> weak_directions(const NearestTimes& found, double least_effect) {
  const auto sized = kept(numbered<std::size_t>(found.point.size()),
                          [&](std::size_t i) { return found.point[i] > 0; });
  if (sized.empty()) {
    return {};
  }
  Eigen::MatrixXd changes(static_cast<Eigen::Index>(found.times.size()),
                          static_cast<Eigen::Index>(sized.size()));
  for (std::size_t row = 0; row < found.times.size(); ++row) {
    for (std::size_t i = 0; i < sized.size(); ++i) {
      changes(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i)) =
          found.slopes[sized[i]][row] * found.point[sized[i]] / found.times[row];
    }
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts{changes, Eigen::ComputeThinU | Eigen::ComputeThinV};
  std::vector<WeakDirection> weak;
  for (Eigen::Index part = parts.singularValues().size(); part-- > 0;) {
    const double effect =
        parts.singularValues()[part] / std::sqrt(static_cast<double>(found.times.size()));
    if (effect < least_effect) {
      weak.push_back({.shares = std::vector<double>(found.point.size()),
                      .parts = std::vector<double>(found.point.size()),
                      .effect = effect});
      for (std::size_t i = 0; i < sized.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        weak.back().shares[sized[i]] = std::abs(parts.matrixV()(column, part));
        weak.back().parts[sized[i]] = weak.back().shares[sized[i]] * changes.col(column).norm();
      }
    }
  }
  return weak;
}

std::vector<double> standard_errors(std::span<const double> measured,
                                    const std::vector<FitRange>& ranges,
                                    const NearestTimes& found) {
  const std::size_t rows = measured.size();
  if (rows < 2 * ranges.size()) {
    return {};
  }
  // Rows often come in a rhythm (sizes of one algorithm, then of the next), so they are shuffled.
  auto order = numbered<std::size_t>(rows);
  std::ranges::sort(order, {}, [](std::size_t row) { return std::pair{hash_of(row), row}; });
  const std::size_t folds = std::min(rows, fit_folds);
  std::vector<FitPoint> points;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<std::size_t> kept;
    for (std::size_t place = 0; place < rows; ++place) {
      if (place % folds != fold) {
        kept.push_back(order[place]);
      }
    }
    const TimesAt linear = [&](const std::vector<FitPoint>& asked) {
      return mapped(asked, [&](const FitPoint& point) {
        return mapped(kept, [&](std::size_t row) {
          double time = found.times[row];
          for (std::size_t i = 0; i < point.size(); ++i) {
            time += found.slopes[i][row] * (point[i] - found.point[i]);
          }
          return std::max(time, found.times[row] * fit_step);
        });
      });
    };
    const std::vector<double> of_kept =
        mapped(kept, [&](std::size_t row) { return measured[row]; });
    std::vector<FitRange> near = ranges;
    for (std::size_t i = 0; i < near.size(); ++i) {
      near[i].start = found.point[i];
    }
    points.push_back(nearest_times(of_kept, near, linear).point);
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const double mean = sum_of(
        points, [&](const FitPoint& point) { return point[i] / static_cast<double>(folds); });
    const double squares = sum_of(
        points, [&](const FitPoint& point) { return (point[i] - mean) * (point[i] - mean); });
    errors.push_back(
        std::sqrt(squares * static_cast<double>(folds - 1) / static_cast<double>(folds)));
  }
  return errors;
}

}  // namespace dcube
