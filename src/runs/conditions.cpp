#include "conditions.hpp"

#include <array>
#include <compare>
#include <utility>

#include "core/decimal.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"

namespace dcube {
namespace {

/// Signs; longer ones come before those that they begin with.
constexpr std::array<std::string_view, 6> signs{"==", "!=", "<=", ">=", "<", ">"};

constexpr const char* example = "write for example \"/program/message <= 64KiB\"";

/// Index of the first sign outside quotes; npos when there is none.
std::size_t find_sign(std::string_view text, std::string_view& sign) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    is_quoted = is_quoted != (text[i] == '"');
    for (const std::string_view candidate : signs) {
      if (!is_quoted && text.substr(i).starts_with(candidate)) {
        sign = candidate;
        return i;
      }
    }
  }
  return std::string_view::npos;
}

}  // namespace

Condition::Value Condition::Value::of(std::string text) {
  const std::optional<WrittenQuantity> quantity = written_quantity(text);
  return {std::move(text), quantity};
}

Condition::Operand Condition::operand(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('/')) {
    return {std::string{text}, {}};
  }
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  if (is_quoted) {
    return {{}, {std::string{text.substr(1, text.size() - 2)}, {}}};
  }
  return {{}, Value::of(std::string{text})};
}

Condition::Condition(std::string_view text) : text_{text} {
  const std::size_t at = find_sign(text, sign_);
  refuse_if(at == std::string_view::npos, "", "{} compares nothing ({})", shown(text), example);
  left_ = operand(text.substr(0, at));
  right_ = operand(text.substr(at + sign_.size()));
  refuse_if((left_.pointer.empty() && left_.value.text.empty()) ||
                (right_.pointer.empty() && right_.value.text.empty()),
            "", "{} lacks a side ({})", shown(text), example);
  refuse_if(left_.pointer.empty() && right_.pointer.empty(), "",
            "{} names no setting, so it holds for all runs or none ({})", shown(text), example);
}

bool Condition::holds(const Lookup& lookup) const {
  const auto value_of = [&](const Operand& side) {
    return side.pointer.empty() ? side.value : lookup(side.pointer);
  };
  const Value left = value_of(left_);
  const Value right = value_of(right_);
  if (left.quantity && right.quantity) {
    refuse_if(left.quantity->unit != right.quantity->unit &&
                  left.quantity->unit != QuantityUnit::none &&
                  right.quantity->unit != QuantityUnit::none,
              "", "{} and {} are different kinds of quantity", shown(left.text), shown(right.text));
    const auto order = compare(left.quantity->exact, right.quantity->exact);
    return sign_ == "=="   ? order == 0
           : sign_ == "!=" ? order != 0
           : sign_ == "<=" ? order <= 0
           : sign_ == ">=" ? order >= 0
           : sign_ == "<"  ? order < 0
                           : order > 0;
  }
  refuse_if(sign_ != "==" && sign_ != "!=", "",
            "{} asks for an order of {} and {}, which are not both numbers", shown(text_),
            shown(left.text), shown(right.text));
  return (left.text == right.text) == (sign_ == "==");
}

}  // namespace dcube
