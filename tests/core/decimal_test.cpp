#include "core/decimal.hpp"

#include <gtest/gtest.h>

namespace dcube {
namespace {

TEST(Decimal, LengthCoversTheNumberAndNothingElse) {
  EXPECT_EQ(decimal_length("446.7us"), 5U);
  EXPECT_EQ(decimal_length("-1.5e-3 s"), 7U);
  EXPECT_EQ(decimal_length("1e6s"), 3U);
  EXPECT_EQ(decimal_length(".5"), 2U);
  EXPECT_EQ(decimal_length("5."), 1U);
  EXPECT_EQ(decimal_length("2e"), 1U);
  for (const char* text : {"", "-", ".", "e5", "nan", "inf", "+5", "s"}) {
    EXPECT_EQ(decimal_length(text), 0U) << text;
  }
}

TEST(Decimal, KeepsEveryDigit) {
  const auto number = read_decimal("-00120.3400e5");
  ASSERT_TRUE(number);
  EXPECT_TRUE(number->is_negative);
  EXPECT_EQ(number->digits, "12034");
  EXPECT_EQ(number->exponent, 3);
}

TEST(Decimal, ZeroHasNoDigits) {
  for (const char* text : {"0", "0.000", "0e99999999999999999999", "-0"}) {
    const auto number = read_decimal(text);
    ASSERT_TRUE(number) << text;
    EXPECT_TRUE(number->is_zero()) << text;
    EXPECT_EQ(whole_value(*number), 0U) << text;
  }
}

TEST(Decimal, ExponentsSaturate) {
  EXPECT_GT(read_decimal("1e99999999999999999999")->exponent, 100'000'000'000'000'000);
  EXPECT_LT(read_decimal("1e-99999999999999999999")->exponent, -100'000'000'000'000'000);
}

TEST(Decimal, JunkIsNoNumber) {
  for (const char* text : {"", "1 ", " 1", "1x", "0x10", "1.2.3", "--1", "1e+", "nan"}) {
    EXPECT_FALSE(read_decimal(text)) << text;
  }
}

TEST(Decimal, ProductsAreExact) {
  const auto product = [](const char* text, std::uint64_t factor) {
    return times(read_decimal(text).value(), factor);
  };
  EXPECT_TRUE(compare(product("9007199254740993", 1024), *read_decimal("9223372036854776832")) ==
              0);
  EXPECT_TRUE(compare(product("-0.125", 8), *read_decimal("-1")) == 0);
  EXPECT_TRUE(product("0", 1'000'000'000'000).is_zero());
}

TEST(Decimal, WholeValueAcceptsEveryWayOfWritingIt) {
  EXPECT_EQ(whole_value(*read_decimal("4.0")), 4U);
  EXPECT_EQ(whole_value(*read_decimal("1e3")), 1000U);
  EXPECT_EQ(whole_value(*read_decimal("1.5e1")), 15U);
  EXPECT_EQ(whole_value(*read_decimal("18446744073709551615")), 18446744073709551615U);
  for (const char* text : {"1.5", "-1", "18446744073709551616", "1e20", "1e999999999", "1e-3"}) {
    EXPECT_FALSE(whole_value(*read_decimal(text))) << text;
  }
}

TEST(Shown, QuotesWhatIsNoNumber) {
  EXPECT_EQ(shown("-1.5"), "-1.5");
  EXPECT_EQ(shown("5 min"), "\"5 min\"");
  EXPECT_EQ(shown(""), "\"\"");
}

}  // namespace
}  // namespace dcube
