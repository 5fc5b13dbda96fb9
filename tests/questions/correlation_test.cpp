#include "questions/subcubes/correlation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dcube {
namespace {

using Series = std::vector<double>;

TEST(Correlation, OfALineIsOne) {
  EXPECT_DOUBLE_EQ(*pearson(Series{1, 2, 3}, Series{5, 7, 9}), 1);
  EXPECT_DOUBLE_EQ(*pearson(Series{1, 2, 3}, Series{9, 7, 5}), -1);
}

TEST(Correlation, OfRanksIsOneForAnythingThatGrows) {
  const Series x{1, 2, 3, 4};
  const Series y{1, 10, 11, 1000};
  EXPECT_DOUBLE_EQ(*spearman(x, y), 1);
  EXPECT_LT(*pearson(x, y), 0.9);
}

TEST(Correlation, EqualValuesShareTheirRank) {
  // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: by the formula of Pearson 4.5 / sqrt(4.5 * 5).
  EXPECT_NEAR(*spearman(Series{1, 2, 2, 3}, Series{1, 2, 3, 4}), 0.9486832980505138, 1e-12);
}

TEST(Correlation, WhatDoesNotVaryHasNone) {
  EXPECT_FALSE(pearson(Series{1, 1}, Series{1, 2}));
  EXPECT_FALSE(spearman(Series{}, Series{}));
}

}  // namespace
}  // namespace dcube
