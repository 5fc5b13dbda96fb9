#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dcube/core/int128.hpp"
#include "dcube/core/params.hpp"

namespace dcube {

/// A time or size as a formula: "2us + 10ns * rank", "8KiB * (iteration % 2)". It has whole
/// numbers, `rank`, `size` and `iteration` with + - * / % and brackets; / and % round towards 0.
/// Arithmetic is on whole picoseconds or bytes.
class Expression {
 public:
  enum class Unit : std::uint8_t { time, bytes, count };
  struct Variables {
    std::uint32_t rank = 0;
    std::uint32_t size = 1;
    std::uint64_t iteration = 0;
  };

  static Expression of(std::uint64_t value) {
    Expression constant;
    constant.constant_ = value;
    return constant;
  }
  /// Reads the setting `key`: a formula, or a plain number as in other settings. Throws InputError.
  static Expression read(const Params& settings, std::string_view key, Unit unit);
  /// Reads an entry of a list, whose place is `place`.
  static Expression read(const Setting& setting, const std::string& place, Unit unit);

  /// Whether it is more than a plain number.
  bool is_formula() const { return !steps_.empty(); }
  bool depends_on_rank() const { return std::ranges::count(steps_, What::rank, &Step::what) > 0; }

  /// The value, 0 .. 2^62. Throws InputError at the setting when it is not, or on division by 0.
  std::uint64_t operator()(const Variables& variables) const;

 private:
  friend class ExpressionReader;
  enum class What : std::uint8_t {
    constant,
    rank,
    size,
    iteration,
    add,
    subtract,
    multiply,
    divide,
    remainder
  };
  /// Steps are in postfix order: operators take the two values before them.
  struct Step {
    What what{};
    Int128 value = 0;
  };

  std::string place_;
  std::vector<Step> steps_;
  std::uint64_t constant_ = 0;  ///< the value without steps
};

}  // namespace dcube
