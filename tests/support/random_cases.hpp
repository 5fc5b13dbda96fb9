#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace dcube::testing {

/// How many random cases a property test makes, and from which seed. The environment has a word:
/// `./run-tests --nightly` sets both.
struct RandomCases {
  std::uint64_t first_seed;
  std::uint64_t count;
};

/// DCUBE_FIRST_SEED in place of 1, and DCUBE_CASES times as many as `usual`. A failure shows its
/// seed: with DCUBE_FIRST_SEED set to it, the test begins with that case.
inline RandomCases random_cases(std::uint64_t usual) {
  const auto number_of = [](const char* variable, std::uint64_t otherwise) {
    if (const char* text = std::getenv(variable)) {
      const std::string_view digits{text};
      std::from_chars(digits.data(), digits.data() + digits.size(), otherwise);
    }
    return otherwise;
  };
  return {number_of("DCUBE_FIRST_SEED", 1), usual * number_of("DCUBE_CASES", 1)};
}

}  // namespace dcube::testing
