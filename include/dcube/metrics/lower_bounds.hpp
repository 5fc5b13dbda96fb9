#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Lower bound on the cost of every map, and the theorem behind it.
struct CostBound {
  std::uint64_t cost = 0;
  std::string source;
};

/// Removes bounds above `reached`, the cost of a map, from `bounds` (greatest first); at least one
/// stays. Such bounds are false: a defect of dcube unless processes share variables. Returns a line
/// that says so and asks for a report; empty when all bounds hold. Call it before showing a bound
/// beside a cost that was reached.
std::string take_refuted(std::vector<CostBound>& bounds, std::uint64_t reached);
/// The line of take_refuted(), with both values as they are to be shown.
std::string refuted_words(std::string_view bound, std::string_view reached,
                          std::string_view source);

}  // namespace dcube
