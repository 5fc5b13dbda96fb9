#include "dcube/core/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "dcube/core/errors.hpp"
#include "decimal.hpp"
#include "refuse.hpp"
#include "text.hpp"

namespace dcube {
namespace {

/// Reads a value of the command line: true, false, a number, a list in brackets or a text, with or
/// without quotes around it.
Setting read_setting(std::string_view text);

/// The parts between commas outside brackets.
std::vector<std::string_view> split_entries(std::string_view text) {
  std::vector<std::string_view> entries;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      entries.push_back(trimmed(text.substr(begin, i - begin), " "));
      begin = i + 1;
    } else {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    }
  }
  return entries;
}

Setting read_list(std::string_view text) {
  Setting::List list;
  if (!trimmed(text, " ").empty()) {
    for (const std::string_view entry : split_entries(text)) {
      list.push_back(read_setting(entry));
    }
  }
  return list;
}

Setting read_setting(std::string_view text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    return read_list(text.substr(1, text.size() - 2));
  }
  if (!text.empty() && decimal_length(text) == text.size()) {
    return Setting::Number{std::string{text}};
  }
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return std::string{is_quoted ? text.substr(1, text.size() - 2) : text};
}

/// One reference token of a JSON pointer (RFC 6901).
std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return token;
}

/// A list or group for messages. It stops at the parts that can be shown.
template <class Parts, class Describe>
std::string described(char open, const Parts& parts, char close, Describe describe) {
  std::string text{open};
  for (const auto& part : parts) {
    text += (text.size() > 1 ? ", " : "") + describe(part);
    if (text.size() > 100) {
      break;
    }
  }
  return shortened(text + close);
}

/// A number, or a text with a unit. `form` completes "true is not ..".
template <class Parse>
auto quantity(const Params& params, std::string_view key, std::string_view form, Parse parse) {
  const Setting& setting = params.required(key);
  const std::string* text = setting.number() != nullptr ? &setting.number()->text : setting.text();
  if (text == nullptr) {
    params.reject_value(key, form);
  }
  return at_place(params.place_of(key), [&] { return parse(*text); });
}

std::uint64_t checked_integer(const Setting& setting, std::uint64_t least, std::uint64_t most,
                              std::string_view place, std::string_view what) {
  const std::optional<Decimal> number =
      setting.number() != nullptr ? read_decimal(setting.number()->text) : std::nullopt;
  const std::optional<std::uint64_t> value = number ? whole_value(*number) : std::nullopt;
  if (value && *value >= least && *value <= most) {
    return *value;
  }
  const bool is_too_large =
      value ? *value > most : number && !number->is_negative && number->exponent >= 0;
  const bool is_said = what.find(std::to_string(most)) != std::string_view::npos;
  const std::string limit = is_too_large && !is_said ? fmt::format("; at most {}", most) : "";
  throw InputError(place, fmt::format("{} is not {}{}", setting.describe(), what, limit));
}

/// The entries of a list, or of a text such as "4x4".
Setting::List entries_of(const Setting& setting) {
  if (setting.list() != nullptr) {
    return *setting.list();
  }
  Setting::List entries;
  if (setting.number() != nullptr) {
    entries.push_back(setting);
  } else if (setting.text() != nullptr) {
    for (const std::string_view entry : split_at(*setting.text(), 'x')) {
      entries.push_back(read_setting(entry));
    }
  }
  return entries;
}

std::vector<std::uint32_t> checked_integers(const Params& params, std::string_view key,
                                            std::uint32_t least, std::string_view what) {
  const Setting::List entries = entries_of(params.required(key));
  if (entries.empty()) {
    params.reject_value(key, fmt::format("a list of at least one entry, each {}", what));
  }
  std::vector<std::uint32_t> values;
  values.reserve(entries.size());
  for (const Setting& entry : entries) {
    values.push_back(static_cast<std::uint32_t>(
        checked_integer(entry, least, std::numeric_limits<std::uint32_t>::max(),
                        params.place_of(key, values.size()), what)));
  }
  return values;
}

}  // namespace

Setting::Setting() = default;
Setting::Setting(Number value) : value_{std::move(value)} {}
Setting::Setting(std::string value) : value_{std::move(value)} {}
Setting::Setting(const char* value) : value_{std::string{value}} {}
Setting::Setting(List value) : value_{std::move(value)} {}
Setting::Setting(Params value) : value_{std::vector<Params>{std::move(value)}} {}

