#include "core/json_writing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dcube {
namespace {

using nlohmann::ordered_json;

TEST(JsonLayout, WhatFitsALineStandsOnOne) {
  EXPECT_EQ(json_layout({{"a", 1}, {"b", {{"c", {1, 2}}, {"d", 10.0}}}, {"e", nullptr}}),
            "{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2], \"d\": 10.0},\n  \"e\": null\n}\n");
}

TEST(JsonLayout, EmptyGroupsAndListsStayShort) {
  EXPECT_EQ(json_layout({{"a", ordered_json::object()}, {"b", ordered_json::array()}}),
            "{\n  \"a\": {},\n  \"b\": []\n}\n");
}

TEST(JsonLayout, LongListsFillLines) {
  ordered_json numbers = ordered_json::array();
  for (int i = 1000; i < 2000; ++i) {
    numbers.push_back(i);
  }
  const std::string text = json_layout({{"a", numbers}});
  EXPECT_EQ(ordered_json::parse(text)["a"], numbers);
  EXPECT_TRUE(text.starts_with("{\n  \"a\": [\n    1000, 1001, 1002, "));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 70);
}

TEST(JsonLayout, NoLineOfNumbersIsLongerThanThePage) {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < 200; ++i) {
    rows.push_back({{"process", i}, {"values", std::vector<int>(static_cast<std::size_t>(i), i)}});
  }
  const std::string text = json_layout({{"rows", rows}});
  EXPECT_EQ(ordered_json::parse(text)["rows"], rows);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(end - begin, 120U);
    begin = end + 1;
  }
}

TEST(JsonLayout, ALineOfNumbersMayBeAsWideAsThePage) {
  // Nine numbers, each with its comma, after four spaces.
  const std::vector<std::int64_t> numbers(10, 12'345'678'901);
  std::string line = "\n    12345678901,";
  for (int i = 1; i < 9; ++i) {
    line += " 12345678901,";
  }
  ASSERT_EQ(line.size(), 1 + 120U);
  EXPECT_EQ(json_layout({{"a", numbers}}), "{\n  \"a\": [" + line + "\n    12345678901\n  ]\n}\n");
}

TEST(JsonLayout, AListStandsOnOneLineWhereItFits) {
  EXPECT_EQ(json_layout(std::vector<int>{2, 0, 1}), "[2, 0, 1]\n");
}

TEST(JsonLayout, ALongListMayComeAsLinesOfText) {
  const std::string text = json_layout_with_lines({{"a", "}"}, {"b", {{"c", 1}}}}, "rows",
                                                  "    {\"d\":1},\n    {\"d\":2}");
  EXPECT_EQ(text,
            "{\n  \"a\": \"}\",\n  \"b\": {\"c\": 1},\n"
            "  \"rows\": [\n    {\"d\":1},\n    {\"d\":2}\n  ]\n}\n");
  EXPECT_EQ(ordered_json::parse(text)["rows"][1]["d"], 2);
}

TEST(JsonText, WholeNumbersThatADoubleHoldsExactlyAreIntegers) {
  const auto text_of = [](const char* number) {
    return json_text(Setting{Setting::Number{number}});
  };
  EXPECT_EQ(text_of("4.0"), "4");
  EXPECT_EQ(text_of("-2e3"), "-2000");
  EXPECT_EQ(text_of("0.5"), "0.5");
  EXPECT_EQ(text_of("9007199254740991.0"), "9007199254740991");
  EXPECT_EQ(text_of("-9007199254740991.0"), "-9007199254740991");
  EXPECT_EQ(text_of("9007199254740992.0"), "9.007199254740992e+15");
  EXPECT_EQ(text_of("-9007199254740992.0"), "-9.007199254740992e+15");
  EXPECT_EQ(text_of("18446744073709551615"), "18446744073709551615") << "written as an integer";
  EXPECT_EQ(text_of("1e300"), "1e+300");
}

TEST(JsonLayout, InvalidUtf8IsReplaced) {
  EXPECT_EQ(json_layout({{"a", "\xff"}}), "{\n  \"a\": \"\xef\xbf\xbd\"\n}\n");
  EXPECT_EQ(json_string("a\"b\\c\n\x80"), "\"a\\\"b\\\\c\\n\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace dcube
