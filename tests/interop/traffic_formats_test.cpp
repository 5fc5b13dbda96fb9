#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reading.hpp"
#include "support/complaint.hpp"
#include "support/warnings_of.hpp"

namespace dcube {
namespace {

Flow flow(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t messages = 1) {
  return {ProcessId{from}, ProcessId{to}, bytes, messages};
}

std::string written(const char* format, const Traffic& traffic) {
  return find_kind(traffic_format_catalog(), format)->write(traffic);
}

std::string traffic_problem(const char* format, std::string_view text) {
  return complaint([&] { reading::traffic(format, text); });
}

TEST(TrafficFormats, AreSortedByName) {
  const auto formats = traffic_format_catalog();
  EXPECT_EQ(formats.size(), 6U);
  EXPECT_TRUE(std::ranges::is_sorted(formats, {}, &TrafficFormat::name));
}

TEST(TrafficFormats, AreFoundByPrefixOrSuffix) {
  EXPECT_EQ(parse_traffic_file("mtx:a.csv").format->name, "mtx");
  EXPECT_EQ(parse_traffic_file("mtx:a.csv").file, "a.csv");
  EXPECT_EQ(parse_traffic_file("a.grf").format->name, "grf");
  EXPECT_EQ(complaint([] { parse_traffic_file("a.txt"); }),
            "\"a.txt\" does not say what it is written in (FORMAT:FILE with csv, csv-from-1, grf, "
            "matrix, metis, mtx, "
            "or one of the suffixes .csv .grf .graph .mtx)");
  EXPECT_EQ(complaint([] { read_traffic("gone.csv"); }),
            "gone.csv: cannot be read (No such file or directory)");
}

TEST(TrafficFormats, ComeBackAsTheyWereWritten) {
  const Traffic traffic{5,
                        {flow(0, 1, 7), flow(1, 0, 7), flow(1, 3, 1000000000000),
                         flow(3, 1, 1000000000000), flow(2, 0, 0), flow(0, 2, 0)}};
  for (const TrafficFormat* format : traffic_format_catalog()) {
    // Two have no room for messages without bytes.
    if (format->name != "matrix" && format->name != "metis") {
      EXPECT_EQ(reading::traffic(format->name, format->write(traffic)), traffic) << format->name;
    }
  }
  const Traffic loud{5, {flow(0, 1, 7), flow(1, 3, 1000000000000), flow(2, 0, 9)}};
  EXPECT_EQ(written("matrix", loud),
            "0 7 0 0 0\n0 0 0 1000000000000 0\n9 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n");
  EXPECT_EQ(reading::traffic("matrix", written("matrix", loud)), loud);
}

TEST(TrafficFormats, DoNotMindOtherEditors) {
  const Traffic traffic{3, {flow(0, 1, 7), flow(1, 0, 7), flow(1, 2, 9), flow(2, 1, 9)}};
  for (const TrafficFormat* format : traffic_format_catalog()) {
    for (const std::string& edited : reading::as_other_editors_write(format->write(traffic))) {
      EXPECT_EQ(reading::traffic(format->name, edited), traffic) << format->name << "\n" << edited;
    }
  }
}

TEST(TrafficFormats, SilentTrafficComesBack) {
  const Traffic traffic{4, {}};
  for (const TrafficFormat* format : traffic_format_catalog()) {
    EXPECT_EQ(reading::traffic(format->name, format->write(traffic)), traffic) << format->name;
  }
}

TEST(TrafficCsv, KeepsMessagesAndTheSilentLastProcess) {
  const Traffic traffic{6, {flow(0, 1, 7, 3), flow(4, 0, 0, 2)}};
  EXPECT_EQ(written("csv", traffic), "from,to,bytes,messages\n0,1,7,3\n4,0,0,2\n5,5,0,0\n");
  EXPECT_EQ(reading::traffic("csv", written("csv", traffic)), traffic);
}

TEST(TrafficCsv, AddsUpRows) {
  EXPECT_EQ(reading::traffic("csv", "bytes,to,from\n5,1,0\n6,1,0\n9,2,2\n"),
            (Traffic{3, {flow(0, 1, 11, 2)}}));
}

TEST(TrafficCsv, NamesTheLineThatCannotBe) {
  EXPECT_EQ(traffic_problem("csv", "from,bytes\n"), "x: line 1: there is no column `to`");
  EXPECT_EQ(traffic_problem("csv", "0\n"), "x: line 1: there is no column `to`");
  EXPECT_EQ(traffic_problem("csv", "from,source,to\n"),
            "x: line 1: the column `from` is there twice");
  EXPECT_EQ(traffic_problem("csv", "0,1,5\n0,1,-5\n"),
            "x: line 2: -5 is not a number of bytes (0 to 2^63-1)");
  EXPECT_EQ(traffic_problem("csv", "0,4294967295,5\n"),
            "x: line 1: 4294967295 is not a process (a whole number)");
  EXPECT_EQ(traffic_problem("csv", "from,to,bytes\n"),
            "x: holds no traffic (rows from,to,bytes,messages)");
  EXPECT_EQ(traffic_problem("csv", ""), "x: holds no traffic (rows from,to,bytes,messages)");
  EXPECT_EQ(traffic_problem("csv", "0,1,0,0\n0,1,5,0\n"),
            "x: line 2: 5 bytes in 0 messages (bytes are in one message at least)");
  EXPECT_EQ(traffic_problem("csv", "0,1,9223372036854775807\n0,1,1\n"),
            "x: the traffic adds up to more than 2^63-1 bytes or messages");
}

TEST(TrafficCsv, ReadsTheWordsOfOtherTools) {
  const Traffic traffic{3, {flow(0, 1, 7), flow(2, 0, 9)}};
  EXPECT_EQ(reading::traffic("csv", "source,destination,bytes\n0,1,7\n2,0,9\n"), traffic);
  EXPECT_EQ(reading::traffic("csv", "Target;Weight;Source\n1;7;0\n0;9;2\n"), traffic);
  EXPECT_EQ(reading::traffic("csv", "src\tdst\tsize\n0\t1\t7\n2\t0\t9\n"), traffic);
}

TEST(TrafficCsv, CellsStandBetweenCommasSemicolonsOrBlanks) {
  const Traffic traffic{3, {flow(0, 1, 7), flow(2, 0, 9)}};
  for (const char* text : {"0,1,7\n2,0,9\n", "0;1;7\n2; 0; 9\n", "0 1 7\n2  0\t9\n",
                           "0.000e+00 1.000e+00 7.000e+00\n2.000e+00 0.000e+00 9.000e+00\n"}) {
    EXPECT_EQ(reading::traffic("csv", text), traffic) << text;
  }
}

TEST(TrafficCsv, RowsWithoutBytesCountOne) {
  const Traffic traffic{3, {flow(0, 1, 2, 2), flow(2, 0, 1)}};
  EXPECT_EQ(reading::traffic("csv", "source,destination\n0,1\n2,0\n0,1\n"), traffic);
  EXPECT_EQ(reading::traffic("csv", "0 1\n2 0\n0 1\n"), traffic);
}

TEST(TrafficCsv, ReadsAMatrix) {
  const Traffic traffic{5, {flow(0, 1, 7), flow(4, 0, 9)}};
  const std::string zeros = "0,0,0,0,0\n";
  const std::string matrix = "0,7,0,0,0\n" + zeros + zeros + zeros + "9,0,0,0,0\n";
  EXPECT_EQ(reading::traffic("csv", matrix), traffic);
  for (const std::string separator : {";", " ", " ; ", "\t"}) {
    std::string text;
    for (const char c : matrix) {
      text += c == ',' ? separator : std::string{c};
    }
    EXPECT_EQ(reading::traffic("csv", text), traffic) << text;
  }
  EXPECT_EQ(reading::traffic("csv", ",a,b\na,0,7\nb,1,0\n"),
            (Traffic{2, {flow(0, 1, 7), flow(1, 0, 1)}}));  // as pandas writes it
}

TEST(TrafficCsv, NamesWhatIsNoSquareMatrix) {
  EXPECT_EQ(traffic_problem("csv", "0,1,2,3,4\n"),
            "x: 1 rows of 5 numbers are no square matrix (of the bytes from each process to each); "
            "rows of an edge list have at most 4: from,to,bytes,messages");
  EXPECT_EQ(traffic_problem("csv", "0 1 2 3 4\n0 1 2\n"),
            "x: line 2: 3 cells where the first line has 5");
  EXPECT_EQ(traffic_problem("csv", "0 1 2 3 4\n0 1 2 3 0.5\n"),
            "x: line 2: 0.5 is not a number of bytes (0 to 2^63-1)");
  EXPECT_EQ(traffic_problem("csv", ",a,b\nb,0,7\n"),
            "x: line 2: \"b\" is not the label of column 1 (rows and columns are the same "
            "processes)");
  EXPECT_NE(traffic_problem("matrix", ""), "");
}

// Four columns may be an edge list, as they always were.
TEST(TrafficCsv, WarnsOfASmallMatrix) {
  const std::string text = "0,1,2\n3,0,4\n5,6,0\n";
  EXPECT_EQ(warnings_of([&] { reading::traffic("csv", text); }),
            "x: 3 rows of 3 numbers without a header are read as from,to,bytes; if they are a "
            "matrix, say matrix:x\n");
  EXPECT_EQ(warnings_of([&] {
              EXPECT_EQ(reading::traffic("matrix", text),
                        (Traffic{3,
                                 {flow(0, 1, 1), flow(0, 2, 2), flow(1, 0, 3), flow(1, 2, 4),
                                  flow(2, 0, 5), flow(2, 1, 6)}}));
            }),
            "");
  EXPECT_EQ(warnings_of([] { reading::traffic("csv", "0,1,2\n1,2,4\n2,0,5\n"); }), "");
}

TEST(TrafficCsv, WarnsOfRanksThatCountFromOne) {
  const std::string ring = "from,to,bytes\n1,2,8\n2,3,8\n3,1,8\n";
  EXPECT_EQ(warnings_of([&] { EXPECT_EQ(reading::traffic("csv", ring).process_count(), 4U); }),
            "x: no row names process 0, so 4 processes are read; if the file counts 3 from 1, say "
            "csv-from-1:x\n");
  EXPECT_EQ(warnings_of([&] {
              EXPECT_EQ(reading::traffic("csv-from-1", ring),
                        (Traffic{3, {flow(0, 1, 8), flow(1, 2, 8), flow(2, 0, 8)}}));
            }),
            "");
  EXPECT_EQ(traffic_problem("csv-from-1", "0,1,8\n"), "x: line 1: 0 is not a process (1 and up)");
  EXPECT_EQ(warnings_of([] { reading::traffic("csv", "0,2,8\n2,3,8\n3,0,8\n"); }), "");
}

TEST(TrafficMtx, CountsFromOne) {
  EXPECT_EQ(written("mtx", Traffic{3, {flow(0, 2, 7)}}),
            "%%MatrixMarket matrix coordinate integer general\n"
            "% bytes from a process (row) to another (column), both counted from 1\n"
            "3 3 1\n1 3 7\n");
  EXPECT_EQ(reading::traffic("mtx",
                             "%%MatrixMarket MATRIX Coordinate Real General\n% text\n\n3 3 3\n"
                             "1 3 7.0\n3 3 5\n2 1 1.5e1\n"),
            (Traffic{3, {flow(0, 2, 7), flow(1, 0, 15)}}));
}

TEST(TrafficMtx, SymmetricEntriesGoBothWays) {
  EXPECT_EQ(reading::traffic(
                "mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n"),
            (Traffic{3, {flow(0, 2, 1), flow(2, 0, 1)}}));
}

TEST(TrafficMtx, CountsEntriesOfAPatternWhateverTheirValues) {
  EXPECT_EQ(reading::traffic(
                "mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n3 1 -0.5\n1 2\n"),
            (Traffic{3, {flow(2, 0, 1), flow(0, 1, 1)}}));
}

TEST(TrafficMtx, ArraysGoColumnByColumn) {
  EXPECT_EQ(
      reading::traffic("mtx",
                       "%%MatrixMarket matrix array integer general\n3 3\n"
                       "9\n2\n3\n4\n9\n0\n7\n8\n9\n"),
      (Traffic{3, {flow(1, 0, 2), flow(2, 0, 3), flow(0, 1, 4), flow(0, 2, 7), flow(1, 2, 8)}}));
  EXPECT_EQ(reading::traffic("mtx",
                             "%%MatrixMarket matrix array real symmetric\n3 3\n"
                             "9\n2.0\n3\n9\n0\n9\n"),
            (Traffic{3, {flow(1, 0, 2), flow(0, 1, 2), flow(2, 0, 3), flow(0, 2, 3)}}));
}

TEST(TrafficMtx, NamesTheLineThatCannotBe) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(traffic_problem("mtx", "3 3 0\n"),
            "x: line 1: a Matrix Market file begins with %%MatrixMarket");
  EXPECT_EQ(traffic_problem("mtx", "%%MatrixMarket matrix arrays real general\n"),
            "x: line 1: \"arrays\" is not a format that is read (array, coordinate)");
  EXPECT_EQ(traffic_problem("mtx", "%%MatrixMarket matrix array pattern general\n"),
            "x: line 1: an array holds values, so it is no pattern");
  EXPECT_EQ(traffic_problem("mtx", "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n"),
            "x: line 5: the file ends after 3 of 4 entries");
  EXPECT_EQ(traffic_problem("mtx",
                            "%%MatrixMarket matrix array integer general\n4294967295 4294967295\n"),
            "x: line 2: the file ends after 0 of 18446744065119617025 entries");
  EXPECT_EQ(traffic_problem("mtx", "%%MatrixMarket matrix coordinate complex general\n"),
            "x: line 1: \"complex\" is not a field that is read (integer, pattern, real, "
            "unsigned-integer)");
  EXPECT_EQ(traffic_problem("mtx", "%%MatrixMarket matrix coordinate real\n"),
            "x: line 1: nothing is not a symmetry that is read (general, symmetric)");
  EXPECT_EQ(traffic_problem("mtx", banner),
            "x: line 1: the line `ROWS COLUMNS ENTRIES` is missing (the file ends)");
  EXPECT_EQ(traffic_problem("mtx", banner + "3 4 0\n"),
            "x: line 2: 3 rows and 4 columns (traffic between the same processes makes a square "
            "matrix)");
  EXPECT_EQ(
      traffic_problem("mtx", banner + "3 3 1\n1 2 0.5\n"),
      "x: line 3: 0.5 is not a number of bytes (whole, 0 to 2^63-1; with `pattern` in the first "
      "line every entry counts one)");
  EXPECT_EQ(traffic_problem("mtx", banner + "3 3 1\n1 2 -5\n").substr(0, 19),
            "x: line 3: -5 is no");
  EXPECT_EQ(traffic_problem("mtx", banner + "3 3 1\n0 2 5\n"),
            "x: line 3: 0 is not a process (1 to 3)");
  EXPECT_EQ(traffic_problem("mtx", banner + "3 3 1\n1 2 5 6\n"),
            "x: line 3: 6 is more than the line should hold");
  EXPECT_EQ(traffic_problem("mtx", banner + "3 3 2\n1 2 5\n"),
            "x: line 3: the file ends after 1 of 2 entries");
  EXPECT_EQ(traffic_problem("mtx", banner + "3 3 1\n1 2 5\n1 3 5\n"),
            "x: line 4: there are more entries than the 1 announced");
  EXPECT_EQ(traffic_problem("mtx", banner + "4000000000 4000000000 9000000000000000000\n"),
            "x: line 2: the file ends after 0 of 9000000000000000000 entries");
}

TEST(TrafficGrf, HasEachEdgeFromBothEnds) {
  EXPECT_EQ(written("grf", Traffic{4, {flow(0, 1, 7), flow(1, 0, 4), flow(3, 1, 1)}}),
            "0\n4\t4\n0\t010\n1\t6 1\n2\t6 0\t1 3\n0\n1\t1 1\n");
  // No byte at all: messages.
  EXPECT_EQ(written("grf", Traffic{2, {flow(0, 1, 0, 8), flow(1, 0, 0, 8)}}),
            "0\n2\t2\n0\t010\n1\t8 1\n1\t8 0\n");
}

TEST(TrafficGrf, MeanOfLargeLoadsDoesNotOverflow) {
  const std::uint64_t most = 9223372036854775807U;
  EXPECT_EQ(written("grf", Traffic{2, {flow(0, 1, most - 1), flow(1, 0, 1)}}),
            "0\n2\t2\n0\t010\n1\t4611686018427387904 1\n1\t4611686018427387904 0\n");
}

TEST(TrafficGrf, ReadsLabelsLoadsAndBases) {
  const Traffic path{3, {flow(0, 1, 1), flow(1, 0, 1), flow(1, 2, 1), flow(2, 1, 1)}};
  EXPECT_EQ(reading::traffic("grf", "0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n"), path);
  EXPECT_EQ(reading::traffic("grf", "0\n3 4\n1 0\n1 2\n2 1 3\n1 2\n"), path);
  EXPECT_EQ(reading::traffic("grf", "0\n3 4\n0 001\n9 1 1\n9 2 0 2\n9 1 1\n"), path);
}

// A mapping of Scotch names vertices by their labels.
TEST(TrafficGrf, NumbersProcessesByLabel) {
  EXPECT_EQ(reading::traffic("grf", "0\n3 4\n0 111\n7 9 1 4 5\n5 9 2 4 7 8 6\n6 9 1 8 5\n"),
            (Traffic{3, {flow(0, 1, 8), flow(0, 2, 4), flow(1, 0, 8), flow(2, 0, 4)}}));
}

TEST(TrafficMetis, HasALineForEveryVertex) {
  EXPECT_EQ(written("metis", Traffic{4, {flow(0, 1, 7), flow(1, 0, 4), flow(3, 1, 1)}}),
            "4 2 001\n2 6\n1 6 4 1\n\n2 1\n");
  // No edge of METIS weighs nothing.
  EXPECT_EQ(written("metis", Traffic{3, {flow(0, 1, 7), flow(0, 2, 0)}}), "3 1 001\n2 4\n1 4\n\n");
  const Traffic traffic{5, {flow(0, 1, 7), flow(1, 0, 7), flow(1, 4, 9), flow(4, 1, 9)}};
  EXPECT_EQ(reading::traffic("metis", written("metis", traffic)), traffic);
}

// The example of the manual of METIS (version 5.1, figure 2), with sizes and weights as it has
// them.
TEST(TrafficMetis, ReadsTheGraphsOfItsManual) {
  std::vector<Flow> plain;
  std::vector<Flow> weighted;
  const std::vector<std::array<std::uint32_t, 3>> edges{{1, 5, 1}, {1, 3, 2}, {1, 2, 1}, {2, 3, 2},
                                                        {2, 4, 1}, {3, 4, 2}, {3, 5, 3}, {4, 6, 2},
                                                        {4, 7, 5}, {5, 6, 2}, {6, 7, 6}};
  for (const auto& [a, b, weight] : edges) {
    plain.push_back(flow(a - 1, b - 1, 1));
    plain.push_back(flow(b - 1, a - 1, 1));
    weighted.push_back(flow(a - 1, b - 1, weight));
    weighted.push_back(flow(b - 1, a - 1, weight));
  }
  EXPECT_EQ(reading::traffic("metis",
                             "% a comment\n7 11\n5 3 2\n1 3 4\n% another\n5 4 2 1\n2 3 6 7\n"
                             "1 3 6\n5 4 7\n6 4\n"),
            (Traffic{7, plain}));
  const Traffic heavy{7, weighted};
  EXPECT_EQ(reading::traffic("metis",
                             "7 11 001\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n"
                             "2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n5 2 4 2 7 6\n6 6 4 5\n"),
            heavy);
  EXPECT_EQ(reading::traffic("metis",
                             "7 11 011\n4 5 1 3 2 2 1\n2 1 1 3 2 4 1\n5 5 3 4 2 2 2 1 2\n"
                             "3 2 1 3 2 6 2 7 5\n1 1 1 3 3 6 2\n6 5 2 4 2 7 6\n2 6 6 4 5\n"),
            heavy);
  EXPECT_EQ(reading::traffic("metis",
                             "7 11 111 1\n9 4 5 1 3 2 2 1\n9 2 1 1 3 2 4 1\n"
                             "9 5 5 3 4 2 2 2 1 2\n9 3 2 1 3 2 6 2 7 5\n9 1 1 1 3 3 6 2\n"
                             "9 6 5 2 4 2 7 6\n9 2 6 6 4 5\n"),
            heavy);
}

TEST(TrafficMetis, BlankLinesAreVerticesAlone) {
  const Traffic traffic{4, {flow(1, 3, 1), flow(3, 1, 1)}};
  EXPECT_EQ(reading::traffic("metis", "4 1\n\n4\n%\n\n2\n\n\n"), traffic);
  EXPECT_EQ(reading::traffic("metis", "3 0\n\n\n\n"), (Traffic{3, {}}));
}

TEST(TrafficMetis, SaysThatSlotsDoNotWeigh) {
  EXPECT_EQ(warnings_of([] { reading::traffic("metis", "2 1 10\n3 2\n3 1\n"); }), "");
  EXPECT_EQ(warnings_of([] { reading::traffic("metis", "2 1 10\n3 2\n5 1\n"); }),
            "x: vertices weigh 3 to 5, and a process takes one slot whatever it weighs\n");
}

TEST(TrafficMetis, NamesTheLineThatCannotBe) {
  EXPECT_EQ(traffic_problem("metis", "% nothing\n"),
            "x: line 1: the line `VERTICES EDGES` is missing (the file ends)");
  EXPECT_EQ(traffic_problem("metis", "2 1 011 2\n"),
            "x: line 1: 2 weights of a vertex are 2 constraints, and slots are one (1)");
  EXPECT_EQ(traffic_problem("metis", "2 1 7\n"),
            "x: line 1: 7 is not up to three digits 0 or 1 (sizes of vertices, their weights, edge "
            "weights)");
  EXPECT_EQ(traffic_problem("metis", "2 1\n2\n3\n"),
            "x: line 3: 3 is not a neighbour (a vertex from 1 to 2)");
  EXPECT_EQ(traffic_problem("metis", "2 1\n0\n1\n"),
            "x: line 2: 0 is not a neighbour (a vertex from 1 to 2)");
  EXPECT_EQ(traffic_problem("metis", "2 1\n1\n1\n"), "x: line 2: vertex 1 is its own neighbour");
  EXPECT_EQ(traffic_problem("metis", "2 1 1\n2 0\n1 0\n"),
            "x: line 2: 0 is not the weight of an edge (a positive whole number)");
  EXPECT_EQ(traffic_problem("metis", "2 1 1\n2\n1 5\n"),
            "x: line 2: nothing is not the weight of an edge (a positive whole number)");
  EXPECT_EQ(traffic_problem("metis", "3 1 10\n1 2\n\n1 1\n1\n"),
            "x: line 3: vertex 2 has no weight");
  EXPECT_EQ(traffic_problem("metis", "3 1\n2\n1\n"), "x: the file ends after 2 of 3 vertices");
  EXPECT_EQ(traffic_problem("metis", "2 1\n2\n1\n\n1\n"),
            "x: line 5: 1 is past the last of 2 vertices");
  EXPECT_EQ(traffic_problem("metis", "3 2\n2\n1\n\n"),
            "x: the lines of vertices name 2 neighbours, not twice the 2 edges it begins with");
  EXPECT_EQ(traffic_problem("metis", "3 1\n2 3\n\n\n"),
            "x: line 2: vertex 1 has the neighbour 2 with weight 1, but vertex 2 has not the "
            "neighbour 1 with this weight (an edge is in the lines of both its ends)");
  EXPECT_EQ(traffic_problem("metis", "2 1 1\n2 3\n1 4\n").substr(0, 9), "x: line 2");
  EXPECT_EQ(traffic_problem("metis", "4000000000 4000000000000000000\n"),
            "x: the file ends after 0 of 4000000000 vertices");
}

TEST(TrafficFormats, KeepTheLargestWeights) {
  const Traffic traffic{2, {flow(1, 0, 9223372036854775807U)}};
  EXPECT_EQ(reading::traffic("csv", written("csv", traffic)), traffic);
  EXPECT_EQ(reading::traffic("mtx", written("mtx", traffic)), traffic);
}

TEST(TrafficGrf, NamesTheLineThatCannotBe) {
  EXPECT_EQ(traffic_problem("grf", "1\n"),
            "x: line 1: 1 is not a version of Scotch's graph files (0)");
  EXPECT_EQ(traffic_problem("grf", "0\n3 4\n0 002\n"),
            "x: line 3: 002 is not three digits 0 or 1 (labels, edge loads, vertex loads)");
  EXPECT_EQ(traffic_problem("grf", "0\n3 4\n2 000\n"),
            "x: line 3: 2 is not the number of the first vertex (0 or 1)");
  EXPECT_EQ(traffic_problem("grf", "0\n2 2\n0 000\n1 2\n1 0\n"),
            "x: line 4: 2 is not a neighbour (a vertex up to 1)");
  EXPECT_EQ(traffic_problem("grf", "0\n2 2\n1 000\n1 0\n1 1\n"),
            "x: line 4: 0 is not a neighbour (a vertex up to 2)");
  EXPECT_EQ(traffic_problem("grf", "0\n2 3\n0 000\n1 1\n1 0\n"),
            "x: line 5: the graph has 2 arcs, not the 3 it begins with");
  EXPECT_EQ(traffic_problem("grf", "0\n4000000000 9000000000000000000\n0 000\n"),
            "x: line 3: a number of neighbours is missing (the file ends)");
  EXPECT_EQ(traffic_problem("grf", "0\n2 2\n0 100\n5 1 6\n5 1 5\n"),
            "x: line 5: the label 5 is there twice");
  EXPECT_EQ(traffic_problem("grf", "0\n2 2\n0 100\n5 1 7\n6 1 5\n"),
            "x: line 4: 7 is the label of no vertex");
  EXPECT_EQ(traffic_problem("grf", "0\n1 0\n0 000\n0\n5\n"),
            "x: line 5: 5 is past what should be the end");
}

}  // namespace
}  // namespace dcube
