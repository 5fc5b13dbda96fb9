#include <gtest/gtest.h>

#include "program/image_file.hpp"

namespace dcube::testing {
namespace {

TEST(Netpbm, NumbersStandBetweenWhiteSpaceAndComments) {
  NetpbmScanner scanner{" 12 # 34\n\t56#\n0"};
  EXPECT_EQ(scanner.next_number(), 12U);
  EXPECT_EQ(scanner.next_number(), 56U);
  EXPECT_FALSE(scanner.is_at_end());
  EXPECT_EQ(scanner.next_number(), 0U);
  EXPECT_TRUE(scanner.is_at_end());
  EXPECT_EQ(scanner.next_number(), std::nullopt);
}

TEST(Netpbm, WhatIsNoNumberIsLeftWhereItIs) {
  NetpbmScanner scanner{"# only a comment\n7x"};
  EXPECT_EQ(scanner.next_number(), std::nullopt);
  EXPECT_EQ(scanner.next_letter(), '7');
  EXPECT_EQ(scanner.next_number(), std::nullopt);
  EXPECT_EQ(scanner.next_letter(), 'x');
  EXPECT_TRUE(scanner.is_at_end());
  EXPECT_EQ(NetpbmScanner{"-1"}.next_number(), std::nullopt);
  EXPECT_EQ(NetpbmScanner{"9999999999"}.next_number(), 9'999'999'999U);
  EXPECT_EQ(NetpbmScanner{"99999999999"}.next_number(), std::nullopt);
}

TEST(Netpbm, OneWhiteSpaceEndsTheHeader) {
  NetpbmScanner scanner{" 8\n\n#"};
  EXPECT_EQ(scanner.next_number(), 8U);
  EXPECT_EQ(scanner.raster(), "\n#");
  EXPECT_EQ(NetpbmScanner{""}.raster(), "");
}

}  // namespace
}  // namespace dcube::testing
