#include "compared_numbers.hpp"

#include <algorithm>

#include "app/options/options.hpp"
#include "core/mapped.hpp"

namespace dcube::app {
namespace {

constexpr const char* failures_option = "--failures";
constexpr const char* process_count = "--process-count";
constexpr std::uint32_t most_failures = 1'000'000;

template <class Read>
std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& texts, const char* option,
                                      Read read) {
  return mapped(
      texts, [&](const std::string& text) { return at_place(option, [&] { return read(text); }); });
}

}  // namespace

std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts) {
  return numbers_of(texts, process_count, positive_int);
}

std::vector<std::uint32_t> failure_numbers(const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> numbers =
      numbers_of(texts, failures_option, [](const std::string& text) {
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
