#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dcube/core/time.hpp"

namespace dcube {

class Params;

/// A setting: nothing, a truth value, a number (as its decimal text), a text, a list or a group.
class Setting {
 public:
  struct Number {
    std::string text;
    friend bool operator==(const Number&, const Number&) = default;
  };
  using List = std::vector<Setting>;

  Setting();  ///< nothing (JSON null)
  /// Not of what turns into a truth value by itself, such as a pointer.
  template <std::same_as<bool> Truth>
  Setting(Truth value);
  Setting(Number value);
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>) Setting(Whole value);
  /// The shortest number that reads as this one; infinities and nan, which JSON lacks, are texts.
  template <std::floating_point Real>
  Setting(Real value);
  Setting(std::string value);
  Setting(const char* value);
  Setting(List value);
  Setting(Params value);

  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const Number* number() const { return std::get_if<Number>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  /// The group, or null. Copies of a setting have groups of their own.
  const Params* group() const;
  /// For messages: one line as a user would write it, cut at about 40 characters.
  std::string describe() const;
  /// Places do not count.
  friend bool operator==(const Setting& a, const Setting& b);

 private:
  static Setting of_real(double value);

  struct Nothing {
    friend bool operator==(const Nothing&, const Nothing&) = default;
  };
  std::variant<Nothing, bool, Number, std::string, List, std::vector<Params>> value_;
};

/// Named settings of a machine part, embedding or program, and their place, for complaints. Getters
/// throw InputError: missing, of the wrong kind, or out of range.
class Params {
 public:
  Params() = default;
  /// `place`: "scenarios/x.json: /machine/topology", for a whole file "scenarios/x.json: "; a key's
  /// place is that + "/" + key.
  explicit Params(std::string place) : place_{std::move(place)} {}
  /// A list's entries as settings "0", "1", .., so that each has a place.
  static Params of_entries(const Setting::List& entries, std::string place);
  /// "nodes=5,tie=positive,shape=4x4,map=[0,2,1]": the form of examples and command-line options.
  static Params parse(std::string_view text, std::string place = {});

  void set(std::string key, Setting value);

  const std::string& place() const { return place_; }
  /// These settings at another place.
  Params at(std::string place) const;
  std::string place_of(std::string_view key) const;
  /// The place of an entry of the list `key`.
  std::string place_of(std::string_view key, std::size_t entry) const;
  bool has(std::string_view key) const;
  const Setting* find(std::string_view key) const;
  const Setting& required(std::string_view key) const;
  /// Present keys, ascending.
  std::vector<std::string> keys() const;
  /// Present keys in the order in which they were first set.
  std::vector<std::string> keys_as_written() const;
  /// Throws InputError naming the first key that is not in `known`, with the nearest known key.
  void allow_only(std::span<const std::string> known) const;

  bool boolean(std::string_view key, bool fallback) const;
  /// A whole number `least` (>= 0) .. `most`. `what` completes "0 is not ..": "a side".
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most,
                       std::string_view what) const;
  std::uint32_t positive_int(std::string_view key) const;
  /// Any number `least` .. `most`, as the nearest double.
  double real(std::string_view key, double least, double most, std::string_view what) const;
  std::uint64_t seed(std::string_view key, std::uint64_t fallback) const;
  /// A list [4, 4], "4x4" or a number; at least one entry. Complaints name an entry (key/1).
  std::vector<std::uint32_t> positive_ints(std::string_view key, std::string_view what) const;
  std::vector<std::uint32_t> non_negative_ints(std::string_view key, std::string_view what) const;
  std::string text(std::string_view key) const;
  std::string text(std::string_view key, std::string_view fallback) const;
  /// A text of at least one letter, without NUL bytes. `problem`: "is not a name".
  std::string full_text(std::string_view key, std::string_view problem) const;
  /// One of `names`; otherwise the error offers the nearest.
  std::string choice(std::string_view key, std::span<const std::string> names,
                     std::string_view fallback) const;
  /// A number of seconds or a text with a unit.
  ExactTime duration(std::string_view key) const;
  ExactTime duration(std::string_view key, ExactTime fallback) const;
  /// Time per byte of a rate: a number of bytes per second or a text with a unit.
  ExactTime time_per_byte(std::string_view key) const;
  /// A number of bytes or a text with a unit.
  std::uint64_t size_bytes(std::string_view key) const;
  std::uint64_t size_bytes(std::string_view key, std::uint64_t fallback) const;
  /// Complaints show `example`: `{"kind": "torus", "shape": [8, 8]}`.
  const Params& group(std::string_view key, std::string_view example = "{ .. }") const;
  /// A list of at least `least` entries. `what`: "messages" completes "5 is not a list of ..".
  const Setting::List& list(std::string_view key, std::string_view what,
                            std::size_t least = 1) const;
  std::vector<Params> groups(std::string_view key, std::string_view what,
                             std::size_t least = 1) const;

  /// Throws InputError at `key`.
  [[noreturn]] void reject(std::string_view key, std::string_view problem) const;
  /// Throws InputError at `key`, which must be there: its value "is not `what`".
  [[noreturn]] void reject_value(std::string_view key, std::string_view what) const;
  /// Places and the order of keys do not count.
  friend bool operator==(const Params& a, const Params& b) { return a.settings_ == b.settings_; }

 private:
  std::string place_;
  struct Entry {
    Setting value;
    std::uint32_t position = 0;  ///< among the keys as written
    friend bool operator==(const Entry& a, const Entry& b) { return a.value == b.value; }
  };
  std::map<std::string, Entry, std::less<>> settings_;
};

// Here groups are complete, and so are lists of them.
template <std::same_as<bool> Truth>
Setting::Setting(Truth value) : value_{value} {}
template <std::integral Whole>
requires(!std::same_as<Whole, bool>) Setting::Setting(Whole value)
    : Setting{Number{std::to_string(value)}} {}
template <std::floating_point Real>
Setting::Setting(Real value) : Setting{of_real(static_cast<double>(value))} {}

/// A parameter: `dcube list` shows it, and a key that is none of them is refused.
struct ParameterHelp {
  std::string name;
  std::string help;           ///< one line with unit and range
  std::string default_value;  ///< empty: required
};

}  // namespace dcube
