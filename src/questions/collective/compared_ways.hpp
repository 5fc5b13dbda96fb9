#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "dcube/questions/collective.hpp"

namespace dcube {

/// Whether several of something are compared, so that a table names it.
template <class Member>
bool has_several(const CollectiveAnswer& answer, Member member) {
  return std::ranges::any_of(answer.ways, [&](const CollectiveWay& way) {
    return std::invoke(member, way) != std::invoke(member, answer.ways.front());
  });
}

/// Of the times of a row that completed and the fastest; nothing where that took no time.
inline std::optional<double> ratio_to_best(const CollectiveRow& row, const CollectiveRow& best) {
  return best.makespan > Ticks{0} ? std::optional{static_cast<double>(row.makespan.count()) /
                                                  static_cast<double>(best.makespan.count())}
                                  : std::nullopt;
}

}  // namespace dcube
