#include "compared_numbers.hpp"

#include <algorithm>

#include "app/options/options.hpp"
#include "core/refuse.hpp"

namespace dcube::app {
namespace {

constexpr const char* failures_option = "--failures";
constexpr const char* process_count = "--process-count";
constexpr std::uint32_t most_failures = 1'000'000;

/// The numbers that `read` makes of the texts; one that is given twice is refused.
template <class Read>
std::vector<std::uint32_t> different_numbers(const std::vector<std::string>& texts,
                                             const char* option, Read read) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : texts) {
    const std::uint32_t number = at_place(option, [&] { return read(text); });
    refuse_if(std::ranges::find(numbers, number) != numbers.end(), option, "{} is given twice",
              number);
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts) {
  return different_numbers(texts, process_count, positive_int);
}

std::vector<std::uint32_t> failure_numbers(const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> numbers =
      different_numbers(texts, failures_option, [](const std::string& text) {
        return whole_number(text, 0, most_failures, "a number of failed links");
      });
  if (std::ranges::find(numbers, 0U) == numbers.end()) {
    numbers.push_back(0);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::uint32_t failure_seeds(const std::string& text) {
  return whole_number(text, 1, most_failure_seeds, "a number of seeds");
}

}  // namespace dcube::app
