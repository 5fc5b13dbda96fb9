#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "dcube/program/program.hpp"
#include "goal_run.hpp"
#include "support/complaint.hpp"
#include "support/pieces.hpp"
#include "support/schedule_text.hpp"
#include "workload/goal_reader.hpp"

namespace dcube::testing {
namespace {

std::string complaint_of_text(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("s.goal", text);
  const std::string said = complaint<InputError>([&] {
    SimulatedProgram{
        loggp_machine(4, {}), "identity", "kind=goal,file=s.goal", {.folder = folder.path()}};
  });
  const std::size_t at = said.find("s.goal: ");
  return at == std::string::npos ? said : said.substr(at);
}

TEST(GoalText, TakesCommentsAnywhere) {
  EXPECT_EQ(
      simulated("/* two */ num_ranks 2 // here\nrank 0 { a: calc 5 // five\n b: calc /*six*/ 6\n"
                "b requires a }\nrank 1 { calc 1 }",
                2, {}),
      (std::vector<std::int64_t>{11'000, 1'000}));
}

TEST(GoalText, MayBeginWithAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  EXPECT_EQ(simulated(mark + "num_ranks 1 rank 0 { calc 5 }", 1, {}),
            std::vector<std::int64_t>{5'000});
}

TEST(GoalText, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint_of_text("ranks 3"),
            "s.goal: line 1: ranks stands where `num_ranks` is expected");
  EXPECT_EQ(complaint_of_text("num_ranks 2\nrank 2 {}"),
            "s.goal: line 2: 2 is not a rank (0 to 1)");
  EXPECT_EQ(complaint_of_text("num_ranks 2\nrank 0 {\nsend 5 to 1\n}"),
            "s.goal: line 3: 5 is not a size (a whole number followed by b: 64b)");
  EXPECT_EQ(complaint_of_text("num_ranks 2\nrank 0 {\nsend 5b from 1\n}"),
            "s.goal: line 3: from stands where `to` is expected");
  EXPECT_EQ(complaint_of_text("num_ranks 2\nrank 0 {\na requires b\na: calc 1\nb: calc 1\n}"),
            "s.goal: line 3: a is not the label of an operation above this line");
  EXPECT_EQ(complaint_of_text("num_ranks 2\nrank 0 {\na: calc 1\na: calc 1\n}"),
            "s.goal: line 4: the label a is given a second time");
  EXPECT_EQ(complaint_of_text(
                "num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}"),
            "s.goal: line 7: operations of rank 0 require each other in a circle, which holds or "
            "holds up the one with the label a");
  EXPECT_EQ(complaint_of_text("/* three\n\nlines */ num_ranks 2 // and\nrank 2 {}"),
            "s.goal: line 4: 2 is not a rank (0 to 1)");
  EXPECT_EQ(complaint_of_text("num_ranks 2\nrank 0 {\ncalc 1"),
            "s.goal: line 3: the description of rank 0 does not end (`}` is missing)");
  EXPECT_EQ(complaint_of_text("num_ranks 2 /* open"),
            "s.goal: line 1: a comment begins here and does not end");
  EXPECT_EQ(complaint_of_text("num_ranks 9999999\n"),
            "s.goal: line 1: there are 9999999 ranks, but not even a letter for each");
}

/// Texts that are read, and texts that are not.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all{
      "/* two */ num_ranks 2 // here\nrank 0 { a: calc 5 // five\n b: calc /*six*/ 6\n"
      "b requires a }\nrank 1 { calc 1 }",
      "num_ranks 2\nrank 0{first:send 64b to 1 tag 3 cpu 2 nic 1 second:calc 7 second irequires "
      "first}rank 1{recv 64b from -1 tag -1}",
      "num_ranks 1 rank 0 { a/b: calc 1 a/: calc 2 a/ requires a/b }",
      "\xef\xbb\xbfnum_ranks 1 rank 0 { calc 1 }",
      "num_ranks 1 rank 0 { a: calc 1 } /* ** / */ // end",
      "num_ranks 1 rank 0 { a: calc 1 /* open\n\n *",
      "num_ranks 1 rank 0 { a: calc 1 /",
      "num_ranks 12\n",
      "num_ranks 13\n",
      "num_ranks 14\n",
      "num_ranks 1\nrank 0 {\na_long_label_that_fits_no_window: calc 1\n"
      "a_long_label_that_fits_no_window: calc 1\n}",
      "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}",
      "num_ranks 1\nrank 0 {\nsend 5 to 1\n}",
      "num_ranks 2 rank 0 { a: send 1b to 1",
      ""};
  return all;
}

TEST(GoalText, IsTheSameInPieces) {
  for (const std::string& text : texts()) {
    const std::string whole = outcome_of(
        [&] { return read_goal(TextWindow{std::string_view{text}}, "s.goal", nanoseconds(1)); });
    for (std::size_t bytes = 1; bytes < 80; ++bytes) {
      EXPECT_EQ(
          outcome_of([&] { return read_goal(in_pieces(text, bytes), "s.goal", nanoseconds(1)); }),
          whole)
          << text << " by " << bytes;
    }
  }
}

TEST(GoalText, OfAnyLengthIsReadThroughASmallWindow) {
  std::string text = "num_ranks 1 // " + std::string(5000, 'x') + "\nrank 0 {\n/*";
  text += std::string(5000, '*') + "*/";
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format("l{}: calc {}\n", i, i);
  }
  text += "l999 requires l0\n}";
  std::size_t most = 0;
  TextWindow window{[&, at = std::size_t{0}](char* to, std::size_t bytes) mutable {
                      most = std::max(most, bytes);
                      const std::size_t count = text.copy(to, bytes, at);
                      at += count;
                      return count;
                    },
                    32};
  const Schedule schedule = read_goal(std::move(window), "s.goal", nanoseconds(1));
  EXPECT_EQ(schedule.operation_count(), 1000U);
  EXPECT_EQ(schedule.graphs[0].followers(0).size(), 1U);
  EXPECT_EQ(most, 32U);
}

TEST(GoalText, SaysHowFarItHasBeenRead) {
  const TemporaryFolder folder;
  folder.write("s.goal", "num_ranks 1 rank 0 { calc 1 } //" + std::string(3'000'000, 'x'));
  std::vector<double> shares;
  const Machine machine = loggp_machine(1, {});
  ProgramContext context{machine, 1, folder.path()};
  context.on_reading = [&](const std::filesystem::path& file, double share) {
    EXPECT_EQ(file, folder.path() / "s.goal");
    shares.push_back(share);
  };
  make_program(Params::parse("kind=goal,file=s.goal"), context);
  EXPECT_GE(shares.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_GT(shares.front(), 0);
  EXPECT_LT(shares.front(), 0.5);
  EXPECT_EQ(shares.back(), 1);
}

TEST(GoalText, ASendWithoutAReceiveIsRefusedAndNamesBoth) {
  EXPECT_EQ(complaint_of_text("num_ranks 3 rank 0 { send 5b to 1 } rank 1 { recv 5b from -1 } "
                              "rank 2 { send 5b to 1 }"),
            "s.goal: rank 0 sends rank 1 1 message more than that receives from it");
  EXPECT_EQ(complaint_of_text("num_ranks 3 rank 0 { send 5b to 1 } rank 1 { recv 5b from 0 } "
                              "rank 2 { send 5b to 1 }"),
            "s.goal: rank 2 sends rank 1 1 message more than that receives from it");
}

}  // namespace
}  // namespace dcube::testing
