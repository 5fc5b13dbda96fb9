#include "app/options/options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "dcube/runs/child_batch.hpp"
#include "support/complaint.hpp"

namespace dcube::app {
namespace {

using namespace std::chrono_literals;

TEST(Options, AreOneShellWordEach) {
  ScenarioRequest options;
  options.file = "a/s.json";
  EXPECT_EQ(quoted_arguments(options), "a/s.json");
  options.file = "it's mine.json";
  options.settings = {"/program/message=64", "/name=$HOME `id`"};
  options.embedding = "rankfile:x.map";
  options.hosts = "node-{}";
  EXPECT_EQ(quoted_arguments(options),
            R"('it'\''s mine.json' --set /program/message=64 --set '/name=$HOME `id`')"
            " --embedding rankfile:x.map --hosts 'node-{}'");
  EXPECT_EQ(quoted_arguments({.file = "-x.json"}), "./-x.json");
}

TEST(Options, AreReadByAShellAsTheyAre) {
  const ScenarioRequest options{.file = "it's; mine.json",
                                .settings = {"/name=\"a\\\n$HOME\"", "/program/message=64"},
                                .embedding = "rankfile:a b.map",
                                .hosts = "node-{}"};
  const std::string command = "printf '%s|' " + quoted_arguments(options);
  FILE* shell = ::popen(command.c_str(), "r");
  ASSERT_NE(shell, nullptr);
  std::string words;
  for (int character = std::fgetc(shell); character != EOF; character = std::fgetc(shell)) {
    words += static_cast<char>(character);
  }
  EXPECT_EQ(::pclose(shell), 0);
  EXPECT_EQ(words, options.file + "|--set|" + options.settings[0] + "|--set|" +
                       options.settings[1] + "|--embedding|" + options.embedding + "|--hosts|" +
                       options.hosts + "|");
}

/// A command with options that several commands have.
class SharedOptions : public testing::Test {
 protected:
  std::string refusal(std::vector<const char*> words) {
    CommandLine line;
    Parser parser = line.add("work", "Work", [] { return ExitStatus::done; });
    add_cc_cost_options(parser, compute_, hop_);
    add_seed_option(parser, seed_, "of all draws");
    add_jobs_option(parser, jobs_);
    add_time_limit_option(parser, limit_, "work no longer");
    const auto use = [this](Ticks begin, Ticks end) { window_ = {begin, end}; };
    add_window_option(parser, use, "work then");
    words.insert(words.begin(), {"dcube", "work"});
    return complaint([&] { line.run(static_cast<int>(words.size()), words.data()); });
  }

  std::optional<Ticks> compute_;
  std::optional<Ticks> hop_;
  std::uint64_t seed_ = 0;
  JobsOption jobs_;
  TimeLimitOption limit_;
  std::pair<Ticks, Ticks> window_;
};

TEST_F(SharedOptions, CostsOfACcStageAndAHopAreTimes) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_FALSE(compute_ || hop_);
  EXPECT_EQ(refusal({"--compute", "2s", "--hop", "0s"}), "");
  EXPECT_EQ(compute_, Ticks{2s});
  EXPECT_EQ(hop_, Ticks{0});
  EXPECT_TRUE(refusal({"--compute", "soon"}).starts_with("--compute: "));
}

TEST_F(SharedOptions, SeedIsZeroUnlessGiven) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(seed_, 0);
  EXPECT_EQ(refusal({"--seed", "7"}), "");
  EXPECT_EQ(seed_, 7);
  EXPECT_TRUE(refusal({"--seed", "-1"}).starts_with("--seed: "));
}

TEST_F(SharedOptions, JobsAreAPositiveNumber) {
  EXPECT_EQ(refusal({"--jobs", "3"}), "");
  EXPECT_EQ(jobs_at_once(jobs_, 1), 3);
  EXPECT_EQ(refusal({"--jobs", "0"}), "--jobs: 0 is not a positive integer");
  EXPECT_EQ(refusal({"--jobs", "2", "--jobs", "3"}), "--jobs: is given twice (once is enough)");
}

TEST_F(SharedOptions, TimeLimitIsPositive) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_FALSE(limit_);
  EXPECT_EQ(refusal({"--timeout", "2ms"}), "");
  EXPECT_EQ(limit_, 2ms);
  EXPECT_EQ(refusal({"--timeout", "0"}), "--time-limit: 0 is not a time limit (1ns is the least)");
  EXPECT_EQ(refusal({"--timeout", "1ps"}),
            "--time-limit: 1ps is not a time limit (1ns is the least)");
}

TEST_F(SharedOptions, TimeLimitMayBeMinutesAndHours) {
  EXPECT_EQ(refusal({"--time-limit", "10m"}), "");
  EXPECT_EQ(limit_, 10min);
  EXPECT_EQ(refusal({"--time-limit", "1.5 h"}), "");
  EXPECT_EQ(limit_, 90min);
  EXPECT_EQ(refusal({"--time-limit", "90"}), "");
  EXPECT_EQ(limit_, 90s);
  for (const char* const text : {"soon", "m", "2d", "10msm", "-1h"}) {
    EXPECT_EQ(
        refusal({"--time-limit", text}),
        fmt::format("--time-limit: \"{}\" is not a time limit (a positive number of seconds, or "
                    "with a unit: ms, s, m, h, ..)",
                    text));
  }
  for (const char* const text : {"3000h", "99999999h"}) {
    EXPECT_EQ(
        refusal({"--time-limit", text}),
        fmt::format("--time-limit: {} is longer than 106 days, or has too many digits", text));
  }
  EXPECT_TRUE(refusal({"--compute", "1m"}).starts_with("--compute: "));
}

TEST_F(SharedOptions, WindowHasABeginAndAnEnd) {
  EXPECT_EQ(refusal({"--window", "1s:2s"}), "");
  EXPECT_EQ(window_, (std::pair<Ticks, Ticks>{1s, 2s}));
  EXPECT_TRUE(refusal({"--window", "2s"}).starts_with("--window: "));
}

TEST(Options, ALongTableIsPrintedOnlyInFull) {
  EXPECT_EQ(complaint([] { check_table_size({}, 4096); }), "");
  EXPECT_EQ(complaint([] { check_table_size({.full = true}, 8192); }), "");
  EXPECT_EQ(complaint([] { check_table_size({}, 8192); }),
            "--processes: 8,192 processes make a long table (more than 4,096); add --full to print "
            "it");
}

}  // namespace
}  // namespace dcube::app
