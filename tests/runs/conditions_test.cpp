#include "runs/conditions.hpp"

#include <gtest/gtest.h>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

bool holds(const char* text) {
  return Condition{text}.holds([](const std::string& pointer) -> Condition::Value {
    return pointer == "/size"   ? Condition::Value{"64KiB", 65536}
           : pointer == "/time" ? Condition::Value{"10ms", 0.01}
                                : Condition::Value{"xor", {}};
  });
}

TEST(Conditions, NumbersCompareWhateverTheirUnits) {
  EXPECT_TRUE(holds("/size <= 64KiB"));
  EXPECT_TRUE(holds("/size == 65536"));
  EXPECT_FALSE(holds("/size<64KiB"));
  EXPECT_TRUE(holds("1s > /time"));
  EXPECT_TRUE(holds("/size >= /time"));
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
}

}  // namespace
}  // namespace dcube