Setting Setting::of_real(double value) {
  std::string text = fmt::format("{}", value);
  return std::isfinite(value) ? Setting{Number{std::move(text)}} : Setting{std::move(text)};
}

bool operator==(const Setting& a, const Setting& b) { return a.value_ == b.value_; }

const Params* Setting::group() const {
  const auto* held = std::get_if<std::vector<Params>>(&value_);
  return held != nullptr ? &held->front() : nullptr;
}

std::string Setting::describe() const {
  if (boolean() != nullptr) {
    return *boolean() ? "true" : "false";
  }
  if (number() != nullptr) {
    return shortened(number()->text);
  }
  if (text() != nullptr) {
    return '"' + shortened(*text()) + '"';
  }
  if (list() != nullptr) {
    return described('[', *list(), ']', [](const Setting& entry) { return entry.describe(); });
  }
  return group() == nullptr
             ? "null"
             : described('{', group()->keys(), '}', [this](const std::string& key) {
                 return fmt::format("\"{}\": {}", key, group()->find(key)->describe());
               });
}

Params Params::of_entries(const Setting::List& entries, std::string place) {
  Params params{std::move(place)};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    params.set(std::to_string(i), entries[i]);
  }
  return params;
}

Params Params::parse(std::string_view text, std::string place) {
  Params params{std::move(place)};
  if (trimmed(text, " ").empty()) {
    return params;
  }
  for (const std::string_view entry : split_entries(text)) {
    const std::size_t equals = entry.find('=');
    const std::string key{trimmed(entry.substr(0, equals), " ")};
    refuse_if(equals == std::string_view::npos || key.empty(), params.place_,
              "{} is no setting (write key=value, with commas between settings)", shown(entry));
    refuse_if(params.has(key), params.place_, "`{}` is given twice", shortened(key));
    params.set(key, read_setting(trimmed(entry.substr(equals + 1), " ")));
  }
  return params;
}

void Params::set(std::string key, Setting value) {
  const auto next = static_cast<std::uint32_t>(settings_.size());
  settings_.try_emplace(std::move(key), Entry{{}, next}).first->second.value = std::move(value);
}

Params Params::at(std::string place) const {
  Params moved = *this;
  moved.place_ = std::move(place);
  return moved;
}

std::string Params::place_of(std::string_view key) const {
  return place_ + "/" + pointer_token(key);
}

std::string Params::place_of(std::string_view key, std::size_t entry) const {
  return fmt::format("{}/{}", place_of(key), entry);
}

bool Params::has(std::string_view key) const { return settings_.contains(key); }

const Setting* Params::find(std::string_view key) const {
  const auto found = settings_.find(key);
  return found != settings_.end() ? &found->second.value : nullptr;
}

std::vector<std::string> Params::keys() const {
  std::vector<std::string> names;
  names.reserve(settings_.size());
  std::transform(settings_.begin(), settings_.end(), std::back_inserter(names),
                 [](const auto& entry) { return entry.first; });
  return names;
}

std::vector<std::string> Params::keys_as_written() const {
  std::vector<std::string> names(settings_.size());
  for (const auto& [key, entry] : settings_) {
    names[entry.position] = key;
  }
  return names;
}

void Params::allow_only(std::span<const std::string> known) const {
  for (const auto& [key, value] : settings_) {
    if (std::ranges::find(known, key) == known.end()) {
      reject(key, "unknown key" + nearest_name_hint(key, known));
    }
  }
}

const Setting& Params::required(std::string_view key) const {
  const Setting* setting = find(key);
  refuse_if(setting == nullptr, place_, "`{}` is missing", key);
  return *setting;
}

bool Params::boolean(std::string_view key, bool fallback) const {
  const Setting* setting = find(key);
  if (setting == nullptr) {
    return fallback;
  }
  if (setting->boolean() == nullptr) {
    reject_value(key, "true or false");
  }
  return *setting->boolean();
}

std::int64_t Params::integer(std::string_view key, std::int64_t least, std::int64_t most,
                             std::string_view what) const {
  expects(least >= 0 && most >= least, "integer settings are non-negative");
  return static_cast<std::int64_t>(checked_integer(required(key), static_cast<std::uint64_t>(least),
                                                   static_cast<std::uint64_t>(most), place_of(key),
                                                   what));
}

