#include "runs/conditions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

bool holds(const char* text) {
  return Condition{text}.holds([](const std::string& pointer) -> Condition::Value {
    return Condition::Value::of(pointer == "/size" ? "64KiB" : pointer == "/time" ? "10ms" : "xor");
  });
}

TEST(Conditions, NumbersCompareWhateverTheirUnits) {
  EXPECT_TRUE(holds("/size <= 64KiB"));
  EXPECT_TRUE(holds("/size == 65536"));
  EXPECT_FALSE(holds("/size<64KiB"));
  EXPECT_TRUE(holds("1s > /time"));
  EXPECT_TRUE(holds("/time != 11ms"));
}

bool compares(const char* left, const char* sign, const char* right) {
  return Condition{std::string{"/value "} + sign + " " + right}.holds(
      [&](const std::string&) { return Condition::Value::of(left); });
}

TEST(Conditions, NumbersThatADoubleRoundsAreCompared) {
  EXPECT_FALSE(compares("9007199254740992", "==", "9007199254740993"));
  EXPECT_TRUE(compares("9007199254740992", "!=", "9007199254740993"));
  EXPECT_TRUE(compares("9007199254740992", "<", "9007199254740993"));
  EXPECT_FALSE(compares("18446744073709551614", ">=", "18446744073709551615"));
  EXPECT_TRUE(compares("18446744073709551615", "==", "18446744073709551615"));
  EXPECT_FALSE(compares("1000000000000000001ps", "==", "1000000000000000002ps"));
  EXPECT_TRUE(compares("1000000000000000001ps", "==", "1000000.000000000001s"));
  EXPECT_TRUE(compares("1000000.000000000001", "<", "1000000000000000002ps"));
  EXPECT_TRUE(compares("9007199254740993B", ">", "8796093022208KiB"));
  EXPECT_TRUE(compares("8.000000001Gbps", ">", "1GB/s"));
  EXPECT_TRUE(compares("8Gbps", "==", "1GBps"));
  EXPECT_TRUE(compares("1e400", ">", "1"));
}

TEST(Conditions, NumbersOfAnySignAndFormAreCompared) {
  EXPECT_TRUE(compares("-2", "<", "-1.5"));
  EXPECT_TRUE(compares("-0", "==", "0.0"));
  EXPECT_TRUE(compares("-1", "<", "0"));
  EXPECT_TRUE(compares("1e3", "==", "1000"));
  EXPECT_TRUE(compares("0.15", "<", "0.2"));
  EXPECT_TRUE(compares("100", ">", "20"));
  EXPECT_TRUE(compares(".5KiB", "==", "512"));
}

TEST(Conditions, TextsAreEqualOrNot) {
  EXPECT_TRUE(holds("/name == xor"));
  EXPECT_TRUE(holds("/name == \"xor\""));
  EXPECT_TRUE(holds("/name != gray"));
  EXPECT_FALSE(holds("/name == /size"));
}

TEST(Conditions, UnusableOnesAreInputErrors) {
  for (const char* const text : {"", "/size", "/size = 3", "/size <", "< 3", "1 < 2"}) {
    EXPECT_THROW(Condition{text}, InputError) << text;
  }
  EXPECT_THROW(holds("/name < 3"), InputError);
  EXPECT_THROW(holds("/size >= /time"), InputError);
  EXPECT_THROW(holds("/size != 1s"), InputError);
}

}  // namespace
}  // namespace dcube
