#include "core/text_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/pieces.hpp"

namespace dcube {
namespace {

std::string held(const TextWindow& window) { return {window.begin(), window.end()}; }

TEST(TextWindow, OfATextInMemoryHoldsAllOfIt) {
  const std::string text = "abc";
  TextWindow window{text};
  EXPECT_EQ(window.begin(), text.data());
  EXPECT_EQ(held(window), "abc");
  EXPECT_FALSE(window.extend());
  window.take(3);
  EXPECT_TRUE(window.is_over());
}

TEST(TextWindow, MovesOnAndKeepsWhatHasNotBeenTaken) {
  TextWindow window = in_pieces("abcdefg", 4);
  EXPECT_FALSE(window.is_over());
  EXPECT_EQ(held(window), "abcd");
  window.take(3);
  EXPECT_TRUE(window.extend());
  EXPECT_EQ(held(window), "defg");
  EXPECT_FALSE(window.extend());
  EXPECT_EQ(held(window), "defg");
}

TEST(TextWindow, GrowsForALineThatDoesNotFit) {
  TextWindow window = in_pieces("0123456789\n\nab", 2);
  EXPECT_EQ(window.take_line(), "0123456789");
  EXPECT_EQ(window.take_line(), "");
  EXPECT_EQ(window.take_line(), "ab");
  EXPECT_TRUE(window.is_over());
}

TEST(TextWindow, DoesNotGrowForWhatIsPassed) {
  std::size_t most = 0;
  TextWindow window{[&most, left = 1000](char* to, std::size_t bytes) mutable {
                      most = std::max(most, bytes);
                      const auto count =
                          std::min<std::size_t>(bytes, static_cast<std::size_t>(left));
                      left -= static_cast<int>(count);
                      std::fill_n(to, count, left > 0 ? 'x' : '\n');
                      return count;
                    },
                    8};
  window.take_until('\n');
  EXPECT_EQ(window.take_line(), "");
  EXPECT_EQ(most, 8U);
}

TEST(TextWindow, KnowsWhetherATextHasSoManyBytes) {
  TextWindow window = in_pieces("abcdefg", 2);
  EXPECT_TRUE(window.has_bytes(1));
  window.take(1);
  EXPECT_TRUE(window.has_bytes(7));
  EXPECT_FALSE(window.has_bytes(8));
  EXPECT_EQ(held(window), "bcdefg");
}

}  // namespace
}  // namespace dcube
