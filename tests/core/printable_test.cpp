#include "core/printable.hpp"

#include <gtest/gtest.h>

namespace dcube {
namespace {

TEST(Printable, OrdinaryTextStaysAsItIs) {
  const std::string text = "torus 8x8, \"µs\" 日本 🙂 \\n ~";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b[31mb\r\x7f"), "a\\u001b[31mb\\u000d\\u007f");
  EXPECT_EQ(printable(std::string{"a\0b", 3}), "a\\u0000b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
}

TEST(Printable, LineBreaksAreKeptOnRequest) {
  EXPECT_EQ(printable("a\n\tb"), "a\\n\\tb");
  EXPECT_EQ(printable("a\n\tb\x1b", LineBreaks::kept), "a\n\tb\\u001b");
}

TEST(Printable, MarksThatTurnTheWritingAreWrittenOut) {
  EXPECT_EQ(printable("a\u202eb\u2066\u2069\u200e\u200f\u061c\u2028"),
            "a\\u202eb\\u2066\\u2069\\u200e\\u200f\\u061c\\u2028");
  EXPECT_EQ(printable("שלום"), "שלום");
}

TEST(Printable, BytesThatAreNotUtf8AreWrittenOut) {
  EXPECT_EQ(printable("a\x9b"
                      "31m"),
            "a\\x9b31m");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                             // cut short
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");                    // longer than it needs
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");           // likewise
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // past the last character
  EXPECT_EQ(printable("\xff\xc3\xa4"), "\\xff\xc3\xa4");
}

TEST(Printable, TwiceIsOnce) {
  const std::string once = printable("\x1b\n\xff\u202e");
  EXPECT_EQ(printable(once), once);
}

TEST(CharacterCount, CountsCharactersNotBytes) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("aµ日🙂"), 4U);
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("short"), "short");
  EXPECT_EQ(shortened(std::string(50, 'a')), std::string(37, 'a') + "...");
  EXPECT_EQ(shortened(std::string(50, 'a'), 10), "aaaaaaa...");
  std::string greek;
  for (int i = 0; i < 30; ++i) {
    greek += "\u03b1";
  }
  EXPECT_EQ(shortened(greek), greek.substr(0, 36).append("..."));
  const std::string shifted = std::string(1, 'a').append(greek);
  EXPECT_EQ(shortened(shifted), shifted.substr(0, 37).append("..."));
}

}  // namespace
}  // namespace dcube
