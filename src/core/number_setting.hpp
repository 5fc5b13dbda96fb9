#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

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

/// A group of settings in this order, without a place.
inline Params group_of(std::initializer_list<std::pair<const char*, Setting>> settings) {
  Params group;
  for (const auto& [key, value] : settings) {
    group.set(key, value);
  }
  return group;
}

}  // namespace dcube
