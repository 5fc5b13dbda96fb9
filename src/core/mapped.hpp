#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
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

/// Sum of the elements, or of the results of `function` (or of a member) for them.
template <class Range, class Function = std::identity>
auto sum_of(Range&& range, Function function = {}) {
  using Element = std::ranges::range_reference_t<Range>;
  std::decay_t<std::invoke_result_t<Function&, Element>> sum{};
  for (auto&& element : range) {
    sum += std::invoke(function, element);
  }
  return sum;
}

/// Keeps the first `most` elements by `projection`, which descends; of equals, those before.
template <class Element, class Projection>
void keep_greatest(std::vector<Element>& elements, std::size_t most, Projection projection) {
  std::ranges::stable_sort(elements, std::ranges::greater{}, projection);
  elements.resize(std::min(elements.size(), most));
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
