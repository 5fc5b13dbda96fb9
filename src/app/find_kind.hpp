#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace dcube::app {

/// The entry of a catalogue called `name`; null when there is none.
template <class Kind>
const Kind* find_kind(std::span<const Kind* const> catalogue, std::string_view name) {
  const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const Kind* kind) { return kind->name == name; });
  return found == catalogue.end() ? nullptr : *found;
}

}  // namespace dcube::app
