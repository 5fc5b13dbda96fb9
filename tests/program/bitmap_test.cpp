#include <gtest/gtest.h>

#include <string>

#include "program/image_file.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t plenty = 1000;

using Pixels = std::vector<std::uint8_t>;

TEST(BitmapFile, PlainPixelsMayRunTogetherAndHaveCommentsBetween) {
  const Picture bitmap =
      read_bitmap("P1 # made by hand\n3 #wide\n2\n010\n1 # half\n 1 0\n", plenty);
  EXPECT_EQ(bitmap.width, 3U);
  EXPECT_EQ(bitmap.height, 2U);
  EXPECT_EQ(bitmap.pixels, (Pixels{0, 1, 0, 1, 1, 0}));
}

TEST(BitmapFile, PackedRowsBeginAtWholeBytes) {
  // 10 pixels a row: two bytes, the last six bits unused and set here.
  const Picture bitmap = read_bitmap(std::string{"P4\n10 2\n"} + "\x81\x7f\x02\xbf", plenty);
  EXPECT_EQ(bitmap.width, 10U);
  EXPECT_EQ(bitmap.height, 2U);
  EXPECT_EQ(bitmap.pixels, (Pixels{1, 0, 0, 0, 0, 0, 0, 1, 0, 1,  //
                                   0, 0, 0, 0, 0, 0, 1, 0, 1, 0}));
}

TEST(BitmapFile, PackedPixelsThatLookLikeACommentArePixels) {
  EXPECT_EQ(read_bitmap("P4 8 1\n#", plenty).pixels, (Pixels{0, 0, 1, 0, 0, 0, 1, 1}));
}

TEST(BitmapFile, IsKnownByItsFirstTwoCharacters) {
  EXPECT_TRUE(is_bitmap("P1"));
  EXPECT_TRUE(is_bitmap("P4\n1 1\n"));
  EXPECT_FALSE(is_bitmap("P5\n1 1\n"));
  EXPECT_FALSE(is_bitmap("P"));
}

TEST(BitmapFile, GarbledFilesAreInputErrors) {
  const auto problem = [](const std::string& content) {
    return complaint([&] { read_bitmap(content, plenty); });
  };
  EXPECT_EQ(problem("P1"), "has no width (a positive integer after P1)");
  EXPECT_EQ(problem("P1\n-3 4"), "has no width (a positive integer after P1)");
  EXPECT_EQ(problem("P4\n0 4"), "has no width (a positive integer after P4)");
  EXPECT_EQ(problem("P4\n4 x"), "has no height (a positive integer after P4)");
  EXPECT_EQ(problem("P4\n4 99999999999"), "has no height (a positive integer after P4)");
  EXPECT_EQ(problem("P4 # no end of line"), "has no width (a positive integer after P4)");
  EXPECT_EQ(problem("P1\n40 30"), "has 40 x 30 pixels (more than 1000)");
  EXPECT_EQ(problem("P1\n65536 65537"), "has 65536 x 65537 pixels (more than 1000)");
  EXPECT_EQ(problem("P1\n3 2\n0101"), "ends after 4 of its 3 x 2 pixels");
  EXPECT_EQ(problem("P1\n3 2\n01021"), "has \"2\" where 0 or 1 belongs (pixel 3)");
  EXPECT_EQ(problem("P1\n3 2\n0101011"), "goes on after the last of its 3 x 2 pixels");
  EXPECT_EQ(problem("P4\n8 3\nab"), "ends after 16 of its 8 x 3 pixels");
  EXPECT_EQ(problem("P4\n8 3"), "ends after 0 of its 8 x 3 pixels");
  EXPECT_EQ(problem("P4\n8 1\nab"), "goes on after the last of its 8 x 1 pixels");
  EXPECT_EQ(problem("P4\n8 1\na\n"), "");
}

}  // namespace
}  // namespace dcube
