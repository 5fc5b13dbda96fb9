#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dcube/scenario/validation.hpp"
#include "shipped_files.hpp"
#include "support/mutator.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

TEST(MutatedFiles, AreAcceptedOrGiveAnInputErrorOfOneLine) {
  std::vector<std::string> originals;
  for (const char* folder : {"platforms", "scenarios"}) {
    for (const auto& file : shipped_files(folder)) {
      originals.push_back(file_content(file));
    }
  }
  const TemporaryFolder folder;
  Mutator mutator{20250601,
                  {"-1",
                   "0",
                   "1e999",
                   "1e-999",
                   "0.5",
                   "null",
                   "true",
                   "\"\"",
                   "[]",
                   "{}",
                   "[",
                   "}",
                   ",",
                   ":",
                   "\"",
                   "\\",
                   "\xff",
                   "\n",
                   "\"kind\"",
                   "\"xor\"",
                   "\"torus\"",
                   "\"random\"",
                   "\"2.5ps\"",
                   "\"explicit\"",
                   "\"map\": [0]",
                   "\"file\": \"x.map\"",
                   "NaN",
                   "\"1e-40s\"",
                   "4294967295"}};
  constexpr int rounds = 3000;
  const int rejected = read_mutations(
      mutator, rounds, [&](Mutator& lots) { return originals.at(lots.below(originals.size())); },
      [&](const std::string& text) { validate_document(folder.write("x.json", text)); });
  EXPECT_GT(rejected, rounds / 3);
}

}  // namespace
}  // namespace dcube
