#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dcube {

/// Results of `function` (or of a member) for each element, in order.
template <class Range, class Function>
auto mapped(Range&& range, Function function) {
  using Element = std::ranges::range_reference_t<Range>;
  std::vector<std::decay_t<std::invoke_result_t<Function&, Element>>> results;
  if constexpr (std::ranges::sized_range<Range>) {
    results.reserve(std::ranges::size(range));
  }
  for (auto&& element : range) {
    results.push_back(std::invoke(function, element));
  }
  return results;
}

/// The first `count` items, or all. Clang 14 does not compile std::views::take.
template <class Item>
std::span<const Item> first_of(const std::vector<Item>& items, std::size_t count) {
  return std::span{items}.first(std::min(count, items.size()));
}

/// "a, b": results of `function`, which are texts or numbers.
template <class Range, class Function = std::identity>
std::string joined(Range&& range, std::string_view separator, Function function = {}) {
  std::string text;
  bool is_first = true;
  for (auto&& element : range) {
    text += std::exchange(is_first, false) ? "" : separator;
    const auto& part = std::invoke(function, element);
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_convertible_v<Part, std::string_view>) {
      text += part;
    } else if constexpr (std::integral<Part> && sizeof(Part) >= sizeof(int)) {
      const fmt::format_int digits{part};
      text.append(digits.data(), digits.size());
    } else {
      text += fmt::format("{}", part);
    }
  }
  return text;
}

}  // namespace dcube
