#include "program/image_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "dcube/core/errors.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"
#include "support/warnings_of.hpp"

namespace dcube {
namespace {

using namespace std::string_literals;

/// Three pixels with colours and opacity: red, white, and white that nobody sees.
constexpr std::array<unsigned char, 72> colour_png{
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1b,
    0xe0, 0x14, 0xb4, 0x00, 0x00, 0x00, 0x0f, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8,
    0xcf, 0xc0, 0xf0, 0x1f, 0x0a, 0x18, 0x00, 0x37, 0xd5, 0x08, 0xf8, 0xdf, 0xbb, 0xdd, 0x4a,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

class ImageFile : public ::testing::Test {
 protected:
  GreyImage read(const std::string& content) const {
    return read_image(folder.write("x", content), "/program/image");
  }
  std::string complaint_about(const std::string& content) const {
    return folder.shortened(complaint([&] { read(content); }));
  }

  TemporaryFolder folder;
};

const GreyImage two_by_three{2, 3, {0, 255, 7, 100, 10, 32}};

TEST_F(ImageFile, PlainPgmWithCommentsIsRead) {
  EXPECT_EQ(read("P2 # plain\n# a comment\n2 3\n255\n0 255 7 # seven\n100\n10 32"), two_by_three);
}

TEST_F(ImageFile, BinaryPgmIsReadWhateverItsPixelsLookLike) {
  // 10 and 32 are white space elsewhere.
  EXPECT_EQ(read("P5\n2 3\n255\n\0\xff\x07\x64\n "s), two_by_three);
  EXPECT_EQ(read("P5 1 1 15\n "s.replace(10, 1, "\x0f")), (GreyImage{1, 1, {15}}));
}

TEST_F(ImageFile, WhatIsWrittenIsReadBack) {
  for (const char* name : {"x.pgm", "x.png"}) {
    EXPECT_EQ(read(image_file_content(two_by_three, name)), two_by_three) << name;
  }
  EXPECT_TRUE(image_file_content(two_by_three, "x.pgm").starts_with("P5\n2 3\n255\n"));
  EXPECT_TRUE(image_file_content(two_by_three, "x.png").starts_with("\x89PNG"));
  EXPECT_TRUE(is_image_name("a/b.png"));
  EXPECT_FALSE(is_image_name("b.jpg"));
}

TEST_F(ImageFile, ColourPngBecomesGreyOverBlack) {
  GreyImage image;
  const std::string warnings = warnings_of([&] {
    image = read({colour_png.begin(), colour_png.end()});
  });
  EXPECT_EQ(folder.shortened(warnings),
            "/program/image: x has colours, which become grey over black as "
            "the eye sees them; "
            "save it in 8 bits of grey for values of your own\n");
  EXPECT_EQ(image.width, 3U);
  ASSERT_EQ(image.pixels.size(), 3U);
  EXPECT_EQ(image.pixels[1], 255);
  EXPECT_EQ(image.pixels[2], 0);
  // Red is 21 % of the light of white, which the eye's scale shows as half.
  EXPECT_NEAR(image.pixels[0], 127, 1);
}

TEST_F(ImageFile, AGreyPngGivesItsOwnValuesWhateverItsGamma) {
  const std::string gamma_of_1 = "\0\0\0\x04gAMA\0\x01\x86\xa0\x31\xe8\x96\x5f"s;
  constexpr std::size_t header_end = 33;
  std::string png = image_file_content(two_by_three, "x.png");
  png.insert(header_end, gamma_of_1);
  EXPECT_EQ(read(png), two_by_three);
  EXPECT_EQ(warnings_of([&] { read(png); }), "");
}

TEST_F(ImageFile, APngOf16BitsIsAnInputError) {
  constexpr std::array<unsigned char, 68> grey_16{
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
      0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x00, 0x00,
      0x00, 0x6a, 0xee, 0x47, 0x16, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78,
      0x9c, 0x63, 0xb0, 0xb1, 0x01, 0x00, 0x00, 0xb7, 0x00, 0x79, 0xe4, 0xd1, 0x38, 0xe9,
      0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  EXPECT_EQ(complaint_about({grey_16.begin(), grey_16.end()}),
            "/program/image: x has values of 16 bits (only images of 8 bits "
            "can be read)");
}

TEST_F(ImageFile, MissingFilesAreInputErrors) {
  EXPECT_EQ(folder.shortened(complaint([&] { read_image(folder.path() / "no.png", "/image"); })),
            "/image: no.png cannot be read (No such file or directory)");
  std::filesystem::create_directory(folder.path() / "sub");
  EXPECT_EQ(folder.shortened(complaint([&] { read_image(folder.path() / "sub", "/image"); })),
            "/image: sub cannot be read (it is a directory)");
}

TEST_F(ImageFile, GarbledPgmIsAnInputError) {
  EXPECT_EQ(complaint_about(""), "/program/image: x is empty");
  EXPECT_EQ(complaint_about("P2"),
            "/program/image: x is not an image that can be read (PGM of 8 bits, or PNG)");
  EXPECT_EQ(complaint_about("P6 1 1 255 abc"),
            "/program/image: x is not an image that can be read (PGM of 8 bits, or PNG)");
  EXPECT_EQ(complaint_about("P2 2"), "/program/image: x is cut short (its header ends too early)");
  EXPECT_EQ(complaint_about("P2 2 1 255 7"),
            "/program/image: x is cut short (1 of 2 pixels are there)");
  EXPECT_EQ(complaint_about("P5 2 2 255 abc"),
            "/program/image: x is cut short (3 of 4 pixels are there)");
  EXPECT_EQ(complaint_about("P2 0 4 255 "), "/program/image: x is an empty image (0x4 pixels)");
  EXPECT_EQ(complaint_about("P2 1 1 9 10"),
            "/program/image: x is garbled (a pixel of 10, more than the greatest value, 9)");
  EXPECT_EQ(complaint_about("P2 1 x 255 7"),
            "/program/image: x is not a PGM image (something else stands where a number should)");
  EXPECT_EQ(complaint_about("P5 1 1 65535 77"),
            "/program/image: x has a greatest value of 65535 (only images of 8 bits, 1 to 255, can "
            "be read)");
  EXPECT_EQ(complaint_about("P5 99999 99999 255 7"),
            "/program/image: x is too large (99999x99999 pixels; at most 268435456)");
}

TEST_F(ImageFile, GarbledPngIsAnInputError) {
  const std::string png = image_file_content(two_by_three, "x.png");
  const std::string start = "/program/image: x is not a readable PNG image (";
  for (std::size_t length = 8; length + 12 < png.size(); ++length) {
    EXPECT_TRUE(complaint_about(png.substr(0, length)).starts_with(start)) << length;
  }
  std::string garbled = png;
  garbled[20] = static_cast<char>(garbled[20] ^ 1);  // in the height: the checksum notices
  EXPECT_TRUE(complaint_about(garbled).starts_with(start));
}

}  // namespace
}  // namespace dcube
