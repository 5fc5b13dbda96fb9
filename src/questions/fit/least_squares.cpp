#include "least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/mapped.hpp"
#include "dcube/core/random.hpp"

// Levenberg-Marquardt within bounds. Eigen's has none: numbers that it led to 0 stayed there, and
// 14 of 54 starts on exact times of one machine came to its costs. From here all do.

namespace dcube {
namespace {

/// Relative error above which a row counts by its size, below by its square.
constexpr double fit_knee = 0.1;
/// Step of differences, as part of the number. Times are linear in costs but for corners and
/// whole picoseconds, so it is large.
constexpr double fit_step = 1e-3;
/// Steps at most, and how many times its size a number may grow in one.
constexpr int fit_steps = 100;
constexpr double fit_reach = 10;
/// Part of the sum that a step must promise, and one after another that did not keep its promise.
constexpr double least_gain = 1e-8;
constexpr double fit_gain = 1e-5;
/// Part of the sum that the latter must gain, else a corner or jump is near.
constexpr double jump_gain = 1e-4;
/// Damping at first and at least, and how it grows at first.
constexpr double first_doubt = 1e-3;
constexpr double least_doubt = 1e-12;
constexpr double first_growth = 4;
/// Part of the sum that is lost only by steps over a corner or jump.
constexpr double rough_loss = 0.01;
/// Sum of a row that is as good as nothing.
constexpr double fit_nothing = 1e-14;
/// Groups of the jackknife, at most.
constexpr std::size_t fit_folds = 10;

/// Loss of r = ln(time / measured), and what the row counts for beside one with a small error.
struct FitLoss {
  double value;
  double weight;
};

FitLoss fit_loss(double log_ratio) {
  const double root = std::sqrt(1 + log_ratio * log_ratio / (fit_knee * fit_knee));
  // 2 c^2 (root - 1) = 2 r^2 / (root + 1), which loses no digits near 0.
  return {2 * log_ratio * log_ratio / (root + 1), 1 / root};
}

/// The sum around a point as |changes * step + misses|^2. Its slope there is that of the sum. Each
/// row by itself is nearest where its time is the measured one if times are linear in the numbers,
/// however far that is; a quadratic sum of logarithms would lead past it.
struct FitModel {
  Eigen::MatrixXd changes;
  Eigen::VectorXd misses;

  FitModel(std::span<const double> measured, const NearestTimes& here)
      : changes(static_cast<Eigen::Index>(measured.size()),
                static_cast<Eigen::Index>(here.point.size())),
        misses(static_cast<Eigen::Index>(measured.size())) {
    for (std::size_t row = 0; row < measured.size(); ++row) {
      const double time = here.times[row];
      const double miss = time - measured[row];
      const double log_ratio = std::log(time / measured[row]);
      const double mean = log_ratio == 0 ? time : miss / log_ratio;  // logarithmic
      const double factor = std::sqrt(fit_loss(log_ratio).weight / (time * mean));
      const auto at = static_cast<Eigen::Index>(row);
      misses[at] = factor * miss;
      for (std::size_t i = 0; i < here.point.size(); ++i) {
        changes(at, static_cast<Eigen::Index>(i)) = factor * here.slopes[i][row];
      }
    }
  }
};

/// The step between `least` <= 0 and `most` >= 0 for which |changes * step + misses|^2 + doubt *
/// |step|^2 is least, by active sets: those held at a bound are released where the sum falls
/// inwards.
Eigen::VectorXd least_step(const FitModel& model, double doubt, const Eigen::VectorXd& least,
                           const Eigen::VectorXd& most) {
  Eigen::MatrixXd squares = model.changes.transpose() * model.changes;
  squares.diagonal().array() += doubt;
  const Eigen::VectorXd gradient = model.changes.transpose() * model.misses;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(gradient.size());
  std::vector<Eigen::Index> free;
  for (Eigen::Index round = 0; round < 20 * gradient.size(); ++round) {
    const Eigen::VectorXd slope = squares * step + gradient;
    std::optional<Eigen::Index> released;
    double steepest = 1e-14 * gradient.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < slope.size(); ++i) {
      const bool has_room = slope[i] < 0 ? step[i] < most[i] : step[i] > least[i];
      if (has_room && std::abs(slope[i]) > steepest && std::ranges::find(free, i) == free.end()) {
        steepest = std::abs(slope[i]);
        released = i;
      }
    }
    if (!released) {
      break;
    }
    free.push_back(*released);
    while (!free.empty()) {
      const Eigen::VectorXd there = squares * step + gradient;
      const Eigen::VectorXd way = -squares(free, free).llt().solve(there(free));
      double part = 1;
      auto held = free.end();
      for (auto each = free.begin(); each != free.end(); ++each) {
        const double length = way[each - free.begin()];
        const double room = (length < 0 ? least : most)[*each] - step[*each];
        if (std::abs(length) * part > std::abs(room)) {
          part = room / length;
          held = each;
        }
      }
      step(free) += part * way;
      if (held == free.end()) {
        break;
      }
      step[*held] = (way[held - free.begin()] < 0 ? least : most)[*held];
      free.erase(held);
    }
  }
  return step;
}

/// Times around points, and ways to better ones.
class FitProblem {
 public:
  FitProblem(std::span<const double> measured, const std::vector<FitRange>& ranges,
             const TimesAt& times_at)
      : measured_{measured}, ranges_{ranges}, times_at_{times_at} {}

