#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <string>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"
#include "dcube/scenario/scenario.hpp"
#include "shipped_files.hpp"
#include "temporary_folder.hpp"

namespace dcube {
namespace {

constexpr std::uint64_t seed = 20250601;

/// Pieces that break a file in more interesting ways than single letters do.
const std::array<std::string, 28> pieces{"-1",
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
                                         "NaN",
                                         "\"1e-40s\"",
                                         "4294967295"};

class Mutator {
 public:
  explicit Mutator(std::uint64_t start) : random_{start} {}

  std::string mutated(std::string text) {
    const std::uint64_t changes = 1 + below(3);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
      change(text);
    }
    return text;
  }

  std::size_t below(std::size_t bound) { return bounded(random_.next(), bound); }

 private:
  void change(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(8);
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size()), std::string{text, at, length});
        break;
      case 3:
        text.insert(at, pieces.at(below(pieces.size())));
        break;
      default:
        replace_value(text, at);
    }
  }

  /// Puts a piece where the next value after a colon is.
  void replace_value(std::string& text, std::size_t at) {
    const std::size_t colon = text.find(':', at);
    if (colon == std::string::npos) {
      return;
    }
    const std::size_t end = text.find_first_of(",}\n", colon);
    text.replace(colon + 1, end == std::string::npos ? end : end - colon - 1,
                 pieces.at(below(pieces.size())));
  }

  SplitMix64 random_;
};

TEST(MutatedFiles, AreAcceptedOrGiveAnInputErrorOfOneLine) {
  std::vector<std::string> originals;
  for (const char* folder : {"platforms", "scenarios"}) {
    for (const auto& file : shipped_files(folder)) {
      originals.push_back(file_content(file));
    }
  }
  const TemporaryFolder folder;
  Mutator mutator{seed};
  int rejected = 0;
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = mutator.mutated(originals.at(mutator.below(originals.size())));
    const auto file = folder.write("x.json", text);
    try {
      validate_document(file);
    } catch (const InputError& error) {
      ++rejected;
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
      EXPECT_NE(error.place(), "") << "seed " << seed << ", round " << round << ":\n" << text;
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ", round " << round << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(rejected, rounds / 3);
}

}  // namespace
}  // namespace dcube
