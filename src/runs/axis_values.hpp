#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decimal.hpp"

namespace dcube {

/// Limit of a study's runs, and so of a setting's values.
inline constexpr std::uint64_t most_study_runs = 10'000'000;

/// Quantity of a setting's numbers, told by the unit that they are written with.
enum class QuantityUnit { none, time, bytes, rate };

/// A text that is a number with or without a unit.
struct WrittenQuantity {
  double value = 0;  ///< in seconds, bytes or bytes/s, or as it stands
  QuantityUnit unit = QuantityUnit::none;
  Decimal exact{};  ///< `value` unrounded
};

/// "10ms", "64KiB", "1.25GBps", "0.5". Nothing for another text.
std::optional<WrittenQuantity> written_quantity(std::string_view text);

/// The values that a list names: "xor,gray", "[4,4],[8,8]", "1s,log:10ms:100s:21". Commas inside
/// brackets, braces and quotes belong to a value. A value in quotes is the text inside, unless that
/// would be read as something else. `lin:FROM:TO:N` and `log:FROM:TO:N` stand for N
/// values at equal distances or ratios, FROM and TO among them; both ends have units, or none.
/// Values between them are texts with at most six digits, so they are the same on every machine.
/// Between whole numbers a logarithmic range has whole numbers, and sizes are whole bytes. Throws
/// InputError without a place.
std::vector<std::string> listed_values(std::string_view list);

/// The values of one entry: a range's, or the text itself.
std::vector<std::string> values_of_entry(std::string_view entry);

}  // namespace dcube
