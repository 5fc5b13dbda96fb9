#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "axis_values.hpp"

namespace dcube {

/// "/program/message <= 64KiB": compares two values, each of a setting or written out.
class Condition {
 public:
  struct Value {
    std::string text;
    std::optional<WrittenQuantity> quantity{};

    /// With the quantity that it says, if it says one.
    static Value of(std::string text);
  };
  /// The value of the setting at a pointer.
  using Lookup = std::function<Value(const std::string& pointer)>;

  /// Throws InputError without a place.
  explicit Condition(std::string_view text);

  /// Quantities of one kind compare as such, whatever their units; other values are equal or not.
  /// Throws InputError without a place where an order of texts is asked for, or where a size is
  /// compared with a time.
  bool holds(const Lookup& lookup) const;

 private:
  struct Operand {
    std::string pointer;  ///< empty: a value
    Value value;
  };

  static Operand operand(std::string_view text);

  std::string text_;
  Operand left_;
  Operand right_;
  std::string_view sign_;
};

}  // namespace dcube
