#include "workload/expression.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "dcube/core/errors.hpp"

namespace dcube::testing {
namespace {

std::string value_of(const std::string& text, Expression::Unit unit,
                     Expression::Variables variables = {5, 8, 3}) {
  try {
    return fmt::format("{}", Expression::read(Setting{text}, "p", unit)(variables));
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Expression, IsWholeArithmetic) {
  EXPECT_EQ(value_of("2us + 10ns * rank", Expression::Unit::time), "2050000");
  EXPECT_EQ(value_of("1.5us", Expression::Unit::time), "1500000");
  EXPECT_EQ(value_of("8KiB*(iteration%2)", Expression::Unit::bytes), "8192");
  EXPECT_EQ(value_of("3us - 1us", Expression::Unit::time), "2000000");
  EXPECT_EQ(value_of("3us-1e-6s", Expression::Unit::time), "2000000");
  EXPECT_EQ(value_of("1e-6s", Expression::Unit::time), "1000000");
  EXPECT_EQ(value_of("-1us", Expression::Unit::time).substr(0, 30),
            "p: \"-1us\" is not a duration (a");
  EXPECT_EQ(value_of("7B * 3 / 2", Expression::Unit::bytes), "10");
  EXPECT_EQ(value_of("(rank + 1) * size - 2", Expression::Unit::count), "46");
  EXPECT_EQ(
      value_of("10s / (2s * rank)", Expression::Unit::count),
      "p: \"10s / (2s * rank)\" cannot "
      "be computed: \"10s\" has a unit, but a number is asked for (an expression has numbers with "
      "units, rank, size, iteration, + - * / % and brackets)");
  EXPECT_EQ(value_of("2us - 1us * rank", Expression::Unit::time),
            "p: is less than 0 for rank 5 in iteration 3");
  EXPECT_EQ(value_of("1us / (rank - 5)", Expression::Unit::time),
            "p: is a division by 0 for rank 5 in iteration 3");
  EXPECT_EQ(value_of("4EiB * rank * 4611686018427387904 * 4611686018427387904 * 16",
                     Expression::Unit::bytes)
                .substr(0, 3),
            "p: ");
  EXPECT_EQ(value_of("1us *", Expression::Unit::time).substr(0, 48),
            "p: \"1us *\" cannot be computed: it ends too early");
  EXPECT_EQ(value_of(std::string(500, '(') + "rank", Expression::Unit::count).substr(0, 3), "p: ");
}

}  // namespace
}  // namespace dcube::testing
