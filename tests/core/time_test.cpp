#include "dcube/core/time.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::int64_t most_ticks = std::numeric_limits<std::int64_t>::max();

template <class Action>
std::string placeless_complaint(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place(), "");
    return error.what();
  }
  return "";
}

std::string bad_duration(std::string_view text) {
  return placeless_complaint([&] { parse_duration(text); });
}

std::string bad_rate(std::string_view text) {
  return placeless_complaint([&] { parse_time_per_byte(text); });
}

std::string bad_size(std::string_view text) {
  return placeless_complaint([&] { parse_size(text); });
}

TEST(ExactTime, IsReduced) {
  const ExactTime time{10, 4};
  EXPECT_EQ(time.numerator(), 5);
  EXPECT_EQ(time.denominator(), 2);
  EXPECT_EQ((ExactTime{0, 7}), ExactTime{});
  EXPECT_TRUE(ExactTime{}.is_zero());
}

TEST(ExactTime, NegativeIsAContractViolation) {
  EXPECT_THROW((ExactTime{-1, 2}), ContractViolation);
  EXPECT_THROW((ExactTime{1, 0}), ContractViolation);
}

TEST(ParseDuration, IsExact) {
  EXPECT_EQ(parse_duration("446.7us"), ExactTime(446'700'000, 1));
  EXPECT_EQ(parse_duration("0.59115us"), ExactTime(591'150, 1));
  EXPECT_EQ(parse_duration("2.5ps"), ExactTime(5, 2));
  EXPECT_EQ(parse_duration("2 s"), ExactTime(2'000'000'000'000, 1));
  EXPECT_EQ(parse_duration("1e-6s"), ExactTime(1'000'000, 1));
  EXPECT_EQ(parse_duration("0.5"), ExactTime(500'000'000'000, 1));
  EXPECT_EQ(parse_duration("0.1"), ExactTime(100'000'000'000, 1));
  EXPECT_EQ(parse_duration("1E+3ns"), ExactTime(1'000'000, 1));
  EXPECT_EQ(parse_duration("0"), ExactTime{});
  EXPECT_EQ(parse_duration("0e99999999999s"), ExactTime{});
  EXPECT_EQ(parse_duration("1e-18ps"), ExactTime(1, 1'000'000'000'000'000'000));
}

TEST(ParseDuration, ReachesTheEndOfTime) {
  EXPECT_EQ(parse_duration("9223372036854775807ps"), ExactTime(most_ticks, 1));
  EXPECT_EQ(parse_duration("9223372.036854775807"), ExactTime(most_ticks, 1));
  EXPECT_NE(bad_duration("9223372036854775808ps"), "");
}

TEST(ParseDuration, JunkSaysWhatIsAccepted) {
  const std::string form =
      " is not a duration (a non-negative number of seconds, or with a unit: ps, ns, us, ms, s)";
  EXPECT_EQ(bad_duration("-1"), "-1" + form);
  for (const char* text : {"", " ", "s", "nan", "NaN", "inf", "-inf", "-1s", "+1s", " 1s", "1s ",
                           "5 min", "1.s", "1..2s", "1e", "1e+s", "0x10", "1 S", "1us2"}) {
    EXPECT_EQ(bad_duration(text), '"' + std::string{text} + '"' + form) << text;
  }
}

TEST(ParseDuration, OutOfRangeSaysSoAtOnce) {
  const std::string reason =
      " cannot be kept exactly (a duration is below 2^63 ps, about 106 days, and as a fraction of "
      "picoseconds has a denominator below 2^63)";
  for (const char* text : {"1e7", "1e-32", "1e999999999999", "1e-999999999999",
                           "1e99999999999999999999999", "1e-99999999999999999999999"}) {
    EXPECT_EQ(bad_duration(text), text + reason);
  }
  EXPECT_NE(bad_duration(std::string(1'000'000, '9') + "s"), "");
  EXPECT_NE(bad_duration("0." + std::string(1'000'000, '3') + "s"), "");
}

TEST(ParseTimePerByte, IsExact) {
  EXPECT_EQ(parse_time_per_byte("400GBps"), ExactTime(5, 2));
  EXPECT_EQ(parse_time_per_byte("400 GB/s"), ExactTime(5, 2));
  EXPECT_EQ(parse_time_per_byte("1.25GBps"), ExactTime(800, 1));
  for (const char* rate : {"10Gbps", "10 Gbit/s", "10Gb/s", "10000Mbps", "1e10bps", "0.01Tbps"}) {
    EXPECT_EQ(parse_time_per_byte(rate), ExactTime(800, 1)) << rate;
  }
  EXPECT_EQ(parse_time_per_byte("2.5e9"), ExactTime(400, 1));
  EXPECT_EQ(parse_time_per_byte("3"), ExactTime(1'000'000'000'000, 3));
  EXPECT_EQ(parse_time_per_byte("1KiB/s"), ExactTime(976'562'500, 1));
  EXPECT_EQ(parse_time_per_byte("1000Bps"), ExactTime(1'000'000'000, 1));
  EXPECT_EQ(parse_time_per_byte("1kBps"), parse_time_per_byte("1KB/s"));
}

TEST(ParseTimePerByte, JunkSaysWhatIsAccepted) {
  const std::string form =
      " is not a rate (a positive number of bytes per second, or with a unit: Bps, MB/s, "
      "GiB/s, Gbps, ..)";
  EXPECT_EQ(bad_rate("0"), "0" + form);
  EXPECT_EQ(bad_rate("-5"), "-5" + form);
  for (const char* text : {"", "nan", "0GBps", "10Gbs", "1GB", "1Gb", "1Kbps", "1G/s", "1ps", "1/s",
                           "5 GBph", "1GBpss"}) {
    EXPECT_EQ(bad_rate(text), '"' + std::string{text} + '"' + form) << text;
  }
}

TEST(ParseTimePerByte, OutOfRangeSaysSo) {
  for (const char* text : {"1e-8", "1e400", "1e-999999999999", "1e999999999999"}) {
    EXPECT_EQ(bad_rate(text), std::string{text} +
                                  " cannot be kept exactly (the time of a byte is a fraction of "
                                  "picoseconds with numerator and denominator below 2^63)");
  }
}

TEST(ParseSize, CountsWholeBytes) {
  EXPECT_EQ(parse_size("12"), 12U);
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("64KiB"), 65'536U);
  EXPECT_EQ(parse_size("1.5MB"), 1'500'000U);
  EXPECT_EQ(parse_size("1.5 KiB"), 1'536U);
  EXPECT_EQ(parse_size("1e3B"), 1'000U);
  EXPECT_EQ(parse_size("9223372036854775807"), std::uint64_t{most_ticks});
  EXPECT_EQ(parse_size("1M"), parse_size("1MiB"));
  EXPECT_EQ(parse_size("0.5 G"), parse_size("512MiB"));
}

TEST(ParseSize, FractionsAndGiantsAreRejected) {
  for (const char* text :
       {"1.5", "9223372036854775808", "1e999999999999", "1e-999999999999", "0.1"}) {
    EXPECT_EQ(bad_size(text),
              std::string{text} + " is not a size (a whole number of bytes below 2^63)");
  }
  const std::string form =
      " is not a size (a number of bytes, or with a unit: B, kB, MB, KiB, MiB, M, ..)";
  EXPECT_EQ(bad_size("-1"), "-1" + form);
  EXPECT_EQ(bad_size("12 bytes"), "\"12 bytes\"" + form);
  EXPECT_EQ(bad_size(""), "\"\"" + form);
}

TEST(RoundCost, RoundsOnceAndHalfUp) {
  EXPECT_EQ(round_cost(ExactTime{}, ExactTime{5, 2}, 1), Ticks{3});
  EXPECT_EQ(round_cost(ExactTime{}, ExactTime{5, 2}, 2), Ticks{5});
  EXPECT_EQ(round_cost(ExactTime{1, 4}, ExactTime{1, 4}, 1), Ticks{1});
  EXPECT_EQ(round_cost(ExactTime{1, 4}, ExactTime{1, 5}, 1), Ticks{0});
  EXPECT_EQ(round_cost(ExactTime{1, 3}, ExactTime{1, 3}, 2), Ticks{1});
  EXPECT_EQ(round_cost(ExactTime{}, ExactTime{1, 3}, 1'000'000'000), Ticks{333'333'333});
}

TEST(RoundCost, OfAPartRoundsOnceWithAnyNumberOfDigits) {
  EXPECT_EQ(round_part_cost(ExactTime{5, 2}, 3, 3), Ticks{3});
  EXPECT_EQ(round_part_cost(ExactTime{5, 1}, 1, 11), Ticks{0});
  EXPECT_EQ(round_part_cost(ExactTime{most_ticks - 1, most_ticks}, 7'000'000, 1'000'000), Ticks{7});
  EXPECT_EQ(round_part_cost(ExactTime{1, most_ticks}, std::uint64_t{most_ticks}, 2), Ticks{1});
  EXPECT_EQ(round_part_cost(ExactTime{most_ticks, 1}, 1'000'000, 1'000'000), Ticks{most_ticks});
  EXPECT_EQ(placeless_complaint([] {
              round_part_cost(ExactTime{most_ticks, 1}, 2, 1);
            }),
            "a cost of 1.845e+07 s is too long (simulated time ends at 2^63-1 ps, about 106 days)");
}

TEST(ExactTime, SumsAndMultiplesAreExact) {
  EXPECT_EQ((ExactTime{1, 6} + ExactTime{1, 3}), (ExactTime{1, 2}));
  EXPECT_EQ((4 * ExactTime{5, 2} + ExactTime{}), (ExactTime{10, 1}));
  EXPECT_EQ((0 * ExactTime{5, 2}), ExactTime{});
  EXPECT_EQ(placeless_complaint([] {
              return 3 * ExactTime{most_ticks, 2};
            }),
            "a sum of costs needs more than 63 bits; use fewer digits");
}

TEST(RoundCost, NcubeHopIsExact) {
  const Ticks hop = round_cost(parse_duration("210.42us"), parse_duration("1.2293us"), 1024);
  EXPECT_EQ(hop, Ticks{1'469'223'200});
}

/// Products around 2^128 take another way to the same rounding.
TEST(RoundCost, NarrowAndWideArithmeticAgree) {
  const ExactTime third{1, 3};
  const ExactTime fine{(std::int64_t{1} << 40) + 1, std::int64_t{1} << 62};
  for (int shift = 0; shift < 63; ++shift) {
    const std::uint64_t count = std::uint64_t{1} << shift;
    // 2^s/2^22 and 2^s/2^62 of a tick, and a third.
    const auto exact = static_cast<long double>(count) / (1 << 22) +
                       static_cast<long double>(count) / (std::uint64_t{1} << 62) + 1.0L / 3;
    EXPECT_EQ(round_cost(third, fine, count).count(), std::llround(exact)) << shift;
  }
}

TEST(RoundCost, ReachesSixtyThreeBitsAndNoFurther) {
  EXPECT_EQ(round_cost(ExactTime{}, ExactTime{1, 1}, std::uint64_t{most_ticks}), Ticks{most_ticks});
  EXPECT_EQ(round_cost(ExactTime{most_ticks, 1}, ExactTime{1, 3}, 1), Ticks{most_ticks});
  EXPECT_EQ(round_cost(ExactTime{most_ticks - 6, 1}, ExactTime{2, 1}, 3), Ticks{most_ticks});
  EXPECT_EQ(round_cost(ExactTime{7, 1}, ExactTime{}, std::numeric_limits<std::uint64_t>::max()),
            Ticks{7});
  // Whole costs whose sum, or product, is the first beyond; and one beyond 64 bits.
  for (const auto& [fixed, each, count] :
       {std::tuple{most_ticks - 5, std::int64_t{2}, std::uint64_t{3}},
        std::tuple{std::int64_t{0}, std::int64_t{1}, std::uint64_t{1} << 63},
        std::tuple{std::int64_t{3}, std::int64_t{1} << 32, std::uint64_t{1} << 32}}) {
    EXPECT_NE(placeless_complaint([fixed = fixed, each = each, count = count] {
                round_cost(ExactTime{fixed, 1}, ExactTime{each, 1}, count);
              }),
              "")
        << fixed << " + " << each << " * " << count;
  }
  EXPECT_EQ(placeless_complaint([] {
              round_cost(ExactTime{most_ticks, 1}, ExactTime{1, 2}, 1);
            }),
            "a cost of 9.223e+06 s is too long (simulated time ends at 2^63-1 ps, about 106 days)");
  EXPECT_NE(placeless_complaint([] {
              round_cost(ExactTime{most_ticks, 1}, ExactTime{most_ticks, 1},
                         std::numeric_limits<std::uint64_t>::max());
            }),
            "");
}

TEST(RoundCost, LargestDenominatorsAreExact) {
  const ExactTime tiny{1, most_ticks};
  const ExactTime half{most_ticks / 2, most_ticks};
  EXPECT_EQ(round_cost(half, tiny, 0), Ticks{0});
  EXPECT_EQ(round_cost(half, tiny, 1), Ticks{1});
}

TEST(CheckedAdd, PastSixtyThreeBitsIsAnInputError) {
  EXPECT_EQ(checked_add(Ticks{most_ticks - 1}, Ticks{1}), Ticks{most_ticks});
  EXPECT_EQ(placeless_complaint([] { checked_add(Ticks{most_ticks}, Ticks{1}); }),
            "simulated time exceeds 2^63-1 ps (about 106 days); use smaller costs");
}

TEST(ToSeconds, IsTheNearestDouble) {
  EXPECT_EQ(to_seconds(Ticks{0}), 0.0);
  EXPECT_EQ(to_seconds(Ticks{100'000'000'000}), 0.1);
  EXPECT_EQ(to_seconds(Ticks{1}), 1e-12);
  EXPECT_EQ(to_seconds(Ticks{10'000'000'000'000'001}), 10000.000000000001);
  EXPECT_EQ(to_seconds(Ticks{most_ticks}), 9223372.036854775807);
}

TEST(FormatTime, IsTheShortestExactDecimal) {
  const std::vector<std::pair<Ticks, const char*>> cases{
      {Ticks{0}, "0 s"},
      {Ticks{1}, "1 ps"},
      {Ticks{1'500}, "1.5 ns"},
      {Ticks{446'700'000}, "446.7 us"},
      {Ticks{1'000'000'000}, "1 ms"},
      {Ticks{2'000'000'000'000}, "2 s"},
      {Ticks{10'500'000'000'000}, "10.5 s"},
      {Ticks{1'000'000'000'001}, "1.000000000001 s"},
      {Ticks{100'000'000'000'000'000}, "100000 s"}};
  for (const auto& [ticks, text] : cases) {
    EXPECT_EQ(format_time(ticks), text);
  }
  EXPECT_EQ(format_time(ExactTime{5, 2}), "2.5 ps");
  EXPECT_EQ(format_time(ExactTime{1, 8}), "0.125 ps");
  EXPECT_EQ(format_time(ExactTime{1'000'000'000'000, 3}), "about 333.333 ms");
}

TEST(FormatTime, ParsesBackToTheSameTime) {
  for (std::int64_t ticks = 1; ticks < most_ticks / 7; ticks = ticks * 7 + 3) {
    EXPECT_EQ(parse_duration(format_time(Ticks{ticks})), ExactTime{Ticks{ticks}});
  }
}

}  // namespace
}  // namespace dcube
