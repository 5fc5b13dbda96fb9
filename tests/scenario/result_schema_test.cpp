#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/schema_check.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

/// What the program prints on standard output in the source tree.
std::string printed(const std::string& arguments) {
  const std::string command = "cd '" DCUBE_SOURCE_DIR "' && '" DCUBE_PROGRAM "' " + arguments;
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    return text;
  }
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), count);
  }
  pclose(pipe);
  return text;
}

void expect_conforming(const std::string& schema, const std::vector<std::string>& commands) {
  for (const std::string& command : commands) {
    const std::string text = printed(command);
    ASSERT_TRUE(text.starts_with("{")) << command;
    const auto found = schema_complaint(schema, text);
    EXPECT_FALSE(found) << command << ": " << found->pointer << ": " << found->problem;
  }
}

TEST(ResultSchema, HoldsOfResults) {
  expect_conforming(
      "result",
      {
          "run quickstart --json",
          "run quickstart --json --why",
          "run quickstart --json --jitter 1e-6 --set /machine/switching=cut_through --set "
          "'/machine/routing={\"kind\":\"valiant\"}'",
          "run quickstart --json --set /machine/network=fluid",
          "run torus-cc_dcube-failed --json",
          "run quickstart --json --set "
          "'/machine/failed={\"at\":\"3s\",\"links\":[[0,1],[0,7],[0,8],[0,56]]}'",
          "run torus-cc_dcube-slots --json --why",
          "run torus-pattern-halo --json --why",
          "run hypercube-template_matching-host --json",
          "run graph-cc_dcube --json",
          "run ring-cc_dcube-half_duplex --json",
      });
}

TEST(ResultSchema, HoldsOfDeadlocks) {
  const TemporaryFolder folder;
  folder.write("s.goal",
               "num_ranks 2\nrank 0 {\na: send 8b to 1 tag 0\n}\n"
               "rank 1 {\na: recv 8b from 0 tag 1\n}\n");
  const auto scenario = folder.write("s.json", R"({"schema_version": 1, "machine": "ring:4",
      "embedding": "identity", "program": {"kind": "goal", "file": "s.goal"}})");
  expect_conforming("result", {"run '" + scenario.string() + "' --json 2>/dev/null"});
}

TEST(ResultSchema, HoldsOfComparisons) {
  expect_conforming(
      "comparison",
      {
          "compare quickstart --embedding xor,gray --json --why",
          "compare quickstart --embedding xor --network cut_through,fluid --json",
          "compare quickstart --embedding xor --failures 1 --seeds 2 --network fluid --json",
          "compare hypercube-broadcast --embedding identity --process-count 16,64 --json",
          "compare quickstart --embedding snake,xor --json 2>/dev/null",
      });
}

TEST(ResultSchema, RefusesAResultWithoutItsMakespan) {
  const auto found = schema_complaint("result", R"({"outcome": "completed"})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pointer, "");
}

}  // namespace
}  // namespace dcube
