#include "dcube/core/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <numeric>
#include <optional>

#include "dcube/core/errors.hpp"
#include "decimal.hpp"
#include "refuse.hpp"
#include "text.hpp"
#include "units.hpp"

namespace dcube {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr std::int64_t most_ticks = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t ticks_per_second = Ticks::period::den;

constexpr std::string_view duration_form =
    "a duration (a non-negative number of seconds, or with a unit: ps, ns, us, ms, s)";
constexpr std::string_view rate_form =
    "a rate (a positive number of bytes per second, or with a unit: Bps, MB/s, GiB/s, Gbps, ..)";
constexpr std::string_view size_form =
    "a size (a number of bytes, or with a unit: B, kB, MB, KiB, MiB, M, ..)";

// A fraction of two 63-bit numbers whose denominator divides a power of ten has at most 62 decimal
// places and 19 digits before them. Texts far outside cannot become one and are never expanded.
constexpr std::int64_t most_decimal_places = 100;
constexpr std::int64_t most_whole_digits = 60;

template <class Units>
std::optional<std::int64_t> size_in(const Units& units, std::string_view name) {
  const auto found = std::ranges::find(units, name, &Unit::name);
  return found == units.end() ? std::nullopt : std::optional{found->size};
}

std::optional<std::int64_t> bytes_of_unit(std::string_view name) {
  const std::optional<std::int64_t> bytes = size_in(byte_units, name);
  return bytes ? bytes : size_in(more_byte_units, name);
}

std::optional<std::int64_t> bytes_of_size_unit(std::string_view name) {
  const std::optional<std::int64_t> bytes = bytes_of_unit(name.empty() ? "B" : name);
  return bytes ? bytes : size_in(bare_byte_units, name);
}

[[noreturn]] void reject(std::string_view text, std::string_view problem) {
  throw InputError("", fmt::format("{} {}", shown(text), problem));
}

[[noreturn]] void reject_form(std::string_view text, std::string_view form) {
  reject(text, fmt::format("is not {}", form));
}

/// The exact value; nothing when it could never become an ExactTime.
std::optional<cpp_rational> exact_value(const Decimal& number) {
  if (number.is_zero()) {
    return 0;
  }
  const auto digits = static_cast<std::int64_t>(number.digits.size());
  if (digits > most_decimal_places + most_whole_digits || number.exponent < -most_decimal_places ||
      number.exponent + digits > most_whole_digits) {
    return std::nullopt;
  }
  const cpp_rational mantissa{cpp_int{number.digits}};
  const auto power = static_cast<unsigned>(std::abs(number.exponent));
  const cpp_int scale = boost::multiprecision::pow(cpp_int{10}, power);
  return number.exponent < 0 ? cpp_rational{mantissa / scale} : cpp_rational{mantissa * scale};
}

/// A non-negative number and the unit written after it, multiplied; nothing when it could never
/// become an ExactTime. `size_of` gives the size of a unit, and nothing for an unknown one.
template <class SizeOf>
std::optional<cpp_rational> read_quantity(std::string_view text, std::string_view form,
                                          SizeOf size_of) {
  const std::size_t length = decimal_length(text);
  const std::optional<Decimal> number = read_decimal(text.substr(0, length));
  std::string_view name = text.substr(length);
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  const std::optional<std::int64_t> unit = size_of(name);
  if (!number || number->is_negative || !unit) {
    reject_form(text, form);
  }
  std::optional<cpp_rational> value = exact_value(*number);
  if (value) {
    *value *= *unit;
  }
  return value;
}

cpp_rational rational(const ExactTime& time) { return {time.numerator(), time.denominator()}; }

/// Nothing for a fraction that is missing or has too many bits.
std::optional<ExactTime> exact_time(const std::optional<cpp_rational>& picoseconds) {
  if (!picoseconds || numerator(*picoseconds) > most_ticks ||
      denominator(*picoseconds) > most_ticks) {
    return std::nullopt;
  }
  return ExactTime{numerator(*picoseconds).convert_to<std::int64_t>(),
                   denominator(*picoseconds).convert_to<std::int64_t>()};
}

/// exact_time(), or InputError that `text` breaks the `limits`.
ExactTime checked_time(const std::optional<cpp_rational>& picoseconds, std::string_view text,
                       std::string_view limits) {
  const std::optional<ExactTime> time = exact_time(picoseconds);
  if (!time) {
    reject(text, fmt::format("cannot be kept exactly ({})", limits));
  }
  return *time;
}

/// The shortest exact decimal; nothing when the fraction has none, such as 1/3.
std::optional<std::string> exact_decimal(const cpp_rational& value) {
  cpp_int scaled = numerator(value);
  cpp_int rest = denominator(value);
  std::size_t places = 0;
  for (; rest != 1; ++places) {
    const cpp_int shared = gcd(rest, cpp_int{10});
    if (shared == 1) {
      return std::nullopt;
    }
    scaled *= 10 / shared;
    rest /= shared;
  }
  std::string digits = scaled.str();
  // A program's own locale puts them in groups.
  std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
  digits.insert(0, std::max(places + 1, digits.size()) - digits.size(), '0');
  return places == 0 ? digits : digits.insert(digits.size() - places, ".");
}

ExactTime sum_of_costs(const cpp_rational& sum) {
  const std::optional<ExactTime> time = exact_time(sum);
  refuse_if(!time, "", "a sum of costs needs more than 63 bits; use fewer digits");
  return *time;
}

void refuse_long_cost_if(bool is_long, double picoseconds) {
  refuse_if(is_long, "",
            "a cost of {:.4g} s is too long (simulated time ends at 2^63-1 ps, about 106 days)",
            picoseconds / ticks_per_second);
}

/// round_cost() if 128 bits hold every intermediate value, as they nearly always do; else nothing.
std::optional<Ticks> round_narrow_cost(const ExactTime& fixed, const ExactTime& per_unit,
                                       std::uint64_t count) {
  if (fixed.denominator() == 1 && per_unit.denominator() == 1) {
    std::int64_t whole = 0;
    if (!__builtin_mul_overflow(per_unit.numerator(), count, &whole) &&
        !__builtin_add_overflow(whole, fixed.numerator(), &whole)) {
      return Ticks{whole};
    }
  }
  const Int128 denominator = Int128{fixed.denominator()} * per_unit.denominator();
  Int128 variable = Int128{per_unit.numerator()} * fixed.denominator();
  Int128 numerator = Int128{fixed.numerator()} * per_unit.denominator();
  if (__builtin_mul_overflow(variable, Int128{count}, &variable) ||
      __builtin_add_overflow(numerator, variable, &numerator) ||
      __builtin_mul_overflow(numerator, Int128{2}, &numerator) ||
      __builtin_add_overflow(numerator, denominator, &numerator)) {
    return std::nullopt;
  }
  const Int128 rounded = numerator / 2 / denominator;
  if (rounded > Ticks::max().count()) {
    return std::nullopt;
  }
  return Ticks{static_cast<std::int64_t>(rounded)};
}

}  // namespace

