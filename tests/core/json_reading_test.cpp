#include "core/json_reading.hpp"

#include <gtest/gtest.h>

#include "scenario/temporary_folder.hpp"
#include "support/comma_locale.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

std::string bad_json(std::string_view text) {
  return complaint([&] { read_json(text, "x.json"); });
}

TEST(JsonReading, KeepsTheDecimalTextOfNumbers) {
  const Setting document =
      read_json(R"([0.1, 1.10, 12345678901234567890123, -3, 1e-30, 18446744073709551615])", "x");
  EXPECT_EQ(document.list()->at(0).number()->text, "0.1");
  EXPECT_EQ(document.list()->at(1).number()->text, "1.10");
  EXPECT_EQ(document.list()->at(2).number()->text, "12345678901234567890123");
  EXPECT_EQ(document.list()->at(3).number()->text, "-3");
  EXPECT_EQ(document.list()->at(4).number()->text, "1e-30");
  EXPECT_EQ(document.list()->at(5).number()->text, "18446744073709551615");
}

TEST(JsonReading, NumbersDoNotFollowTheLocaleOfTheProgram) {
  const CommaLocale locale;
  if (!locale.is_set()) {
    GTEST_SKIP() << "no such locale can be made here";
  }
  const Setting document = read_json("[0.1, -1.10e-5, 2E3, 12]", "x");
  EXPECT_EQ(document.list()->at(0).number()->text, "0.1");
  EXPECT_EQ(document.list()->at(1).number()->text, "-1.10e-5");
  EXPECT_EQ(document.list()->at(2).number()->text, "2E3");
  EXPECT_EQ(document.list()->at(3).number()->text, "12");
}

TEST(JsonReading, ANulByteIsNoEnd) {
  using namespace std::string_view_literals;
  EXPECT_EQ(bad_json("{}\0"sv), "x.json: line 1, column 3: a NUL byte is no part of JSON");
  EXPECT_EQ(bad_json("{\n}\0 {{{"sv), "x.json: line 2, column 2: a NUL byte is no part of JSON");
  EXPECT_EQ(bad_json("[1]\n\0\0"sv), "x.json: line 2, column 1: a NUL byte is no part of JSON");
  EXPECT_NE(bad_json("[1, \0 2]"sv), "");
  EXPECT_NE(bad_json("[\"\0\"]"sv), "");
  EXPECT_EQ(read_json_value("5\0"sv, "x", "/a"), std::nullopt);
}

TEST(JsonReading, ReadsEveryKindOfValue) {
  const Setting document =
      read_json(R"({"a": null, "b": true, "c": "t\u00e9", "d": [], "e": {}})", "x");
  const Params& group = *document.group();
  EXPECT_EQ(group.find("a")->describe(), "null");
  EXPECT_TRUE(group.boolean("b", false));
  EXPECT_EQ(group.text("c"), "t\u00e9");
  EXPECT_TRUE(group.find("d")->list()->empty());
  EXPECT_TRUE(group.group("e").keys().empty());
}

TEST(JsonReading, GroupsKnowTheirPlace) {
  const Setting document = read_json(R"({"a/b": [1, {"c": {}}]})", "x.json");
  const Setting& entry = document.group()->find("a/b")->list()->at(1);
  EXPECT_EQ(document.group()->place_of("a/b"), "x.json: /a~1b");
  EXPECT_EQ(entry.group()->place(), "x.json: /a~1b/1");
  EXPECT_EQ(entry.group()->group("c").place_of("d"), "x.json: /a~1b/1/c/d");
}

TEST(JsonReading, SyntaxErrorNamesLineAndColumn) {
  EXPECT_EQ(bad_json("{\n  \"a\": 1,\n}"),
            "x.json: line 3, column 1: syntax error while parsing object key - unexpected '}'; "
            "expected string literal");
  EXPECT_NE(bad_json(""), "");
  EXPECT_NE(bad_json("{\"a\": tru"), "");
}

TEST(JsonReading, DuplicateKeyNamesWhereItsSecondTimeBegins) {
  EXPECT_EQ(bad_json("{\"ab\": 1,\n \"ab\": 2}"),
            "x.json: line 2, column 2: the key \"ab\" is given twice");
  EXPECT_EQ(bad_json(R"({"a\"\\": 1, "a\"\\": 2})"),
            "x.json: line 1, column 14: the key \"a\"\\\" is given twice");
  EXPECT_EQ(bad_json(R"({"": 1, "": 2})"), "x.json: line 1, column 9: the key \"\" is given twice");
  EXPECT_EQ(bad_json(R"({"a": {"b": 1}, "b": {"a": 1}})"), "");
}

TEST(JsonReading, DeepNestingIsRejectedAtOnce) {
  EXPECT_EQ(bad_json(std::string(64, '[') + std::string(64, ']')), "");
  EXPECT_EQ(bad_json(std::string(1'000'000, '[')),
            "x.json: line 1, column 65: nested too deeply (more than 64 levels)");
}

TEST(JsonReading, ValueThatIsNoJsonIsNothing) {
  EXPECT_EQ(read_json_value("64", "x", "/a")->describe(), "64");
  EXPECT_EQ(read_json_value("{\"b\": {}}", "x", "/a")->group()->group("b").place(), "x: /a/b");
  EXPECT_FALSE(read_json_value("xor", "x", "/a"));
  EXPECT_FALSE(read_json_value("", "x", "/a"));
}

TEST(JsonReading, UnreadableFileSaysWhy) {
  const TemporaryFolder folder;
  EXPECT_EQ(folder.shortened(complaint([&] { read_json_file(folder.path() / "none.json"); })),
            "none.json: cannot be read (No such file or directory)");
  std::filesystem::create_directory(folder.path() / "d");
  EXPECT_EQ(folder.shortened(complaint([&] { read_json_file(folder.path() / "d"); })),
            "d: cannot be read (it is a directory)");
}

TEST(JsonReading, FileMustHoldAnObject) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.json", "5");
  EXPECT_EQ(folder.shortened(complaint([&] { read_json_file(file); })),
            "x.json: 5 is not a JSON object { .. }");
}

}  // namespace
}  // namespace dcube