std::uint32_t Params::positive_int(std::string_view key) const {
  return static_cast<std::uint32_t>(
      integer(key, 1, std::numeric_limits<std::uint32_t>::max(), "a positive integer"));
}

double Params::real(std::string_view key, double least, double most, std::string_view what) const {
  const Setting::Number* number = required(key).number();
  const auto value = number != nullptr ? parsed<double>(number->text) : std::nullopt;
  if (!value || *value < least || *value > most) {
    reject_value(key, what);
  }
  return *value;
}

std::uint64_t Params::seed(std::string_view key, std::uint64_t fallback) const {
  const Setting* setting = find(key);
  return setting == nullptr
             ? fallback
             : checked_integer(*setting, 0, std::numeric_limits<std::uint64_t>::max(),
                               place_of(key), "a seed (a non-negative integer)");
}

std::vector<std::uint32_t> Params::positive_ints(std::string_view key,
                                                 std::string_view what) const {
  return checked_integers(*this, key, 1, what);
}

std::vector<std::uint32_t> Params::non_negative_ints(std::string_view key,
                                                     std::string_view what) const {
  return checked_integers(*this, key, 0, what);
}

std::string Params::text(std::string_view key) const {
  const Setting& setting = required(key);
  if (setting.text() == nullptr) {
    reject_value(key, "a text");
  }
  return *setting.text();
}

std::string Params::text(std::string_view key, std::string_view fallback) const {
  return has(key) ? text(key) : std::string{fallback};
}

std::string Params::full_text(std::string_view key, std::string_view problem) const {
  std::string word = text(key);
  if (word.empty()) {
    reject(key, fmt::format("\"\" {} (a text of at least one letter)", problem));
  }
  if (word.find('\0') != std::string::npos) {
    reject(key, fmt::format("{} {} (it has a NUL byte, where names end)", find(key)->describe(),
                            problem));
  }
  return word;
}

std::string Params::choice(std::string_view key, std::span<const std::string> names,
                           std::string_view fallback) const {
  if (!has(key)) {
    return std::string{fallback};
  }
  std::string word = text(key);
  if (std::ranges::find(names, word) == names.end()) {
    reject(key, shown(word) + " is unknown" + nearest_name_hint(word, names));
  }
  return word;
}

ExactTime Params::duration(std::string_view key) const {
  return quantity(*this, key,
                  "a duration (a number of seconds, or a text with a unit such as \"2.5us\")",
                  parse_duration);
}

ExactTime Params::duration(std::string_view key, ExactTime fallback) const {
  return has(key) ? duration(key) : fallback;
}

ExactTime Params::time_per_byte(std::string_view key) const {
  return quantity(*this, key,
                  "a rate (a number of bytes per second, or a text with a unit such as "
                  "\"1.25GBps\")",
                  parse_time_per_byte);
}

std::uint64_t Params::size_bytes(std::string_view key) const {
  return quantity(*this, key, "a size (a number of bytes, or a text with a unit such as \"64KiB\")",
                  parse_size);
}

std::uint64_t Params::size_bytes(std::string_view key, std::uint64_t fallback) const {
  return has(key) ? size_bytes(key) : fallback;
}

const Params& Params::group(std::string_view key, std::string_view example) const {
  const Params* found = required(key).group();
  if (found == nullptr) {
    reject_value(key, fmt::format("a group of settings {}", example));
  }
  return *found;
}

const Setting::List& Params::list(std::string_view key, std::string_view what,
                                  std::size_t least) const {
  const Setting::List* found = required(key).list();
  if (found == nullptr || found->size() < least) {
    reject_value(key, fmt::format("a list of {}", what));
  }
  return *found;
}

std::vector<Params> Params::groups(std::string_view key, std::string_view what,
                                   std::size_t least) const {
  const Params entries = of_entries(list(key, what, least), place_of(key));
  std::vector<Params> found;
  for (std::size_t i = 0; i < entries.settings_.size(); ++i) {
    found.push_back(entries.group(std::to_string(i)));
  }
  return found;
}

void Params::reject(std::string_view key, std::string_view problem) const {
  throw InputError(place_of(key), problem);
}

void Params::reject_value(std::string_view key, std::string_view what) const {
  reject(key, fmt::format("{} is not {}", find(key)->describe(), what));
}

}  // namespace dcube
