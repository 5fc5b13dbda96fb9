#include "questions/collective/sizes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

using Sizes = std::vector<std::uint64_t>;

Sizes sizes(const std::vector<std::string>& texts, std::uint64_t grain = 4) {
  return collective_sizes(texts, grain);
}

std::string problem(const std::string& text, std::uint64_t grain = 4) {
  try {
    sizes({text}, grain);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Sizes, AreSortedAndGivenOnce) {
  EXPECT_EQ(sizes({"1MiB", "1KiB", "1024"}), (Sizes{1024, 1048576}));
}

TEST(Sizes, RangesDoubleUnlessTheySayMore) {
  EXPECT_EQ(sizes({"1KiB:8KiB"}), (Sizes{1024, 2048, 4096, 8192}));
  EXPECT_EQ(sizes({"1KiB:17KiB:x4"}), (Sizes{1024, 4096, 16384}));
  EXPECT_EQ(sizes({"4:4"}), Sizes{4});
  EXPECT_EQ(sizes({"4000000000GB:8000000000GB"}),
            (Sizes{4'000'000'000'000'000'000, 8'000'000'000'000'000'000}));
}

TEST(Sizes, OfARangeAreRoundedUp) { EXPECT_EQ(sizes({"1KiB:2KiB"}, 36), (Sizes{1044, 2052})); }

TEST(Sizes, UnusableOnesAreNamed) {
  EXPECT_EQ(problem("0"), ".bytes: 0 is not a size (at least 1 byte)");
  EXPECT_EQ(problem("1023"), ".bytes: 1023 is not a multiple of 4 bytes; 1024 is");
  EXPECT_EQ(problem("4KiB:1KiB"), ".bytes: 4KiB:1KiB is an empty range (LEAST:MOST, as 1KiB:1GiB)");
  EXPECT_EQ(problem("1KiB:4KiB:4"), ".bytes: 4 is not the step of a range (x2, x4, ..)");
  EXPECT_EQ(problem("1KiB:4KiB:x1"), ".bytes: x1 is not the step of a range (x2, x4, ..)");
  EXPECT_NE(problem("some"), "no error");
}

}  // namespace
}  // namespace dcube
