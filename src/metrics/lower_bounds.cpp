#include "dcube/metrics/lower_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dcube {

std::string take_refuted(std::vector<CostBound>& bounds, std::uint64_t reached) {
  const auto first_held =
      std::ranges::find_if(bounds, [&](const CostBound& bound) { return bound.cost <= reached; });
  if (first_held == bounds.begin()) {
    return {};
  }
  const CostBound refuted = bounds.front();
  bounds.erase(bounds.begin(), first_held);
  if (bounds.empty()) {
    bounds.push_back({0, "no bound is left"});
  }
  return refuted_words(std::to_string(refuted.cost), std::to_string(reached), refuted.source);
}

std::string refuted_words(std::string_view bound, std::string_view reached,
                          std::string_view source) {
  return fmt::format(
      "a lower bound of {} is false, because {} was reached, and is left out. Unless this is about "
      "a program whose processes share variables, which has no bound, it is a defect of dcube: "
      "please report it with the machine and the program or traffic (the bound: {})",
      bound, reached, source);
}

}  // namespace dcube
