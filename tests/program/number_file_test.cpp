#include "program/number_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/temporary_folder.hpp"
#include "support/complaint.hpp"

namespace dcube {
namespace {

using Numbers = std::vector<double>;

/// What a file with this text holds.
NumberTable table_of(std::string_view text) {
  const TemporaryFolder folder;
  return read_number_file(folder.write("x.csv", text), "/input", {"re", "im"});
}

std::string complaint_about(std::string_view text) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("x.csv", text);
  return folder.shortened(complaint([&] { read_number_file(file, "/input", {"re", "im"}); }));
}

TEST(NumberFile, HoldsRowsOfNumbers) {
  const NumberTable table = table_of("1,2\n-3.5, 4e-2\n");
  EXPECT_EQ(table.columns, 2U);
  EXPECT_EQ(table.row_count(), 2U);
  EXPECT_EQ(table.values, (Numbers{1, 2, -3.5, 0.04}));
}

TEST(NumberFile, AFirstLineOfWordsNamesTheColumns) {
  EXPECT_EQ(table_of("re,im\n1,2\n").values, (Numbers{1, 2}));
  EXPECT_EQ(table_of("Im, \"re\"\n1,2\n3,4\n").values, (Numbers{2, 1, 4, 3}));
  EXPECT_EQ(table_of("\n\"re\"\n7\n").values, (Numbers{7}));
  EXPECT_EQ(table_of("+1\n+2\n").values, (Numbers{1, 2}));
}

TEST(NumberFile, OtherNamesOfColumnsAreAnInputError) {
  const std::string way_out = "; name the columns re,im, or leave the line out";
  EXPECT_EQ(complaint_about("foo,re\n1,2\n"),
            "/input: x.csv: line 1 names no column `im`" + way_out);
  EXPECT_EQ(complaint_about("re,re\n1,2\n"),
            "/input: x.csv: line 1 names no column `im`" + way_out);
  EXPECT_EQ(complaint_about("l0\n1\n"), "/input: x.csv: line 1 names no column `re`" + way_out);
  EXPECT_EQ(complaint_about("im\n1\n"), "/input: x.csv: line 1 names no column `re`" + way_out);
}

TEST(NumberFile, LineEndsBlanksSignsAndTheByteOrderMarkDoNotMatter) {
  EXPECT_EQ(table_of("\xef\xbb\xbf"
                     "1 ,\t2\r\n\r\n  \n+3,.5")
                .values,
            (Numbers{1, 2, 3, 0.5}));
}

TEST(NumberFile, WithoutNumbersIsAnInputError) {
  EXPECT_EQ(complaint_about(""), "/input: x.csv is empty");
  EXPECT_EQ(complaint_about("\n \n"), "/input: x.csv holds no numbers");
  EXPECT_EQ(complaint_about("re,im\n"), "/input: x.csv holds no numbers");
}

TEST(NumberFile, WhatIsNotAFiniteNumberIsNamedWithItsLine) {
  EXPECT_EQ(complaint_about("1\ntwo\n"), "/input: x.csv: line 2 has \"two\", not a finite number");
  EXPECT_EQ(complaint_about("re\nim\n"), "/input: x.csv: line 2 has \"im\", not a finite number");
  EXPECT_EQ(complaint_about("x,1\n"), "/input: x.csv: line 1 has \"x\", not a finite number");
  EXPECT_EQ(complaint_about("NaN\n1\n"), "/input: x.csv: line 1 has \"NaN\", not a finite number");
  EXPECT_EQ(complaint_about("1\n-inf\n"),
            "/input: x.csv: line 2 has \"-inf\", not a finite number");
  EXPECT_EQ(complaint_about("1\n1.5x\n"),
            "/input: x.csv: line 2 has \"1.5x\", not a finite number");
  EXPECT_EQ(complaint_about("1;2\n"), "/input: x.csv: line 1 has \"1;2\", not a finite number");
  EXPECT_EQ(complaint_about("1e999\n"), "/input: x.csv: line 1 has 1e999, beyond double precision");
  EXPECT_EQ(complaint_about(std::string_view{"1\n\0\1\n", 5}),
            "/input: x.csv: line 2 has \"\\u0000\\u0001\", not a finite number");
}

TEST(NumberFile, WholeNumbersThatNoDoubleIsEqualToMayBeRefused) {
  const TemporaryFolder folder;
  const auto complaint_about_one = [&folder](std::string_view number) {
    const std::filesystem::path file = folder.write("x.csv", number);
    return complaint([&] { read_number_file(file, "/input", {"key"}, LargeNumbers::refused); });
  };
  for (const char* exact :
       {"9007199254740992", "-9007199254740994", "+18446744073709551616", "0", "-0", "007", "0.1",
        "0.1000000000000000055511151231257827", "9007199254740993.0", "1e23"}) {
    EXPECT_EQ(complaint_about_one(exact), "") << exact;
  }
  for (const char* inexact : {"9007199254740993", "-9007199254740993", "+0018446744073709551615"}) {
    EXPECT_NE(complaint_about_one(inexact), "") << inexact;
  }
  EXPECT_EQ(table_of("9007199254740993").values, (Numbers{9007199254740992}));
}

TEST(NumberFile, RaggedRowsAreNamedWithTheirLine) {
  EXPECT_EQ(complaint_about("1,2\n\n3\n"), "/input: x.csv: line 3 has 1 field, but line 1 has 2");
  EXPECT_EQ(complaint_about("re\n1,2\n"), "/input: x.csv: line 2 has 2 fields, but line 1 has 1");
  EXPECT_EQ(complaint_about("1,2\n3,\n"),
            "/input: x.csv: line 2 has an empty field (a number is missing)");
}

TEST(NumberFile, MoreColumnsThanCanBeUsedAreAnInputError) {
  EXPECT_EQ(table_of("1,2\n").columns, 2U);
  EXPECT_EQ(complaint_about("1,2,3\n"),
            "/input: x.csv: line 1 has 3 fields; at most 2 can be used");
}

TEST(NumberFile, AFileThatCannotBeReadIsAnInputError) {
  const TemporaryFolder folder;
  const auto problem = [&](const std::filesystem::path& file) {
    return folder.shortened(complaint([&] { read_number_file(file, "/input", {"key"}); }));
  };
  EXPECT_EQ(problem(folder.path() / "gone.csv"),
            "/input: gone.csv cannot be read (No such file or directory)");
  EXPECT_EQ(problem("/"), "/input: / cannot be read (it is a directory)");
  EXPECT_EQ(problem("/dev/zero"), "/input: /dev/zero cannot be read (it is a device)");
}

}  // namespace
}  // namespace dcube
