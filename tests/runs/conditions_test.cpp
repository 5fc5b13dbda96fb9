#include "runs/conditions.hpp"

#include <gtest/gtest.h>

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
