#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <vector>

namespace dcube {

/// Results of `function` for 0, 1, .. count - 1, in order; the numbers themselves without one.
template <std::integral Number = std::uint32_t, class Function = std::identity>
auto numbered(std::size_t count, Function function = {}) {
  std::vector<std::decay_t<std::invoke_result_t<Function&, Number>>> results;
  results.reserve(count);
  for (std::size_t number = 0; number < count; ++number) {
    results.push_back(std::invoke(function, static_cast<Number>(number)));
  }
  return results;
}

/// The elements for which `is_kept` holds, in order.
template <class Range, class Predicate>
auto kept(Range&& range, Predicate is_kept) {
  std::vector<std::ranges::range_value_t<Range>> elements;
  std::ranges::copy_if(range, std::back_inserter(elements), is_kept);
  return elements;
}

}  // namespace dcube
