#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dcube/network/machine.hpp"

namespace dcube {

/// Names of the routings other than `fixed` in machine files and results, in the order of Routing.
inline const std::array<std::string, 6> own_way_names{
    "random_order", "valiant", "minimal_adaptive", "valiant_group", "ugal", "ecmp"};

/// Routing of a name; nothing for other names.
inline std::optional<Routing> own_ways_named(std::string_view name) {
  const auto* const found = std::ranges::find(own_way_names, name);
  return found == own_way_names.end()
             ? std::nullopt
             : std::optional{static_cast<Routing>(1 + (found - own_way_names.begin()))};
}

/// Whether messages draw something.
inline bool is_drawn(Routing routing) {
  return routing != Routing::fixed && routing != Routing::minimal_adaptive;
}

/// Whether messages may go over a node or a group that they draw, on longer routes than those that
/// distances count.
inline bool makes_detours(Routing routing) {
  return routing == Routing::valiant || routing == Routing::valiant_group ||
         routing == Routing::ugal;
}

/// Needs a routing other than `fixed`.
inline const std::string& own_ways_name(Routing routing) {
  return own_way_names.at(static_cast<std::size_t>(routing) - 1);
}

}  // namespace dcube
