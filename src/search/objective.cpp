#include "dcube/search/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/catalog.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/int128.hpp"

namespace dcube {
namespace {

const std::array<std::string, 8> names{"average-dilation", "longest-dilation", "link-load",
                                       "hop-bytes",        "cc-time",          "makespan",
                                       "link-time",        "weighted-sum"};
/// The last is not chosen by name.
constexpr std::size_t named = 7;

/// Products of weights and costs are to stay within 63 bits.
constexpr std::uint64_t most_weight = 1'000'000'000'000'000;

Objective objective_named(std::string_view name) {
  const auto known = objective_names();
  const auto found = std::ranges::find(known, name);
  refuse_if(found == known.end(), "", "{} is no objective{}", shown(name),
            nearest_name_hint(std::string{name}, known));
  return static_cast<Objective>(found - known.begin());
}

/// A part of a sum as it is written.
struct WrittenTerm {
  Objective objective{};
  Decimal weight{.digits = "1"};
  bool has_weight = false;
  bool is_relative = false;  ///< the weight is in percent
};

WrittenTerm read_term(std::string_view text) {
  text = trimmed(text);
  const std::size_t star = text.find('*');
  if (star == std::string_view::npos) {
    return {objective_named(text)};
  }
  const std::string_view weight = trimmed(text.substr(0, star));
  const bool is_relative = weight.ends_with('%');
  std::optional<Decimal> read =
      read_decimal(is_relative ? trimmed(weight.substr(0, weight.size() - 1)) : weight);
  refuse_if(!read || read->is_negative || read->is_zero(), "",
            "{} is not the weight of a term (a positive number, as in 0.2*link-load)",
            shown(weight));
  read->exponent -= is_relative ? 2 : 0;
  return {objective_named(trimmed(text.substr(star + 1))), *read, true, is_relative};
}

/// In parts of 10^exponent.
std::uint64_t whole_weight(const Decimal& weight, std::int64_t exponent) {
  const std::optional<std::uint64_t> whole =
      whole_value({.digits = weight.digits, .exponent = weight.exponent - exponent});
  refuse_if(!whole || *whole > most_weight, "",
            "the weights of a sum are too far apart (up to 15 digits together)");
  return *whole;
}

/// The greatest number that divides them.
std::uint64_t common_divisor(const Goal& goal) {
  std::uint64_t divisor = goal.scale;
  for (const ObjectiveTerm& term : goal.terms) {
    divisor = std::gcd(divisor, term.weight);
  }
  return divisor;
}

/// weight / scale as a decimal number; scales are made of twos and fives.
std::string weight_text(std::uint64_t weight, std::uint64_t scale) {
  std::string text = std::to_string(weight / scale);
  std::uint64_t rest = weight % scale;
  for (bool is_first = true; rest > 0; is_first = false) {
    text += is_first ? "." : "";
    rest *= 10;
    text += static_cast<char>('0' + rest / scale);
    rest %= scale;
  }
  return text;
}

}  // namespace

std::span<const std::string> objective_names() { return std::span{names}.first(named); }

std::string_view to_string(Objective objective) {
  return names[static_cast<std::size_t>(objective)];
}

Goal parse_goal(std::string_view text) {
  const bool is_sum = text.find_first_of("+*") != std::string_view::npos;
  if (!is_sum) {
    return {objective_named(text)};
  }
  Goal goal{.objective = Objective::weighted_sum};
  std::vector<WrittenTerm> written;
  for (const std::string_view term : split_at(text, '+')) {
    written.push_back(read_term(term));
    const Objective objective = written.back().objective;
    refuse_if(objective == Objective::makespan, "",
              "makespan cannot be a term of a sum (it comes from a simulation; give it alone)");
    refuse_if(std::ranges::count(written, objective, &WrittenTerm::objective) > 1, "",
              "{} is there twice; add its weights up", to_string(objective));
  }
  goal.is_relative = std::ranges::any_of(written, &WrittenTerm::is_relative);
  std::int64_t exponent = 0;
  for (const WrittenTerm& term : written) {
    refuse_if(goal.is_relative && term.has_weight && !term.is_relative, "",
              "the weight of {} is no percentage; give all weights in percent of the terms' "
              "bounds, or none",
              to_string(term.objective));
    exponent = std::min(exponent, term.weight.exponent);
  }
  constexpr std::int64_t least_exponent = -15;
  refuse_if(exponent < least_exponent, "",
            "the weights of a sum are too far apart (up to 15 digits together)");
  for (std::int64_t i = 0; i > exponent; --i) {
    goal.scale *= 10;
  }
  for (const WrittenTerm& term : written) {
    goal.terms.push_back({term.objective, whole_weight(term.weight, exponent)});
  }
  const std::uint64_t divisor = common_divisor(goal);
  goal.scale /= divisor;
  for (ObjectiveTerm& term : goal.terms) {
    term.weight /= divisor;
  }
  return goal;
}

std::string to_string(const Goal& goal) {
  if (goal.terms.empty()) {
    return std::string{to_string(goal.objective)};
  }
  std::string text;
  for (const ObjectiveTerm& term : goal.terms) {
    text += text.empty() ? "" : "+";
    if (goal.is_relative && (term.weight != goal.scale || goal.terms.size() == 1)) {
      text += weight_text(term.weight * 100, goal.scale) + "%*";
    } else if (term.weight != goal.scale) {
      text += weight_text(term.weight, goal.scale) + "*";
    }
    text += to_string(term.objective);
  }
  return text;
}

std::uint64_t LinkRates::most() const {
  return units.empty() ? 0 : *std::ranges::max_element(units);
}

std::uint64_t LinkRates::time_of(std::uint64_t units_of_bytes) const {
  const auto numerator = static_cast<UInt128>(unit.numerator());
  const auto denominator = static_cast<UInt128>(unit.denominator());
  return static_cast<std::uint64_t>((2 * UInt128{units_of_bytes} * numerator + denominator) /
                                    (2 * denominator));
}

LinkRates link_rates(std::span<const ExactTime> per_byte) {
  constexpr auto most = static_cast<UInt128>(std::numeric_limits<std::int64_t>::max());
  const auto refuse = [] {
    throw InputError("",
                     "the links' times for a byte have no common unit; write them with fewer "
                     "digits");
  };
  // All are whole multiples of 1 / common; what divides all of those is the unit.
  UInt128 common = 1;
  for (const ExactTime& time : per_byte) {
    const auto denominator = static_cast<std::uint64_t>(time.denominator());
    common *= denominator / std::gcd(static_cast<std::uint64_t>(common), denominator);
    if (common > most) {
      refuse();
    }
  }
  LinkRates rates;
  std::uint64_t divisor = 0;
  for (const ExactTime& time : per_byte) {
    const UInt128 units = static_cast<UInt128>(time.numerator()) *
                          (common / static_cast<std::uint64_t>(time.denominator()));
    if (units > most) {
      refuse();
    }
    rates.units.push_back(static_cast<std::uint64_t>(units));
    divisor = std::gcd(divisor, rates.units.back());
  }
  if (divisor == 0) {
    refuse_if(per_byte.empty(), "", "the machine has no links, so link-time tells nothing");
    throw InputError("",
                     "the machine's links take no time for a byte, so link-time tells nothing "
                     "(a machine with per_byte or bandwidth)");
  }
  for (std::uint64_t& units : rates.units) {
    units /= divisor;
  }
  rates.unit = ExactTime{static_cast<std::int64_t>(divisor), static_cast<std::int64_t>(common)};
  return rates;
}

}  // namespace dcube