std::optional<std::int64_t> bits_of_rate_unit(std::string_view unit) {
  if (!unit.empty() && !unit.ends_with("ps") && !unit.ends_with("/s")) {
    return std::nullopt;
  }
  const std::string_view name = unit.empty() ? "B" : unit.substr(0, unit.size() - 2);
  const std::optional<std::int64_t> bytes = bytes_of_unit(name);
  return bytes ? *bytes * 8 : size_in(bit_units, name);
}

ExactTime::ExactTime(std::int64_t numerator, std::int64_t denominator) {
  expects(numerator >= 0 && denominator > 0, "an exact time is a non-negative fraction");
  const std::int64_t shared = std::gcd(numerator, denominator);
  numerator_ = numerator / shared;
  denominator_ = denominator / shared;
}

double ExactTime::seconds() const {
  return static_cast<double>(static_cast<long double>(numerator_) /
                             static_cast<long double>(denominator_) / ticks_per_second);
}

ExactTime operator+(const ExactTime& a, const ExactTime& b) {
  return sum_of_costs(rational(a) + rational(b));
}

ExactTime operator*(std::uint32_t count, const ExactTime& time) {
  return sum_of_costs(count * rational(time));
}

Ticks round_cost(const ExactTime& fixed, const ExactTime& per_unit, std::uint64_t count) {
  if (const std::optional<Ticks> narrow = round_narrow_cost(fixed, per_unit, count)) {
    return *narrow;
  }
  const cpp_rational cost = rational(fixed) + rational(per_unit) * count;
  const cpp_int rounded = (2 * numerator(cost) + denominator(cost)) / (2 * denominator(cost));
  refuse_long_cost_if(rounded > most_ticks, rounded.convert_to<double>());
  return Ticks{rounded.convert_to<std::int64_t>()};
}

