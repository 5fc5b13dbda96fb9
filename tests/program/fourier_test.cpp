#include "program/fourier.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "dcube/core/random.hpp"

namespace dcube {
namespace {

std::vector<Complex> random_points(std::size_t count) {
  SplitMix64 random{count};
  std::vector<Complex> points(count);
  for (Complex& point : points) {
    point = {static_cast<double>(random.next() % 1000), static_cast<double>(random.next() % 1000)};
  }
  return points;
}

/// By the definition, in O(N^2).
std::vector<Complex> direct_transform(const std::vector<Complex>& points) {
  const std::size_t count = points.size();
  std::vector<Complex> spectrum(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t n = 0; n < count; ++n) {
      const double turn = static_cast<double>(k * n % count) / static_cast<double>(count);
      spectrum[k] += points[n] * std::polar(1.0, -2 * std::numbers::pi * turn);
    }
  }
  return spectrum;
}

std::vector<Complex> reordered(const std::vector<Complex>& values) {
  const auto bits = static_cast<std::uint32_t>(std::countr_zero(values.size()));
  std::vector<Complex> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = values[bit_reversed(i, bits)];
  }
  return result;
}

std::vector<Complex> fast_transform(std::vector<Complex> values, Decimation decimation) {
  const std::size_t count = values.size();
  if (decimation == Decimation::frequency) {
    for (std::size_t half_span = count / 2; half_span > 0; half_span /= 2) {
      butterflies(values, half_span, decimation);
    }
    return reordered(values);
  }
  values = reordered(values);
  for (std::size_t half_span = 1; half_span < count; half_span *= 2) {
    butterflies(values, half_span, decimation);
  }
  return values;
}

void expect_near(const std::vector<Complex>& actual, const std::vector<Complex>& expected,
                 double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_LE(std::abs(actual[i] - expected[i]), tolerance)
        << "at " << i << " of " << actual.size();
  }
}

TEST(Fourier, BothDecimationsGiveTheDirectTransform) {
  for (std::size_t count = 1; count <= 256; count *= 2) {
    const std::vector<Complex> points = random_points(count);
    const std::vector<Complex> expected = direct_transform(points);
    const double tolerance = 1e-13 * static_cast<double>(count) * 1500;
    expect_near(fast_transform(points, Decimation::frequency), expected, tolerance);
    expect_near(fast_transform(points, Decimation::time), expected, tolerance);
  }
}

TEST(Fourier, OwnOutputsAreHalfOfTheButterflies) {
  for (const Decimation decimation : {Decimation::frequency, Decimation::time}) {
    const std::vector<Complex> before = random_points(16);
    std::vector<Complex> after = before;
    butterflies(after, 8, decimation);
    // Four processes of four values each, partners two apart.
    for (const std::size_t first : {0U, 4U, 8U, 12U}) {
      const auto block_of = [](const std::vector<Complex>& values, std::size_t begin) {
        return std::vector<Complex>(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                    values.begin() + static_cast<std::ptrdiff_t>(begin) + 4);
      };
      std::vector<Complex> values = block_of(before, first);
      own_outputs(values, block_of(before, first ^ 8), first, 8, decimation);
      EXPECT_EQ(values, block_of(after, first));
    }
  }
}

TEST(Fourier, BitReversalTurnsTheLowestBitsAround) {
  EXPECT_EQ(bit_reversed(0b0011, 4), 0b1100U);
  EXPECT_EQ(bit_reversed(0b110, 3), 0b011U);
  EXPECT_EQ(bit_reversed(0, 0), 0U);
}

TEST(SpectrumCheck, ARightSpectrumIsWithinTheBound) {
  for (std::size_t count = 1; count <= 65536; count *= 4) {
    const std::vector<Complex> points = random_points(count);
    const SpectrumCheck check =
        check_spectrum(points, fast_transform(points, Decimation::frequency));
    EXPECT_TRUE(check.is_right()) << count << ": " << check.max_error;
  }
}

TEST(SpectrumCheck, AToneHasTheGreatestErrorsAndStaysWithinTheBound) {
  const std::size_t count = 1 << 16;
  std::vector<Complex> tone(count);
  for (std::size_t n = 0; n < count; ++n) {
    const double turn = static_cast<double>(n * 12345 % count) / static_cast<double>(count);
    tone[n] = std::polar(0.1, 2 * std::numbers::pi * turn);
  }
  const SpectrumCheck check = check_spectrum(tone, fast_transform(tone, Decimation::time));
  EXPECT_TRUE(check.is_right()) << check.max_error;
  EXPECT_GT(check.max_error, 0);
  EXPECT_LT(check.error_bound, 1e-6);
  EXPECT_EQ(check.peak_bin, 12345U);
}

TEST(SpectrumCheck, AWrongSpectrumIsFound) {
  const std::vector<Complex> points = random_points(64);
  const std::vector<Complex> right = fast_transform(points, Decimation::frequency);
  EXPECT_TRUE(check_spectrum(points, right).is_right());
  std::vector<Complex> wrong = right;
  wrong[63] += 1e-8;
  EXPECT_FALSE(check_spectrum(points, wrong).is_right());
  wrong = right;
  std::swap(wrong[1], wrong[2]);
  EXPECT_FALSE(check_spectrum(points, wrong).is_right());
  wrong = right;
  wrong[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(check_spectrum(points, wrong).is_right());
}

TEST(SpectrumCheck, OfTheTwoPeaksOfRealPointsTheLowerCounts) {
  // Rounding makes either of them the greater.
  for (std::size_t frequency = 1; frequency < 64; ++frequency) {
    std::vector<Complex> points(128);
    for (std::size_t n = 0; n < points.size(); ++n) {
      points[n] = std::cos(1 + std::numbers::pi * static_cast<double>(frequency * n) / 64);
    }
    EXPECT_EQ(check_spectrum(points, fast_transform(points, Decimation::time)).peak_bin, frequency);
  }
}

TEST(SpectrumCheck, TheBoundIsThatOfItsFormula) {
  const std::vector<Complex> points{{3, 0}, {0, 4}, {0, 0}, {0, 0}};
  EXPECT_DOUBLE_EQ(euclidean_norm(points), 5);
  EXPECT_DOUBLE_EQ(spectrum_error_bound(points),
                   20 * std::numeric_limits<double>::epsilon() * 2 * 2 * 5);
  const std::vector<Complex> zeros(8);
  EXPECT_EQ(spectrum_error_bound(zeros), std::numeric_limits<double>::min());
}

TEST(SpectrumCheck, NumbersNearTheEndsOfTheRangeAreNoTrouble) {
  for (const double size : {1e-320, 1e-300, 1e300}) {
    std::vector<Complex> points = random_points(16);
    for (Complex& point : points) {
      point *= size / 1000;
    }
    EXPECT_TRUE(check_spectrum(points, fast_transform(points, Decimation::frequency)).is_right())
        << size;
  }
  EXPECT_EQ(euclidean_norm(std::vector<Complex>(9, Complex{1e308, 0})),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace dcube
