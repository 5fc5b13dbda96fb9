#include "dcube/show/text_table.hpp"

#include <gtest/gtest.h>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

TEST(Table, ColumnsAreAlignedAndLinesEndWithoutBlanks) {
  Table table{{{"name", Table::Align::left}, {"count"}, {"", Table::Align::left}}};
  table.add_row({"a", "1,000", "##"});
  table.add_row({"longer", "2", ""});
  EXPECT_EQ(table.text(),
            "name    count\n"
            "a       1,000  ##\n"
            "longer      2\n");
}

TEST(Table, NoHeaderLineWhenAllHeadersAreEmpty) {
  Table table{{{"", Table::Align::left}, {""}}};
  table.add_row({"a", "b"});
  EXPECT_EQ(table.text(2), "  a  b\n");
}

TEST(Table, AGroupTitleStandsAboveItsColumnsAndMakesRoomForItself) {
  Table table{{{"m", Table::Align::left}, {"x"}, {"y"}, {"z"}}};
  table.add_group(1, 2, "long title");
  table.add_group(3, 1, "z's");
  table.add_row({"r", "1", "2", "3"});
  EXPECT_EQ(table.text(),
            "   long title  z's\n"
            "m        x  y    z\n"
            "r        1  2    3\n");
}

TEST(Table, ColumnsAreAsWideAsTheirCharacters) {
  Table table{{{"näme", Table::Align::left}, {"n"}}};
  table.add_group(0, 1, "größer");
  table.add_group(1, 1, "z");
  table.add_row({"µ", "1"});
  EXPECT_EQ(table.text(),
            "größer  z\n"
            "näme    n\n"
            "µ       1\n");
}

TEST(Table, CellsHoldNoControlCharacters) {
  Table table{{{"", Table::Align::left}, {""}}};
  table.add_row({"a\x1b[2J\nb", "c"});
  EXPECT_EQ(table.text(), "a\\u001b[2J\\nb  c\n");
}

TEST(Table, ARowThatMissesACellIsAContractViolation) {
  Table table{{{"a"}, {"b"}}};
  EXPECT_THROW(table.add_row({"1"}), ContractViolation);
}

}  // namespace
}  // namespace dcube
