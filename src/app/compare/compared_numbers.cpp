#include "compared_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/options/options.hpp"
#include "core/refuse.hpp"

namespace dcube::app {
namespace {

constexpr const char* failures_option = "--failures";
constexpr const char* process_count = "--process-count";
constexpr std::int64_t most_failures = 1'000'000;

std::uint32_t whole(const std::string& text, std::int64_t least, std::int64_t most,
                    const std::string& what) {
  Params value;
  value.set("value", Setting::Number{text});
  const std::string expected = fmt::format("{} ({} to {})", what, least, most);
  try {
    return static_cast<std::uint32_t>(value.integer("value", least, most, expected));
  } catch (const InputError& error) {
    throw InputError("", error.problem());
  }
}

}  // namespace

std::vector<std::uint32_t> process_numbers(const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : texts) {
    const std::uint32_t number = at_place(process_count, [&] { return positive_int(text); });
    refuse_if(std::find(numbers.begin(), numbers.end(), number) != numbers.end(), process_count,
              "{} is given twice", number);
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::uint32_t> failure_numbers(const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : texts) {
    const std::uint32_t number = at_least_at(
        failures_option, [&] { return whole(text, 0, most_failures, "a number of failed links"); });
    refuse_if(std::ranges::find(numbers, number) != numbers.end(), failures_option,
              "{} is given twice", number);
    numbers.push_back(number);
  }
  if (std::ranges::find(numbers, 0U) == numbers.end()) {
    numbers.push_back(0);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::uint32_t failure_seeds(const std::string& text) {
  return whole(text, 1, most_failure_seeds, "a number of seeds");
}

}  // namespace dcube::app
