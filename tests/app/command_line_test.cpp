#include "app/options/command_line.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/complaint.hpp"

namespace dcube::app {
namespace {

const std::array<std::string, 2> colours{"orange", "violet"};

/// A command line with one command, and what its options were given.
class Painting : public testing::Test {
 protected:
  Painting() {
    Parser parser = line_.add("paint", "Paint pictures", [this] {
      ++executions_;
      return ExitStatus::done;
    });
    parser.argument("PICTURE", pictures_, "pictures to paint").reads_file();
    parser.option("--colour,--color", colour_, "COLOUR", "paint in it").one_of(colours);
    parser.option("-o,--output", output_, "FILE", "paint there").writes_file();
    parser.list("--layer", layers_, "N[,N..]", "layers to paint");
    parser.option("--note", notes_, "TEXT", "words to keep");
    parser.flag("--dry", is_dry_, "paint nothing");
    parser.examples("dcube paint wall");
  }

  void run(std::vector<const char*> words) {
    words.insert(words.begin(), "dcube");
    line_.run(static_cast<int>(words.size()), words.data());
  }
  std::string refusal(const std::vector<const char*>& words) {
    return complaint([&] { run(words); });
  }
  std::string help() {
    testing::internal::CaptureStdout();
    run({"help", "paint"});
    return testing::internal::GetCapturedStdout();
  }

  CommandLine line_;
  int executions_ = 0;
  std::vector<std::string> pictures_;
  std::string colour_;
  std::string output_;
  std::vector<std::string> layers_;
  std::vector<std::string> notes_;
  bool is_dry_ = false;
};

TEST_F(Painting, ExecutesTheCommandWithItsOptions) {
  run({"paint", "a", "b", "--colour", "violet", "--layer", "1,2", "--layer", "3", "--note", "x,y",
       "--note", "z", "--dry"});
  EXPECT_EQ(executions_, 1);
  EXPECT_EQ(pictures_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(colour_, "violet");
  EXPECT_EQ(layers_, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(notes_, (std::vector<std::string>{"x,y", "z"}));
  EXPECT_TRUE(is_dry_);
}

TEST_F(Painting, OlderSpellingsWorkAndStayOutOfTheHelp) {
  run({"paint", "a", "--color", "orange"});
  EXPECT_EQ(colour_, "orange");
  EXPECT_NE(refusal({"paint", "a", "--color", "orange", "--colour", "violet"}), "");
  const std::string text = help();
  EXPECT_NE(text.find("--colour COLOUR"), std::string::npos) << text;
  EXPECT_NE(text.find("-o,--output FILE"), std::string::npos) << text;
  EXPECT_EQ(text.find("--color "), std::string::npos) << text;
}

TEST_F(Painting, HelpEndsWithTheExamples) {
  const std::string text = help();
  EXPECT_TRUE(text.ends_with("Example:\n  dcube paint wall\n")) << text;
  EXPECT_EQ(executions_, 0);
}

TEST_F(Painting, AnUnknownWordNamesTheNearest) {
  EXPECT_EQ(refusal({"paitn"}), "paitn: unknown command; did you mean `paint`?");
  EXPECT_EQ(refusal({"paitn", "--help"}), "paitn: unknown command; did you mean `paint`?");
  EXPECT_EQ(refusal({"help", "paitn"}), "paitn: unknown command; did you mean `paint`?");
  EXPECT_EQ(refusal({"paint", "--layr=1"}), "--layr: unknown option; did you mean `--layer`?");
  EXPECT_EQ(refusal({"paint", "--colour", "volet"}),
            "--colour: `volet` is not one of its choices; did you mean `violet`?");
  EXPECT_EQ(executions_, 0);
}

TEST_F(Painting, WordsAfterTheCommandAreItsOwn) {
  run({"paint", "paint"});
  EXPECT_EQ(pictures_, std::vector<std::string>{"paint"});
}

TEST_F(Painting, AnEmptyOrMissingValueIsRefused) {
  const std::string empty = " is empty (give it a value, or leave it out)";
  EXPECT_EQ(refusal({"paint", "--output", ""}), "--output:" + empty);
  EXPECT_EQ(refusal({"paint", "--output=", "--dry"}), "--output:" + empty);
  EXPECT_EQ(refusal({"paint", "--layer", "1", "--layer", ""}), "--layer:" + empty);
  EXPECT_EQ(refusal({"paint", ""}), "PICTURE:" + empty);
  EXPECT_EQ(refusal({"paint", "--output", "--dry"}), "--output: has no value (--dry follows)");
}

TEST_F(Painting, AnOptionOfOneValueIsGivenOnce) {
  EXPECT_EQ(refusal({"paint", "--colour", "violet", "--color", "orange"}),
            "--colour: is given twice (once is enough)");
  EXPECT_EQ(refusal({"paint", "-o", "a", "--output=b"}),
            "--output: is given twice (once is enough)");
}

TEST_F(Painting, TwoHyphensEndTheOptions) {
  run({"paint", "--dry", "--", "--colour", "-x"});
  EXPECT_EQ(pictures_, (std::vector<std::string>{"--colour", "-x"}));
  EXPECT_TRUE(is_dry_);
}

TEST_F(Painting, AHyphenIsStandardInputOrOutput) {
  run({"paint", "-", "png:-", "a-", "-o", "-"});
  EXPECT_EQ(pictures_, (std::vector<std::string>{"/dev/stdin", "png:/dev/stdin", "a-"}));
  EXPECT_EQ(output_, "/dev/stdout");
}

}  // namespace
}  // namespace dcube::app
