#include <algorithm>
#include <numeric>
#include <optional>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/search/objective.hpp"

namespace dcube {
namespace {

/// Products of weights and costs are to stay within 63 bits.
constexpr std::uint64_t most_weight = 1'000'000'000'000'000;

Objective objective_named(std::string_view name) {
  const auto all = objective_catalog();
  const auto found = std::ranges::find_if(all, [&](Objective one) {
    return traits_of(one).name == name && !traits_of(one).is_composed;
  });
  refuse_if(found == all.end(), "", "{} is no objective{}", shown(name),
            nearest_name_hint(std::string{name}, objective_names()));
  return *found;
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

/// Weight as a multiple of 10^exponent.
std::uint64_t whole_weight(const Decimal& weight, std::int64_t exponent) {
  const std::optional<std::uint64_t> whole =
      whole_value({.digits = weight.digits, .exponent = weight.exponent - exponent});
  refuse_if(!whole || *whole > most_weight, "",
            "the weights of a sum are too far apart (up to 15 digits together)");
  return *whole;
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

std::vector<ObjectiveTerm> Goal::parts() const {
  return terms.empty() ? std::vector<ObjectiveTerm>{{objective, 1}} : terms;
}

bool Goal::has(bool ObjectiveTraits::*property) const {
  return std::ranges::any_of(
      parts(), [&](const ObjectiveTerm& part) { return traits_of(part.objective).*property; });
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
    refuse_if(traits_of(objective).is_simulated, "",
              "{} cannot be a term of a sum (it comes from a simulation; give it alone)",
              to_string(objective));
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
  std::uint64_t divisor = goal.scale;
  for (const ObjectiveTerm& term : goal.terms) {
    divisor = std::gcd(divisor, term.weight);
  }
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

}  // namespace dcube
