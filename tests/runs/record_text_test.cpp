#include "runs/record_text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

RunRecord record_of(std::size_t run) {
  RunRecord record{.run = run,
                   .key = std::string(31, 'a') + std::to_string(run % 10),
                   .outcome = Outcome::completed,
                   .problem = {},
                   .makespan = Ticks{9'007'199'254'740'993},
                   .fingerprint = 0xfedcba9876543210};
  for (std::size_t i = 0; i < measure_catalog().size(); ++i) {
    record.values.emplace_back(0.1 * static_cast<double>(i + run));
  }
  record.values[1].reset();
  return record;
}

std::string file_of(const std::vector<RunRecord>& records) {
  std::string text = store_head("study", "host", 1) + "\n";
  for (const RunRecord& record : records) {
    text += record_text(record) + "\n";
  }
  return text;
}

std::vector<RunRecord> read(std::string_view text, std::size_t* bytes = nullptr) {
  std::vector<RunRecord> records;
  RecordReader reader{"x.jsonl", "study"};
  const std::size_t count =
      reader.read(text, [&](RunRecord record) { records.push_back(std::move(record)); });
  if (bytes != nullptr) {
    *bytes = count;
  }
  return records;
}

TEST(RecordText, WhatIsWrittenIsReadToTheLastBit) {
  RunRecord refused{.run = 3,
                    .key = std::string(32, 'b'),
                    .outcome = Outcome::refused,
                    .problem = "a \"problem\"\nof two lines"};
  refused.more_files = {{"x.csv", "123"}};
  const std::vector<RunRecord> records = read(file_of({record_of(1), refused}));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].makespan, record_of(1).makespan);
  EXPECT_EQ(records[0].fingerprint, record_of(1).fingerprint);
  EXPECT_EQ(records[0].values, record_of(1).values);
  EXPECT_EQ(records[1].outcome, Outcome::refused);
  EXPECT_EQ(records[1].problem, refused.problem);
  EXPECT_EQ(records[1].more_files, refused.more_files);
  EXPECT_TRUE(records[1].values.empty());
}

TEST(RecordText, AFileCutOffAtAnyByteHasTheRecordsThatAreWhole) {
  const std::string whole = file_of({record_of(0), record_of(1), record_of(2)});
  std::vector<std::size_t> ends;  // of lines
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '\n') {
      ends.push_back(i + 1);
    }
  }
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    std::size_t bytes = 0;
    const std::vector<RunRecord> records = read(std::string_view{whole}.substr(0, size), &bytes);
    const auto lines =
        static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin());
    ASSERT_EQ(records.size(), lines == 0 ? 0 : lines - 1) << size;
    ASSERT_EQ(bytes, lines == 0 ? 0 : ends[lines - 1]) << size;
  }
}

TEST(RecordText, PiecesOfAnySizeGiveTheSameRecords) {
  const std::string whole = file_of({record_of(0), record_of(1), record_of(2)});
  for (const std::size_t piece : {1U, 7U, 100U, 2000U}) {
    RecordReader reader{"x.jsonl", "study"};
    std::size_t records = 0;
    std::size_t read = 0;
    for (std::size_t end = 0; end < whole.size();) {
      end = std::min(whole.size(), end + piece);
      read += reader.read(std::string_view{whole}.substr(read, end - read),
                          [&](const RunRecord&) { ++records; });
    }
    EXPECT_EQ(records, 3U);
  }
}

TEST(RecordText, AChangedByteIsNoticedOrHarmless) {
  const std::string whole = file_of({record_of(0), record_of(1)});
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char c : {'\0', '"', '}', '\n', 'z', '9'}) {
      std::string changed = whole;
      changed[at] = c;
      try {
        read(changed);
      } catch (const InputError& error) {
        ++refused;
        EXPECT_EQ(error.place(), "x.jsonl");
      }
    }
  }
  EXPECT_GT(refused, whole.size());
}

TEST(RecordText, ADamagedRecordIsToldInOwnWords) {
  const auto said_of = [](std::string line) {
    try {
      read(file_of({}) + line + "\n");
    } catch (const InputError& error) {
      const std::string_view problem{error.problem()};
      return std::string{
          problem.substr(problem.find('(') + 1, problem.rfind(')') - problem.find('(') - 1)};
    }
    return std::string{"nothing"};
  };
  const std::string begin = R"({"run":1,"key":"a","outcome":"refused")";
  EXPECT_EQ(said_of(begin + "}"), "nothing");
  EXPECT_EQ(said_of("{}"), "it has no `run`");
  EXPECT_EQ(said_of(R"({"run":-1})"), "its `run` is -1, which records do not have there");
  EXPECT_EQ(said_of(R"({"run":1e300})"), "its `run` is 1e+300, which records do not have there");
  EXPECT_EQ(said_of(R"({"run":1,"key":[]})"),
            "its `key` is \"[]\", which records do not have there");
  EXPECT_EQ(said_of(begin + R"(,"problem":null})"),
            "its `problem` is \"null\", which records do not have there");
  EXPECT_EQ(said_of(begin + R"(,"values":[1]})"), "it has no `makespan_ps`");
  EXPECT_EQ(said_of(begin + R"(,"makespan_ps":1,"fingerprint":"0","values":[1]})"),
            "it has not the measures that the first line names");
  EXPECT_EQ(said_of(begin + R"(,"more_files":[["a"]]})"),
            "its `more_files` are no files and their keys");
  EXPECT_EQ(said_of(begin + std::string{"}\0garbage", 9}), "it is no JSON object");
  EXPECT_EQ(said_of("[]"), "it is no JSON object");
}

TEST(RecordText, ADamagedHeadIsInputError) {
  for (const char* head : {"{}", "[]", "1", R"({"store":"1"})", R"({"store":1,"study":5})",
                           R"({"store":1,"study":"study","measures":{"a":1}})",
                           R"({"store":1,"study":"study","measures":"a"})"}) {
    EXPECT_THROW(read(head + std::string{"\n"}), InputError) << head;
  }
}

TEST(RecordText, AnUnreadableRecordInTheMiddleIsNamed) {
  const std::string text =
      file_of({record_of(0)}) + "nonsense\n" + record_text(record_of(1)) + "\n";
  try {
    read(text);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "x.jsonl: line 3: is no record of a run (it is no JSON object); remove the line, "
                 "and its run is made again");
  }
}

TEST(RecordText, AFileOfAnotherStudyIsRefused) {
  RecordReader reader{"x.jsonl", "another"};
  EXPECT_THROW(reader.read(file_of({}), [](const RunRecord&) {}), InputError);
}

}  // namespace
}  // namespace dcube
