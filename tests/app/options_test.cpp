#include "app/options/options.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "support/complaint.hpp"

namespace dcube::app {
namespace {

using namespace std::chrono_literals;

TEST(Options, AreOneShellWordEach) {
  ScenarioOptions options;
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
  const ScenarioOptions options{.file = "it's; mine.json",
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

TEST(Options, OfACcStageAndAHopAreASecondEach) {
  EXPECT_EQ(cc_cost_options({}).compute, Ticks{1s});
  EXPECT_EQ(cc_cost_options({}).message_hop, Ticks{1s});
  EXPECT_EQ(cc_cost_options({"2s", "0s"}).compute, Ticks{2s});
  EXPECT_EQ(cc_cost_options({"2s", "0s"}).message_hop, Ticks{0});
  EXPECT_NE(complaint([] {
              cc_cost_options({"soon", ""});
            }).find("--compute: "),
            std::string::npos);
}

TEST(Options, SeedIsZeroUnlessGiven) {
  EXPECT_EQ(seed_option(""), 0);
  EXPECT_EQ(seed_option("7"), 7);
  EXPECT_TRUE(complaint([] { seed_option("-1"); }).starts_with("--seed: "));
}

TEST(Options, TimeLimitIsPositive) {
  EXPECT_FALSE(time_limit_option(""));
  EXPECT_EQ(time_limit_option("2ms"), 2ms);
  EXPECT_EQ(complaint([] { time_limit_option("0"); }),
            "--time-limit: 0 is not a time limit (a positive duration)");
}

TEST(Options, WindowHasABeginAndAnEnd) {
  EXPECT_FALSE(window_option(""));
  EXPECT_EQ(window_option("1s:2s"), (std::pair<Ticks, Ticks>{1s, 2s}));
  EXPECT_TRUE(complaint([] { window_option("2s"); }).starts_with("--window: "));
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
