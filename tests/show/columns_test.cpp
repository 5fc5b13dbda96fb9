#include "dcube/show/columns.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace dcube {
namespace {

constexpr Ticks millisecond{1'000'000'000};

struct Row {
  std::string name;
  Ticks least{0};
  std::optional<Ticks> greatest{};
  std::uint64_t hops = 0;
};

const Columns<Row> columns{
    {"run", Shown::text, &Row::name, "run"},
    {"least", Shown::time, &Row::least, "least_s", "makespan"},
    {"greatest", Shown::time, &Row::greatest, "greatest_s", "makespan"},
    {"hops", Shown::count, &Row::hops, "hops"},
    {"share", Shown::share, [](const Row& run) { return static_cast<double>(run.hops) / 4000; }},
    {"", Shown::nowhere, [](const Row& run) { return run.hops > 1000; }, "is_long"}};

const std::vector<Row> runs{{"a,b", millisecond * 3 / 2, 20 * millisecond, 2000},
                            {"c", 2 * millisecond, {}, 1000}};

TEST(Columns, TextHasTheShownOnesAndOneUnitForAGroup) {
  EXPECT_EQ(text_table(columns, runs).text(),
            "     makespan\n"
            "run   least  greatest   hops   share\n"
            "a,b  1.5 ms   20.0 ms  2,000  50.0 %\n"
            "c    2.0 ms         -  1,000  25.0 %\n");
}

TEST(Columns, FactsAreTheShownOnesOfOneRowThatHaveAValue) {
  EXPECT_EQ(facts_table(columns, runs[1]).text(2),
            "  run    c\n"
            "  least  2 ms\n"
            "  hops   1,000\n"
            "  share  25.0 %\n");
}

TEST(Columns, CsvHasThoseWithAKeyAndQuotesWhereItMust) {
  EXPECT_EQ(csv_table(columns, runs),
            "run,least_s,greatest_s,hops,is_long\n"
            "\"a,b\",0.0015,0.02,2000,true\n"
            "c,0.002,,1000,false\n");
}

TEST(Columns, RowsMayBePointers) {
  const std::vector<const Row*> last{&runs.back()};
  EXPECT_EQ(csv_table(columns, last), "run,least_s,greatest_s,hops,is_long\nc,0.002,,1000,false\n");
}

TEST(Columns, JsonHasNullForAMissingValue) {
  nlohmann::ordered_json json;
  add_members(json, columns, runs.back());
  EXPECT_EQ(json.dump(),
            R"({"run":"c","least_s":0.002,"greatest_s":null,"hops":1000,"is_long":false})");
}

TEST(Columns, DotsInKeysAreGroupsInJson) {
  nlohmann::ordered_json json{{"b", 1}};
  add_members(json,
              Columns<Row>{{"", Shown::nowhere, &Row::hops, "load.link.max"},
                           {"", Shown::nowhere, &Row::name, "load.name"}},
              runs.back());
  EXPECT_EQ(json.dump(), R"({"b":1,"load":{"link":{"max":1000},"name":"c"}})");
}

TEST(Columns, PartsThatAreMissingAndTextsInPlaceOfNumbersAreShown) {
  struct Pair {
    const Row* part;
  };
  const Columns<Pair> all = Columns<Pair>{{"state", Shown::count,
                                           [](const Pair& row) {
                                             return row.part ? CellValue{7} : CellValue{"refused"};
                                           }}} +
                            columns_of_part<Pair>(Columns<Row>{columns[0], columns[3]},
                                                  [](const Pair& row) { return row.part; });
  EXPECT_EQ(text_table(all, std::vector<Pair>{{&runs.front()}, {nullptr}}).text(),
            "  state  run   hops\n"
            "      7  a,b  2,000\n"
            "refused  -        -\n");
}

TEST(Columns, PagesGetThoseThatAreShownAndHaveAKey) {
  const std::vector<PageCell> cells = page_cells(columns, runs.front());
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[1].title, "least makespan");
  EXPECT_EQ(cells[1].key, "least_s");
  EXPECT_STREQ(to_string(cells[1].shown), "time");
}

TEST(Table, CellsOfAGroupNameItAndMarkdownKeepsBarsInside) {
  EXPECT_EQ(
      text_table(columns, runs).cells().front(),
      (std::vector<std::string>{"run", "least makespan", "greatest makespan", "hops", "share"}));
  Table table{{{"point", Table::Align::left}, {"error"}}};
  table.add_row({"a|b", "1 %"});
  EXPECT_EQ(table.markdown(), "| point | error |\n| --- | ---: |\n| a\\|b | 1 % |\n");
}

}  // namespace
}  // namespace dcube
