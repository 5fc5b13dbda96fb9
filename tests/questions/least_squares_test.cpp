#include "questions/fit/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/mapped.hpp"

namespace dcube {
namespace {

/// Times a + b x, and where `has_corner` the greater of that and c x.
TimesAt times_of(const std::vector<double>& message_sizes, bool has_corner = false) {
  return [message_sizes, has_corner](const std::vector<FitPoint>& points) {
    return mapped(points, [&](const FitPoint& point) {
      return mapped(message_sizes, [&](double size) {
        const double time = point[0] + point[1] * size;
        return has_corner ? std::max(time, 3 * point[1] * size) : time;
      });
    });
  };
}

const std::vector<double> message_sizes{1, 4, 16, 64, 256, 1024, 4096, 16384};

std::vector<double> measured_with(const FitPoint& truth, bool has_corner = false) {
  return times_of(message_sizes, has_corner)({truth}).front();
}

const FitPoint truth{5e-6, 2e-9};

TEST(LeastSquares, FindsWhatTheTimesAreMadeOfFromFarAway) {
  const std::vector<double> measured = measured_with(truth);
  for (const double factor : {1e-3, 1.0, 1e3}) {
    const NearestTimes found = nearest_times(
        measured,
        {{.start = 3e-6 * factor, .scale = 1e-7}, {.start = 4e-9 / factor, .scale = 1e-10}},
        times_of(message_sizes));
    EXPECT_NEAR(found.point[0] / truth[0], 1, 1e-4) << factor;
    EXPECT_NEAR(found.point[1] / truth[1], 1, 1e-4) << factor;
    EXPECT_LT(fit_cost(measured, found.times), 1e-8);
  }
}

TEST(LeastSquares, CornersDoNotHinder) {
  const std::vector<double> measured = measured_with(truth, true);
  const NearestTimes found =
      nearest_times(measured, {{.start = 1e-6}, {.start = 1e-8}}, times_of(message_sizes, true));
  EXPECT_NEAR(found.point[0] / truth[0], 1, 1e-3);
  EXPECT_NEAR(found.point[1] / truth[1], 1, 1e-3);
}

TEST(LeastSquares, OneTimeThatIsFarOffMovesNumbersLittle) {
  std::vector<double> measured = measured_with(truth);
  measured[3] *= 10;
  const NearestTimes found =
      nearest_times(measured, {{.start = 1e-6}, {.start = 1e-9}}, times_of(message_sizes));
  EXPECT_NEAR(found.point[0] / truth[0], 1, 0.1);
  EXPECT_NEAR(found.point[1] / truth[1], 1, 0.1);
}

TEST(LeastSquares, StaysWithinBounds) {
  const std::vector<double> measured = measured_with(truth);
  const NearestTimes found =
      nearest_times(measured, {{.least = 0, .most = 4e-6, .start = 1e-6}, {.start = 1e-9}},
                    times_of(message_sizes));
  EXPECT_LE(found.point[0], 4e-6);
  EXPECT_NEAR(found.point[0], 4e-6, 1e-8);
  // Without any constant part, the first number goes to 0.
  const NearestTimes none = nearest_times(
      measured_with({0, 2e-9}), {{.start = 1e-6}, {.start = 1e-9}}, times_of(message_sizes));
  EXPECT_NEAR(none.point[0], 0, 1e-10);
}

TEST(LeastSquares, SaysWhichNumbersHaveNoEffectOfTheirOwn) {
  const TimesAt sums = [](const std::vector<FitPoint>& points) {
    return mapped(points, [](const FitPoint& point) {
      return mapped(message_sizes,
                    [&](double size) { return point[0] + point[1] + point[2] * size; });
    });
  };
  const std::vector<double> measured = sums({{2e-6, 3e-6, 2e-9}}).front();
  const NearestTimes found =
      nearest_times(measured, {{.start = 1e-6}, {.start = 1e-6}, {.start = 1e-9}}, sums);
  EXPECT_NEAR((found.point[0] + found.point[1]) / 5e-6, 1, 1e-4);
  const std::vector<WeakDirection> weak = weak_directions(found, found.point, 0.01);
  ASSERT_EQ(weak.size(), 1U);
  EXPECT_NEAR(weak[0].parts[0] / weak[0].parts[1], 1, 1e-3);
  EXPECT_LT(weak[0].parts[2], 0.01 * weak[0].parts[0]);
  const NearestTimes told = nearest_times(measured_with(truth), {{.start = 1e-6}, {.start = 1e-9}},
                                          times_of(message_sizes));
  EXPECT_TRUE(weak_directions(told, told.point, 0.01).empty());
}

TEST(LeastSquares, ANumberWithoutSizeTradesPlacesWithOthersByTheSizeThatIsGiven) {
  const TimesAt sums = [](const std::vector<FitPoint>& points) {
    return mapped(points, [](const FitPoint& point) {
      return mapped(message_sizes, [&](double size) { return point[0] + point[1] + 1e-9 * size; });
    });
  };
  const NearestTimes found = nearest_times(sums({{0, 3e-6}}).front(),
                                           {{.start = 0, .scale = 1e-6}, {.start = 3e-6}}, sums);
  EXPECT_TRUE(weak_directions(found, {0, 3e-6}, 0.01).empty());
  const std::vector<WeakDirection> weak = weak_directions(found, {1e-6, 3e-6}, 0.01);
  ASSERT_EQ(weak.size(), 1U);
  EXPECT_NEAR(weak[0].parts[0] / weak[0].parts[1], 1, 1e-3);
}

TEST(LeastSquares, ANumberLeavesItsBoundWhereTimesComeNearerInside) {
  const std::vector<double> measured = measured_with(truth);
  const NearestTimes found = nearest_times(
      measured,
      {{.most = 1e-3, .start = 0, .scale = 1e-7}, {.most = 1e-5, .start = 1e-5, .scale = 1e-10}},
      times_of(message_sizes));
  EXPECT_NEAR(found.point[0] / truth[0], 1, 1e-4);
  EXPECT_NEAR(found.point[1] / truth[1], 1, 1e-4);
}

TEST(LeastSquares, SlopesAreWithoutJumps) {
  // As where costs choose an algorithm: half of the times jump above the number that is nearest.
  const TimesAt jumping = [](const std::vector<FitPoint>& points) {
    return mapped(points, [](const FitPoint& point) {
      std::vector<double> times;
      for (std::size_t row = 0; row < message_sizes.size(); ++row) {
        const double factor = row % 2 == 0 && point[0] > truth[0] ? 2 : 1;
        times.push_back(factor * (point[0] + truth[1] * message_sizes[row]));
      }
      return times;
    });
  };
  const NearestTimes found =
      nearest_times(jumping({truth}).front(), {{.start = truth[0]}}, jumping);
  for (const double slope : found.slopes[0]) {
    EXPECT_NEAR(slope, 1, 1e-6);
  }
}

TEST(LeastSquares, StandardErrorsAreOfTheSizeOfTheNoise) {
  // A number that multiplies all times has the error of the mean of the noise.
  const TimesAt product = [](const std::vector<FitPoint>& points) {
    return mapped(points, [](const FitPoint& point) { return std::vector<double>(100, point[0]); });
  };
  std::vector<double> measured;
  double squares = 0;
  for (std::size_t row = 0; row < 100; ++row) {
    const double noise = 0.02 * std::sin(static_cast<double>(row * row));
    squares += noise * noise;
    measured.push_back(1e-6 * (1 + noise));
  }
  const std::vector<FitRange> ranges{{.start = 2e-6}};
  const NearestTimes found = nearest_times(measured, ranges, product);
  const std::vector<double> errors = standard_errors(measured, ranges, found);
  ASSERT_EQ(errors.size(), 1U);
  const double expected = std::sqrt(squares / 100 / 100);
  EXPECT_GT(errors[0] / 1e-6, expected / 3);
  EXPECT_LT(errors[0] / 1e-6, expected * 3);
  EXPECT_TRUE(standard_errors(std::span{measured}.first(1), ranges, found).empty());
}

}  // namespace
}  // namespace dcube
