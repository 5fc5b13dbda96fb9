#include "dcube/core/memory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dcube {
namespace {

std::string refusal(std::uint64_t needed, std::string_view way_out = smaller_case) {
  try {
    expect_fits_in_memory("a test", needed, way_out);
  } catch (const MemoryError& error) {
    EXPECT_EQ(error.place(), "");
    return error.problem();
  }
  return "";
}

TEST(Memory, SomeIsAvailable) { EXPECT_GT(available_memory_bytes(), 1'000'000U); }

TEST(Memory, LittleFits) {
  EXPECT_EQ(refusal(0), "");
  EXPECT_EQ(refusal(100'000), "");
}

TEST(Memory, RefusalGivesBothFiguresAndAWayOut) {
  const std::string text = refusal(5'000'000'000'000'000, "do less");
  EXPECT_TRUE(text.starts_with("a test does not fit in memory (it takes about 5000000 GB, and "))
      << text;
  EXPECT_TRUE(text.ends_with(" GB are available); do less")) << text;
}

}  // namespace
}  // namespace dcube