Ticks round_part_cost(const ExactTime& per_unit, std::uint64_t count, std::uint32_t parts) {
  // Both are below 2^127.
  const UInt128 numerator = static_cast<UInt128>(per_unit.numerator()) * count;
  const UInt128 denominator = static_cast<UInt128>(per_unit.denominator()) * parts;
  const UInt128 rest = numerator % denominator;
  const UInt128 rounded = numerator / denominator + (rest >= denominator - rest ? 1 : 0);
  refuse_long_cost_if(rounded > UInt128{most_ticks}, static_cast<double>(rounded));
  return Ticks{static_cast<std::int64_t>(rounded)};
}

void refuse_late_time() {
  throw InputError("", "simulated time exceeds 2^63-1 ps (about 106 days); use smaller costs");
}

double to_seconds(Int128 picoseconds) { return static_cast<double>(picoseconds) / 1e12; }

double to_seconds(Ticks time) {
  constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
  if (time.count() <= exact_in_double) {
    return static_cast<double>(time.count()) / static_cast<double>(ticks_per_second);
  }
  return parsed<double>(fmt::format("{}e-12", time.count())).value();
}

std::string format_time(Ticks time) { return format_time(ExactTime{time}); }

std::string format_time(const ExactTime& time) {
  if (time.is_zero()) {
    return "0 s";
  }
  const Unit& unit = fitting_unit(time_units, time.numerator() / time.denominator());
  if (const std::optional<std::string> text = exact_decimal(rational(time) / unit.size)) {
    return fmt::format("{} {}", *text, unit.name);
  }
  const double approximate = static_cast<double>(time.numerator()) /
                             static_cast<double>(time.denominator()) /
                             static_cast<double>(unit.size);
  return fmt::format("about {:.6g} {}", approximate, unit.name);
}

ExactTime parse_duration(std::string_view text) {
  return checked_time(
      read_quantity(
          text, duration_form,
          [](std::string_view unit) { return size_in(time_units, unit.empty() ? "s" : unit); }),
      text,
      "a duration is below 2^63 ps, about 106 days, and as a fraction of picoseconds "
      "has a denominator below 2^63");
}

ExactTime parse_time_per_byte(std::string_view rate) {
  std::optional<cpp_rational> time = read_quantity(rate, rate_form, bits_of_rate_unit);
  if (time && time->is_zero()) {
    reject_form(rate, rate_form);
  }
  if (time) {
    *time = cpp_rational{ticks_per_second} * 8 / *time;
  }
  return checked_time(time, rate,
                      "the time of a byte is a fraction of picoseconds with numerator and "
                      "denominator below 2^63");
}

std::uint64_t parse_size(std::string_view text) {
  const std::optional<cpp_rational> bytes = read_quantity(text, size_form, bytes_of_size_unit);
  if (!bytes || denominator(*bytes) != 1 || *bytes > most_ticks) {
    reject(text, "is not a size (a whole number of bytes below 2^63)");
  }
  return numerator(*bytes).convert_to<std::uint64_t>();
}

}  // namespace dcube
