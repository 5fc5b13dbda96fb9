#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dcube/core/errors.hpp"
#include "dcube/core/random.hpp"

namespace dcube {

/// Changes texts at random, repeatably.
class Mutator {
 public:
  /// `pieces`: texts to insert, which hit more errors than single letters.
  Mutator(std::uint64_t seed, std::vector<std::string> pieces)
      : random_{seed}, pieces_{std::move(pieces)} {}

  std::size_t below(std::size_t bound) { return bounded(random_.next(), bound); }
  const std::string& piece() { return pieces_.at(below(pieces_.size())); }

  /// `text` after one to four changes.
  std::string mutated(std::string text) {
    const std::uint64_t changes = 1 + below(4);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
      change(text);
    }
    return text;
  }

 private:
  void change(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(12);
    switch (below(6)) {
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
        text.insert(at, piece());
        break;
      case 4:
        replace_value(text, at);
        break;
      default:
        if (below(4) == 0) {
          text.erase(at);
        }
    }
  }

  /// Replaces the next number or value by a piece.
  void replace_value(std::string& text, std::size_t at) {
    constexpr const char* before_values = ":= \t,";
    const std::size_t begin = text.find_first_of(before_values, at);
    if (begin == std::string::npos) {
      return;
    }
    const std::size_t end = text.find_first_of(",}] \t\n", begin + 1);
    text.replace(begin + 1, end == std::string::npos ? end : end - begin - 1, piece());
  }

  SplitMix64 random_;
  std::vector<std::string> pieces_;
};

/// Reads `rounds` mutated texts, each of which must be accepted or give an InputError of one line
/// with a place. Returns how many were rejected.
inline int read_mutations(Mutator& mutator, int rounds,
                          const std::function<std::string(Mutator&)>& original,
                          const std::function<void(const std::string&)>& read) {
  int rejected = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = mutator.mutated(original(mutator));
    SCOPED_TRACE(::testing::Message() << "round " << round << ":\n" << text);
    try {
      read(text);
    } catch (const InputError& error) {
      ++rejected;
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
      EXPECT_NE(error.place(), "") << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  return rejected;
}

}  // namespace dcube
