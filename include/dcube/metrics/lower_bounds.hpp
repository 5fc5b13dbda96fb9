#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// A bound that no map can beat, and where it is from.
struct CostBound {
  std::uint64_t cost = 0;
  std::string source;
};

/// Takes bounds above `reached`, which a map costs, out of `bounds` (greatest first); at least one
/// is left. They are false, which is a defect of dcube unless processes share variables. Returns a
/// line that says so and asks for a report; nothing where all bounds hold. Whoever shows a bound
/// beside a cost that was reached has it from here.
std::string take_refuted(std::vector<CostBound>& bounds, std::uint64_t reached);
/// That line about one bound, with its value and what was reached as they are to be shown.
std::string refuted_words(std::string_view bound, std::string_view reached,
                          std::string_view source);

}  // namespace dcube