  /// Times and their slopes at a point.
  NearestTimes at(const FitPoint& point) const {
    NearestTimes here{.point = point, .times = {}, .slopes = {}};
    std::vector<FitPoint> points{point};
    for (std::size_t i = 0; i < point.size(); ++i) {
      points.push_back(point);
      points.back()[i] += width(i, point[i]);
    }
    const std::vector<std::vector<double>> times = times_at_(points);
    if (times.empty()) {
      here.is_interrupted = true;
      return here;
    }
    here.times = times.front();
    for (std::size_t i = 0; i < point.size(); ++i) {
      here.slopes.push_back(numbered<std::size_t>(here.times.size(), [&](std::size_t row) {
        return (times[i + 1][row] - here.times[row]) / width(i, point[i]);
      }));
    }
    take_slopes_behind(here);
    return here;
  }

  /// Moves to a point that is nearer; false where none is found. `doubt` of the model grows where
  /// it promises too much.
  bool go_on(NearestTimes& here, double& doubt) const {
    const double cost = fit_cost(measured_, here.times);
    FitModel model{measured_, here};
    // Units in which all numbers have the same effect; 0: it has none.
    Eigen::VectorXd units = model.changes.colwise().norm();
    Eigen::VectorXd least = Eigen::VectorXd::Zero(units.size());
    Eigen::VectorXd most = least;
    for (Eigen::Index i = 0; i < units.size(); ++i) {
      if (units[i] > 0) {
        const FitRange& range = ranges_[static_cast<std::size_t>(i)];
        const double number = here.point[static_cast<std::size_t>(i)];
        const double far = fit_reach * std::max(number, range.scale);
        units[i] = 1 / units[i];
        least[i] = (range.least - number) / units[i];
        most[i] = std::min(range.most - number, far) / units[i];
      }
    }
    model.changes *= units.asDiagonal();
    for (double growth = first_growth; !is_exact(cost, measured_.size()); growth *= 2) {
      const Eigen::VectorXd step = least_step(model, doubt, least, most);
      const double promised =
          model.misses.squaredNorm() - (model.changes * step + model.misses).squaredNorm();
      if (!(promised > (growth > first_growth ? fit_gain : least_gain) * cost)) {
        break;
      }
      FitPoint next = here.point;
      for (std::size_t i = 0; i < next.size(); ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        const FitRange& range = ranges_[i];
        next[i] = step[at] < 0 && step[at] == least[at]
                      ? range.least
                      : std::clamp(next[i] + step[at] * units[at], range.least, range.most);
      }
      const std::vector<std::vector<double>> times = times_at_({next});
      if (times.empty()) {
        here.is_interrupted = true;
        break;
      }
      const double gain = cost - fit_cost(measured_, times.front());
      here.is_rough = here.is_rough || gain < -std::max(promised, rough_loss * cost);
      const bool is_first = growth == first_growth;
      if (gain < 0.25 * promised) {
        doubt *= growth;
      } else if (gain > 0.75 * promised && is_first) {
        doubt = std::max(doubt / 10, least_doubt);
      }
      if (gain > 1e-4 * promised) {
        const bool was_rough = here.is_rough;
        here = at(next);
        here.is_rough = was_rough;
        return !here.is_interrupted && (is_first || gain > jump_gain * cost);
      }
    }
    return false;
  }

