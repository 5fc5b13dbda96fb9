#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace dcube::report {

/// A list of numbers as JSON.
template <class Number>
std::string json_list(const std::vector<Number>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

}  // namespace dcube::report
