#pragma once

#include <cstdint>
#include <string>

#include "core/mapped.hpp"
#include "dcube/core/params.hpp"

namespace dcube {

/// A whole number as a setting.
inline Setting number_setting(std::uint64_t number) {
  return Setting::Number{std::to_string(number)};
}

/// A list of whole numbers as a setting.
template <class Numbers>
Setting numbers_setting(const Numbers& numbers) {
  return mapped(numbers, number_setting);
}

}  // namespace dcube
