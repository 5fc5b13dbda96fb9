#include "dcube/show/readable.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dcube {
namespace {

TEST(Readable, BytesAndSecondsHaveAFittingUnit) {
  EXPECT_EQ(readable_bytes(0), "0 bytes");
  EXPECT_EQ(readable_bytes(1), "1 byte");
  EXPECT_EQ(readable_bytes(24), "24 bytes");
  EXPECT_EQ(readable_bytes(12345678), "12.3 MB");
  EXPECT_EQ(readable_seconds(0), "0 s");
  EXPECT_EQ(readable_seconds(0.0012345), "1.23 ms");
  EXPECT_EQ(readable_seconds(75), "75 s");
}

TEST(Readable, RatesAreInBytesASecond) {
  EXPECT_EQ(readable_rate(ExactTime{Ticks{20}}), "50 GB/s");
  EXPECT_EQ(readable_rate(parse_duration("1.2293us")), "813 kB/s");
  EXPECT_EQ(readable_rate(parse_duration("1s")), "1 B/s");
  EXPECT_EQ(readable_rate(parse_duration("3s")), "0.333 B/s");
}

TEST(TimeScale, ShowsRoundTimesWithoutDecimals) {
  const std::vector<double> times{10, 3, 7};
  EXPECT_EQ(TimeScale{times}.text(7), "7 s");
}

TEST(TimeScale, GivesFourDigitsOfTheLongestAtMost) {
  const std::vector<double> times{10, 7.0 / 3};
  EXPECT_EQ(TimeScale{times}.text(7.0 / 3), "2.33 s");
  EXPECT_EQ(TimeScale{times}.text(10), "10.00 s");
}

TEST(TimeScale, TakesTheUnitOfTheLongest) {
  const std::vector<double> times{446.7e-6, 1e-9};
  EXPECT_EQ(TimeScale{times}.text(446.7e-6), "446.7 us");
}

TEST(TimeScale, IsInSecondsWhenAllTimesAreZero) {
  const std::vector<double> times{0, 0};
  EXPECT_EQ(TimeScale{times}.text(0), "0 s");
}

TEST(Sizes, TextsHaveThreeDigitsUnlessTheyAreWhole) {
  EXPECT_EQ(size_text(1), "1 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(24883), "24.3 KiB");
  EXPECT_EQ(size_text(255000), "249 KiB");
  EXPECT_EQ(size_text(std::uint64_t{3} << 29), "1.50 GiB");
}

}  // namespace
}  // namespace dcube
