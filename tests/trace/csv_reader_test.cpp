#include <gtest/gtest.h>

#include <array>

#include "dcube/core/random.hpp"
#include "scenario/temporary_folder.hpp"
#include "support/cc_runs.hpp"
#include "support/complaint.hpp"
#include "traced_run.hpp"

namespace dcube::testing {
namespace {

class DamagedCsv : public ::testing::Test {
 protected:
  DamagedCsv() {
    const CcRun run{"kind=line,nodes=4", "standard"};
    trace_run(run.input(), {}, {target("csv", folder_.path() / "run.csv")});
    text_ = file_content(folder_.path() / "run.csv");
  }

  std::string complaint_about(const std::string& text) const {
    const auto file = folder_.write("x.csv", text);
    return folder_.shortened(complaint([&] { summarise_trace(file, {}); }));
  }

  std::string replaced(const std::string& part, const std::string& by) const {
    std::string text = text_;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), by);
  }

  TemporaryFolder folder_;
  std::string text_;
};

TEST_F(DamagedCsv, WholeOneIsRead) { EXPECT_EQ(complaint_about(text_), ""); }

TEST_F(DamagedCsv, OtherFilesAreNoTraces) {
  EXPECT_EQ(complaint_about(""),
            "x.csv: line 1: this is no CSV trace of dcube (its first line is `# dcube trace: 1`)");
  EXPECT_NE(complaint_about("a,b\n1,2\n").find("line 1: this is no CSV trace"), std::string::npos);
  EXPECT_NE(complaint_about("# title: x\na,b\n").find("line 1: this is no CSV"), std::string::npos);
}

TEST_F(DamagedCsv, OtherVersionsAreNotKnownWhetherLaterOrEarlier) {
  for (const std::string version : {"0", "2"}) {
    EXPECT_NE(complaint_about(replaced("dcube trace: 1", "dcube trace: " + version))
                  .find("version " + version + " of the format is not known (only 1)"),
              std::string::npos);
  }
}

TEST_F(DamagedCsv, MissingFilesAndFoldersAreNamed) {
  EXPECT_EQ(folder_.shortened(complaint([&] { summarise_trace(folder_.path() / "no.csv", {}); })),
            "no.csv: cannot be read (No such file or directory)");
  EXPECT_NE(complaint([&] { summarise_trace(folder_.path(), {}); }).find("it is a directory"),
            std::string::npos);
}

TEST_F(DamagedCsv, MissingColumnIsNamed) {
  EXPECT_EQ(complaint_about(replaced(",begin_ps,", ",began_ps,")),
            "x.csv: line 19: the column `begin_ps` is missing");
}

TEST_F(DamagedCsv, MissingKeyIsNamed) {
  EXPECT_NE(complaint_about(replaced("# makespan: ", "# make: ")).find("no `makespan`"),
            std::string::npos);
}

TEST_F(DamagedCsv, TextWhereANumberBelongsIsNamed) {
  EXPECT_EQ(complaint_about(replaced(",0,1000000000000\n", ",zero,1000000000000\n")),
            "x.csv: line 20: `zero` in column begin_ps is not a whole number");
  EXPECT_EQ(complaint_about(replaced("interval,0,", "interval,4,")),
            "x.csv: line 20: 4 in column process is too large (at most 3)");
  EXPECT_NE(complaint_about(replaced("compute", "sleeping")).find("line 20: `sleeping` is not an"),
            std::string::npos);
  EXPECT_NE(complaint_about(replaced("1000000000000\n", "99999999999999999999\n")).find("line 20"),
            std::string::npos);
}

TEST_F(DamagedCsv, MakespanMustHoldTheIntervals) {
  EXPECT_EQ(complaint_about(replaced("# makespan: ", "# makespan: 1\n# real: ")),
            "x.csv: line 21: an interval ends at 1000000000000 ps, after the makespan (1 ps)");
}

TEST_F(DamagedCsv, IntervalsOfNoLengthAreRefused) {
  EXPECT_EQ(complaint_about(replaced(",0,1000000000000\n", ",1000000000000,1000000000000\n")),
            "x.csv: line 20: an interval ends no later than it begins");
}

TEST_F(DamagedCsv, OtherUnitsOfTimeAreRefused) {
  EXPECT_EQ(complaint_about(replaced("# time_unit: ps", "# time_unit: us")),
            "x.csv: line 13: `time_unit`: `us` is not ps, the unit of all times");
}

TEST_F(DamagedCsv, OutcomesAreThoseOfRuns) {
  EXPECT_EQ(complaint_about(replaced("# outcome: completed", "# outcome: complete")),
            "x.csv: line 12: `outcome`: `complete` is not an outcome of a run; did you mean "
            "`completed`?");
  EXPECT_EQ(complaint_about(replaced("# outcome: completed", "# outcome: fine")),
            "x.csv: line 12: `outcome`: `fine` is not an outcome of a run; known: completed, "
            "deadlock, not_verified, unreachable");
  EXPECT_EQ(complaint_about(replaced("# outcome: completed", "# outcome: deadlock")), "");
}

TEST_F(DamagedCsv, NumberOfProcessesIsBounded) {
  std::string text = text_;
  for (const std::string key : {"# shape: ", "# nodes: ", "# processes: "}) {
    text.replace(text.find(key + "4"), key.size() + 1, key + "4294901760");
  }
  EXPECT_NE(complaint_about(text).find("4294901760 processes are too many to be read"),
            std::string::npos);
}