 private:
  /// Whether a time grows by far more than in proportion to a number, or falls. No cost does so,
  /// but times jump where costs choose an algorithm.
  static bool is_jump(const NearestTimes& here, std::size_t i, std::size_t row) {
    const double part = here.slopes[i][row] * here.point[i] / here.times[row];
    return part > 2 || part < -1;  // more than whole picoseconds do
  }

  /// Takes slopes without a jump from the other side of a number.
  void take_slopes_behind(NearestTimes& here) const {
    std::vector<std::size_t> jumping;
    std::vector<FitPoint> behind;
    for (std::size_t i = 0; i < here.point.size(); ++i) {
      const double number = here.point[i] - width(i, here.point[i]);
      const bool jumps =
          std::ranges::any_of(numbered<std::size_t>(here.times.size()),
                              [&](std::size_t row) { return is_jump(here, i, row); });
      if (jumps && number >= ranges_[i].least) {
        jumping.push_back(i);
        behind.push_back(here.point);
        behind.back()[i] = number;
      }
    }
    if (jumping.empty()) {
      return;
    }
    const std::vector<std::vector<double>> times = times_at_(behind);
    here.is_interrupted = times.empty();
    for (std::size_t place = 0; place < times.size(); ++place) {
      const std::size_t i = jumping[place];
      for (std::size_t row = 0; row < here.times.size(); ++row) {
        const double slope = (here.times[row] - times[place][row]) / width(i, here.point[i]);
        if (is_jump(here, i, row) && std::abs(slope) < std::abs(here.slopes[i][row])) {
          here.slopes[i][row] = slope;
        }
      }
    }
  }

  /// Width of a difference at a number; it may pass the greatest by a thousandth.
  double width(std::size_t i, double number) const {
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
    cost += fit_loss(std::log(times[row] / measured[row])).value;
  }
  return cost;
}

bool is_exact(double cost, std::size_t rows) {
  return cost < fit_nothing * static_cast<double>(rows);
}

NearestTimes nearest_times(std::span<const double> measured, const std::vector<FitRange>& ranges,
                           const TimesAt& times_at) {
  const FitProblem problem{measured, ranges, times_at};
  NearestTimes here = problem.at(mapped(ranges, &FitRange::start));
  double doubt = first_doubt;
  for (int step = 0; step < fit_steps && !here.is_interrupted; ++step) {
    if (!problem.go_on(here, doubt)) {
      break;
    }
  }
  return here;
}

double effect_of(const NearestTimes& found, std::size_t number) {
  double squares = 0;
  for (std::size_t row = 0; row < found.times.size(); ++row) {
    const double change = found.slopes[number][row] / found.times[row];
    squares += change * change;
  }
  return std::sqrt(squares / static_cast<double>(found.times.size()));
}

std::vector<WeakDirection> weak_directions(const NearestTimes& found,
                                           const std::vector<double>& sizes, double least_effect) {
  const auto sized =
      kept(numbered<std::size_t>(sizes.size()), [&](std::size_t i) { return sizes[i] > 0; });
  if (sized.empty()) {
    return {};
  }
  Eigen::MatrixXd changes(static_cast<Eigen::Index>(found.times.size()),
                          static_cast<Eigen::Index>(sized.size()));
  for (std::size_t row = 0; row < found.times.size(); ++row) {
    for (std::size_t i = 0; i < sized.size(); ++i) {
      changes(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(i)) =
          found.slopes[sized[i]][row] * sizes[sized[i]] / found.times[row];
    }
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> parts{changes, Eigen::ComputeThinU | Eigen::ComputeThinV};
  std::vector<WeakDirection> weak;
  for (Eigen::Index part = parts.singularValues().size(); part-- > 0;) {
    const double effect =
        parts.singularValues()[part] / std::sqrt(static_cast<double>(found.times.size()));
    if (effect < least_effect) {
      weak.push_back({.shares = std::vector<double>(sizes.size()),
                      .parts = std::vector<double>(sizes.size()),
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
