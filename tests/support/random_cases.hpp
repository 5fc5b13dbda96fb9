#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace dcube::testing {

/// Random cases of a property test.
struct RandomCases {
  std::uint64_t first_seed;
  std::uint64_t count;
};

/// DCUBE_CASES (default 1) times `usual` cases from seed DCUBE_FIRST_SEED (default 1) on.
/// `./run-tests --nightly` sets both. Set DCUBE_FIRST_SEED to the seed of a failure to begin there.
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