TEST_F(DamagedCsv, ConvertedFilesAreAsLongAsTheRecords) {
  constexpr std::uint32_t processes = 1U << 20;
  std::string text = replaced("# map: 0 1 2 3\n", "");
  for (const std::string key : {"# shape: ", "# nodes: ", "# processes: "}) {
    text.replace(text.find(key + "4"), key.size() + 1, key + std::to_string(processes));
  }
  convert_trace(folder_.write("x.csv", text), {},
                std::vector{target("chrome", folder_.path() / "x.json"),
                            target("paje", folder_.path() / "x.paje")});
  EXPECT_LT(std::filesystem::file_size(folder_.path() / "x.json"), 20'000U);
  EXPECT_LT(std::filesystem::file_size(folder_.path() / "x.paje"), 20'000U);
}

TEST_F(DamagedCsv, LinesWithoutEndAreNotRead) {
  EXPECT_EQ(complaint([] { summarise_trace("/dev/zero", {}); }),
            "/dev/zero: line 1: the line is too long for a trace");
}

TEST_F(DamagedCsv, BytesPastSixtyFourBitsAreRefused) {
  std::string text = text_;
  std::size_t at = 0;
  for (int message = 0; message < 3; ++message) {
    at = text.find("\nmessage,", at) + 1;
    const std::size_t bytes = text.find(",,,,1,", at + 12);  // past its kind
    ASSERT_NE(bytes, std::string::npos) << text.substr(at, 80);
    text.replace(bytes + 4, 1, "9223372036854775807");
  }
  EXPECT_EQ(complaint_about(text),
            "x.csv: its messages carry more than 2^64-1 bytes, which no run does");
}

TEST_F(DamagedCsv, UnknownRecordIsNamed) {
  EXPECT_EQ(complaint_about(replaced("interval,0,", "span,0,")),
            "x.csv: line 20: `span` is not a record (interval, hop, message)");
}

TEST_F(DamagedCsv, LinkMustBeThatOfTheHop) {
  EXPECT_NE(complaint_about(replaced("0->1,0,1", "0->2,0,1")).find("is not the link from node 0"),
            std::string::npos);
}

TEST_F(DamagedCsv, CutOffAnywhereIsNoticed) {
  for (std::size_t length = 0; length < text_.size(); length += 5) {
    EXPECT_NE(complaint_about(text_.substr(0, length)), "") << length;
  }
  const std::size_t last_line = text_.rfind('\n', text_.size() - 2) + 1;
  EXPECT_NE(complaint_about(text_.substr(0, last_line)).find("the file ends with 11 of 12 hops"),
            std::string::npos)
      << complaint_about(text_.substr(0, last_line));
}

TEST_F(DamagedCsv, RowsMayBeTakenOutOnPurpose) {
  std::string text = replaced("# intervals: 16\n", "");
  const std::size_t row = text.find("interval,0,");
  text.erase(row, text.find('\n', row) + 1 - row);
  EXPECT_EQ(complaint_about(text), "");
}

TEST_F(DamagedCsv, ColumnsMayBeMoreAndInAnotherOrder) {
  std::string text;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = text_.find('\n', at);
    const std::string line = text_.substr(at, end - at);
    text += line.starts_with('#') ? line + "\n" : "note," + line + "\n";
    at = end + 1;
  }
  EXPECT_EQ(complaint_about(text), "");
}

TEST_F(DamagedCsv, WindowsLineEndsAreRead) {
  std::string text;
  for (const char c : text_) {
    text += c == '\n' ? std::string{"\r\n"} : std::string{c};
  }
  EXPECT_EQ(complaint_about(text), "");
}

TEST_F(DamagedCsv, AByteOrderMarkIsNoneOfIt) {
  EXPECT_EQ(complaint_about("\xef\xbb\xbf" + text_), "");
}

TEST_F(DamagedCsv, MutationsGiveOneLineOrAreRead) {
  constexpr std::uint64_t seed = 20250701;
  const std::array<std::string, 16> pieces{"-1",
                                           "4294967295",
                                           "4294967294",
                                           "9223372036854775807",
                                           "9223372036854775808",
                                           ",",
                                           "\n",
                                           "# ",
                                           ":",
                                           "none",
                                           "-",
                                           "->",
                                           "half",
                                           "\xff",
                                           std::string(1, '\0'),
                                           "0"};
  SplitMix64 random{seed};
  const auto below = [&](std::size_t bound) { return bounded(random.next(), bound); };
  int refused = 0;
  constexpr int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    std::string text = text_;
    for (std::size_t change = 0; change <= below(3); ++change) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, pieces.at(below(pieces.size())));
          break;
        default: {
          const std::string& piece = pieces.at(below(pieces.size()));
          text.replace(at, std::min<std::size_t>(1 + below(4), text.size() - at), piece);
        }
      }
    }
    const auto file = folder_.write("x.csv", text);
    try {
      convert_trace(file, {},
                    std::vector{target("chrome", folder_.path() / "x.json"),
                                target("paje", folder_.path() / "x.paje")});
      summarise_trace(file, {});
    } catch (const InputError& error) {
      ++refused;
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
      EXPECT_TRUE(error.place().starts_with(file.string())) << error.what();
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ", round " << round << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, rounds / 2);
  EXPECT_LT(refused, rounds);
}

}  // namespace
}  // namespace dcube::testing
