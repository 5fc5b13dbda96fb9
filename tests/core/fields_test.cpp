#include "core/fields.hpp"

#include <gtest/gtest.h>

namespace dcube {
namespace {

std::string shown(std::string_view complaint) {
  return with_fields_named(complaint, [](std::string_view field) {
    return field == "seeds" || field == "process_count" ? std::optional{"--" + std::string{field}}
                                                        : std::nullopt;
  });
}

TEST(Fields, APlaceIsNamedInTheUsersWords) {
  EXPECT_EQ(shown(".seeds: 0 is too few"), "--seeds: 0 is too few");
  EXPECT_EQ(shown(".process_count"), "--process_count");
  EXPECT_EQ(shown(".seeds /embedding: is empty"), "--seeds /embedding: is empty");
}

TEST(Fields, SoAreThoseWithinASentence) {
  EXPECT_EQ(shown("x: say `.seeds` or `.process_count`."), "x: say --seeds or --process_count.");
}

TEST(Fields, WhatIsNoFieldStays) {
  for (const char* text : {".hidden: cannot be read", "`.other` is none", "`.seeds is open", "`.",
                           ".", "", ".seeds.json: cannot be read", "1.seeds: no"}) {
    EXPECT_EQ(shown(text), text);
  }
}

}  // namespace
}  // namespace dcube
