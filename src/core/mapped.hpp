#pragma once

#include <fmt/format.h>

#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dcube {

/// What `function` (or a member) makes of each element, in order.
template <class Range, class Function>
auto mapped(Range&& range, Function function) {
  using Element = std::ranges::range_reference_t<Range>;
  std::vector<std::decay_t<std::invoke_result_t<Function&, Element>>> results;
  for (auto&& element : range) {
    results.push_back(std::invoke(function, element));
  }
  return results;
}

/// "a, b": the texts or numbers that `function` makes of the elements.
template <class Range, class Function = std::identity>
std::string joined(Range&& range, std::string_view separator, Function function = {}) {
  return fmt::format("{}", fmt::join(mapped(range, function), separator));
}

}  // namespace dcube
