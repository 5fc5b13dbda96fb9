#include "runs/axis_values.hpp"

#include <gtest/gtest.h>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using Values = std::vector<std::string>;

TEST(AxisValues, ListsAreSplitAtCommasOutsideBracketsAndQuotes) {
  EXPECT_EQ(listed_values("xor,gray"), (Values{"xor", "gray"}));
  EXPECT_EQ(listed_values("[4,4], [8,8]"), (Values{"[4,4]", "[8,8]"}));
  EXPECT_EQ(listed_values(R"({"a":[1,2]},"x,\",y",3)"), (Values{R"({"a":[1,2]})", "x,\",y", "3"}));
}

TEST(AxisValues, AValueInQuotesIsTheTextInside) {
  EXPECT_EQ(listed_values(R"("x,y.json",xor,"1s")"), (Values{"x,y.json", "xor", "1s"}));
  EXPECT_EQ(listed_values(R"("lin:1:9:3")"), Values{"lin:1:9:3"});
  // Without quotes these would be a number, a list and nothing.
  EXPECT_EQ(listed_values(R"("4","[4,4]","")"), (Values{R"("4")", R"("[4,4]")", R"("")"}));
  EXPECT_EQ(listed_values(R"("a"b")"), Values{R"("a"b")"});
}

TEST(AxisValues, LinearRangesOfWholeNumbersThatLandOnWholeNumbersAreWhole) {
  EXPECT_EQ(listed_values("lin:1:10:4"), (Values{"1", "4", "7", "10"}));
  EXPECT_EQ(listed_values("lin:0:1:5"), (Values{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(listed_values("lin:10:1:4"), (Values{"10", "7", "4", "1"}));
}

TEST(AxisValues, RangesOfTimesKeepTheirEndsAndHaveFittingUnits) {
  EXPECT_EQ(listed_values("log:10ms:100s:5"), (Values{"10ms", "100ms", "1s", "10s", "100s"}));
  EXPECT_EQ(listed_values("log:1us:1ms:3"), (Values{"1us", "31.6228us", "1ms"}));
  EXPECT_EQ(listed_values("lin:0s:1s:3"), (Values{"0s", "500ms", "1s"}));
}

TEST(AxisValues, SizesAreWholeBytesAndLogarithmicRangesOfWholeNumbersWhole) {
  EXPECT_EQ(listed_values("log:1KiB:4KiB:3"), (Values{"1KiB", "2048B", "4KiB"}));
  EXPECT_EQ(listed_values("log:1:1000:4"), (Values{"1", "10", "100", "1000"}));
  EXPECT_EQ(listed_values("log:1:1024:11"),
            (Values{"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"}));
}

TEST(AxisValues, LogarithmicRangesOfWholeNumbersHaveNoFractions) {
  EXPECT_EQ(
      complaint([] { listed_values("log:1:4:6"); }),
      "\"log:1:4:6\" has equal values once they are rounded (ask for fewer; an end such as 1.0 "
      "makes fractions)");
  EXPECT_EQ(listed_values("log:1.0:4:3"), (Values{"1.0", "2", "4"}));
  EXPECT_EQ(listed_values("log:1.0:4:6")[1], "1.31951");
}

TEST(AxisValues, RangesAndValuesMix) {
  EXPECT_EQ(listed_values("0,log:1:100:3"), (Values{"0", "1", "10", "100"}));
}

TEST(AxisValues, UnusableListsAreInputErrors) {
  for (const char* const list :
       {"", "a,,b", "lin:1:2", "lin:1:2:1", "lin:a:2:3", "log:0:2:3", "lin:1s:2KiB:3", "lin:3:3:3",
        "log:1:2:x", "lin:1GBps:2GBps:3", "lin:1:2:9999999999", "log:1ps:3ps:9", "log:1:4:6"}) {
    EXPECT_THROW(listed_values(list), InputError) << list;
  }
}

TEST(AxisValues, QuantitiesAreReadInSecondsAndBytes) {
  EXPECT_DOUBLE_EQ(written_quantity("10ms")->value, 0.01);
  EXPECT_EQ(written_quantity("10ms")->unit, QuantityUnit::time);
  EXPECT_DOUBLE_EQ(written_quantity("64KiB")->value, 65536);
  EXPECT_DOUBLE_EQ(written_quantity("1.25GBps")->value, 1.25e9);
  EXPECT_EQ(written_quantity("4GBps")->value, 4e9);
  EXPECT_EQ(written_quantity("100Gbps")->value, 12.5e9);
  EXPECT_EQ(written_quantity("3")->unit, QuantityUnit::none);
  EXPECT_FALSE(written_quantity("xor"));
  EXPECT_FALSE(written_quantity("2parsecs"));
  EXPECT_FALSE(written_quantity("8x8"));
}

}  // namespace
}  // namespace dcube
