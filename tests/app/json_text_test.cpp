#include "app/terminal/json_text.hpp"

#include <gtest/gtest.h>

namespace dcube::app {
namespace {

TEST(JsonText, QuotesBackslashesAndControlCharactersAreEscaped) {
  EXPECT_EQ(json_string("plain"), R"("plain")");
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\u000a")");
}

TEST(JsonText, NumbersReadBackAsTheSameAndNothingIsNull) {
  EXPECT_EQ(json_number(7.0 / 3), "2.3333333333333335");
  EXPECT_EQ(json_number(10), "10");
  EXPECT_EQ(json_number({}), "null");
}

}  // namespace
}  // namespace dcube::app
