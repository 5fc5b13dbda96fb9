#include "app/output/output_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "dcube/core/errors.hpp"
#include "support/complaint.hpp"

namespace dcube::app {
namespace {

namespace fs = std::filesystem;

class OutputPlanTest : public testing::Test {
 protected:
  OutputPlanTest() { fs::create_directories(folder_); }
  ~OutputPlanTest() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name) const { return folder_ / name; }
  static std::string content(const fs::path& path) {
    std::ifstream stream{path};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }

  fs::path folder_ = fs::path{testing::TempDir()} / fmt::format("output-plan-{}", getpid());
  OutputPlan plan_;
};

const std::vector<OutputKind> kinds{{"csv", ".csv"}, {"result"}};

TEST(NamedOutputs, KindComesFromPrefixOrSuffix) {
  const NamedOutput by_prefix = named_output("--write", "csv:a:b", kinds);
  EXPECT_EQ(by_prefix.kind, "csv");
  EXPECT_EQ(by_prefix.file, "a:b");
  const NamedOutput by_suffix = named_output("--write", "dir/a:b.csv", kinds);
  EXPECT_EQ(by_suffix.kind, "csv");
  EXPECT_EQ(by_suffix.file, "dir/a:b.csv");
}

TEST(NamedOutputs, AMisspeltKindIsNoFile) {
  EXPECT_EQ(complaint([] { named_output("--write", "cvs:x.csv", kinds); }),
            "--write: `cvs` is not a kind of file that is written here; did you mean `csv`?");
  EXPECT_EQ(complaint([] { named_output("--write", "x", kinds); }),
            "--write: \"x\" does not say what to write (KIND:FILE with one of csv (.csv), result)");
  EXPECT_EQ(complaint([] { named_output("--write", "csv:", kinds); }),
            "--write: the name of the file is missing");
}

TEST_F(OutputPlanTest, NothingIsWrittenBeforeTheEnd) {
  plan_.writes("--output", file("a"));
  plan_.put(file("a"), "text");
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(plan_.finish(""), ExitStatus::done);
  EXPECT_EQ(content(file("a")), "text");
}

TEST_F(OutputPlanTest, FilesThatBelongTogetherAppearTogether) {
  std::ofstream{file("old")} << "old";
  plan_.put(file("old"), "new");
  plan_.put(file("gone/x"), "text");
  EXPECT_EQ(plan_.finish(""), ExitStatus::unusable_input);
  EXPECT_EQ(content(file("old")), "old");
}

TEST_F(OutputPlanTest, AWriterThatFailsStopsNoOther) {
  bool is_called = false;
  plan_.add_writer([] { throw InputError("x", "cannot be written"); });
  plan_.add_writer([&] { is_called = true; });
  plan_.put(file("a"), "text");
  EXPECT_EQ(plan_.finish(""), ExitStatus::unusable_input);
  EXPECT_TRUE(is_called);
  EXPECT_EQ(content(file("a")), "text");
}

TEST_F(OutputPlanTest, OneFileHasOneUseWhateverItIsCalled) {
  std::ofstream{file("in")} << "x";
  fs::create_symlink("in", file("link"));
  fs::create_hard_link(file("in"), file("hard"));
  fs::create_symlink("loose", file("dangling"));
  plan_.reads({file("in")});
  plan_.reads({file("link")});  // twice is no harm
  for (const char* name : {"in", "link", "hard", "./in"}) {
    EXPECT_NE(complaint([&] { plan_.writes("--output", file(name)); }), "") << name;
  }
  plan_.writes("--output", file("dangling"));
  EXPECT_NE(complaint([&] { plan_.writes("--write", file("loose")); }), "");
  std::ofstream{file("loose")} << "x";
  EXPECT_EQ(complaint([&] {
              OutputPlan other;
              other.writes("--write", file("loose"));
              other.reads({file("dangling")});
            }).substr(0, 9),
            "--write: ");
}

}  // namespace
}  // namespace dcube::app
