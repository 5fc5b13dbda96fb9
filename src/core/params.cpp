#include "dcube/core/params.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "dcube/core/errors.hpp"
#include "decimal.hpp"

namespace dcube {
namespace {

/// What `text` says on the command line: true, false, a number, a list in brackets or a text.
Setting read_setting(std::string_view text);

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Cuts at commas that are outside brackets.
std::vector<std::string_view> split_entries(std::string_view text) {
  std::vector<std::string_view> entries;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      entries.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    }
  }
  return entries;
}

Setting read_list(std::string_view text) {
  Setting::List list;
  if (!trimmed(text).empty()) {
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
  return std::string{text};
}

/// One reference token of a JSON pointer (RFC 6901).
std::string pointer_token(std::string_view key) {
  std::string token;
  for (const char c : key) {
    token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return token;
}

std::string describe_list(const Setting::List& list) {
  std::string text = "[";
  for (const Setting& entry : list) {
    text += (text.size() > 1 ? ", " : "") + entry.describe();
    if (text.size() > 100) {
      break;
    }
  }
  return text + "]";
}

std::string describe_group(const Params& group) {
  std::string text = "{";
  for (const std::string& key : group.keys()) {
    text +=
        fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", key, group.find(key)->describe());
    if (text.size() > 100) {
      break;
    }
  }
  return text + "}";
}

/// Runs `parse` and gives its complaint the place it lacks.
template <class Parse>
auto at_place(const Params& params, std::string_view key, Parse parse) {
  try {
    return parse();
  } catch (const InputError& error) {
    params.reject(key, error.problem());
  }
}

/// The text of a quantity: a number or a text with a unit.
const std::string* quantity_text(const Setting& setting) {
  return setting.number() != nullptr ? &setting.number()->text : setting.text();
}

std::optional<Decimal> number_of(const Setting& setting) {
  return setting.number() != nullptr ? read_decimal(setting.number()->text) : std::nullopt;
}

bool is_whole_above(const Decimal& number, std::uint64_t most) {
  if (number.is_negative || number.exponent < 0) {
    return false;
  }
  const std::optional<std::uint64_t> value = whole_value(number);
  return !value.has_value() || *value > most;
}

[[noreturn]] void reject_integer(const Setting& setting, std::uint64_t most, std::string_view place,
                                 std::string_view what) {
  const std::optional<Decimal> number = number_of(setting);
  const bool is_too_large = number.has_value() && is_whole_above(*number, most);
  const bool is_said = what.find(std::to_string(most)) != std::string_view::npos;
  const std::string limit = is_too_large && !is_said ? fmt::format("; at most {}", most) : "";
  throw InputError(place, fmt::format("{} is not {}{}", setting.describe(), what, limit));
}

/// The value of a whole number `least` .. `most`.
std::uint64_t checked_integer(const Setting& setting, std::uint64_t least, std::uint64_t most,
                              std::string_view place, std::string_view what) {
  const std::optional<Decimal> number = number_of(setting);
  const std::optional<std::uint64_t> value = number ? whole_value(*number) : std::nullopt;
  if (!value.has_value() || *value < least || *value > most) {
    reject_integer(setting, most, place, what);
  }
  return *value;
}

/// The entries of a list, or of a text such as "4x4".
std::optional<Setting::List> entries_of(const Setting& setting) {
  if (setting.list() != nullptr) {
    return *setting.list();
  }
  if (setting.number() != nullptr) {
    return Setting::List{setting};
  }
  if (setting.text() == nullptr) {
    return std::nullopt;
  }
  Setting::List entries;
  std::string_view rest = *setting.text();
  while (true) {
    const std::size_t end = rest.find('x');
    entries.push_back(read_setting(rest.substr(0, end)));
    if (end == std::string_view::npos) {
      return entries;
    }
    rest.remove_prefix(end + 1);
  }
}

std::vector<std::uint32_t> checked_integers(const Params& params, std::string_view key,
                                            const Setting& setting, std::uint32_t least,
                                            std::string_view what) {
  const std::optional<Setting::List> entries = entries_of(setting);
  if (!entries || entries->empty()) {
    params.reject(key, fmt::format("{} is not a list of at least one entry, each {}",
                                   setting.describe(), what));
  }
  std::vector<std::uint32_t> values;
  values.reserve(entries->size());
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const std::string place = fmt::format("{}/{}", params.place_of(key), i);
    values.push_back(static_cast<std::uint32_t>(checked_integer(
        (*entries)[i], least, std::numeric_limits<std::uint32_t>::max(), place, what)));
  }
  return values;
}

}  // namespace

Setting::Setting() = default;
Setting::Setting(bool value) : value_{value} {}
Setting::Setting(Number value) : value_{std::move(value)} {}
Setting::Setting(std::string value) : value_{std::move(value)} {}
Setting::Setting(const char* value) : value_{std::string{value}} {}
Setting::Setting(List value) : value_{std::move(value)} {}
Setting::Setting(Params value) : value_{std::vector<Params>{std::move(value)}} {}

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
    return shortened(describe_list(*list()));
  }
  return group() != nullptr ? shortened(describe_group(*group())) : "null";
}

Params Params::parse(std::string_view text, std::string place) {
  Params params{std::move(place)};
  if (trimmed(text).empty()) {
    return params;
  }
  for (const std::string_view entry : split_entries(text)) {
    const std::size_t equals = entry.find('=');
    const std::string key{trimmed(entry.substr(0, equals))};
    if (equals == std::string_view::npos || key.empty()) {
      throw InputError(params.place_, fmt::format("{} is no setting (write key=value, with commas "
                                                  "between settings)",
                                                  shown(entry)));
    }
    if (params.has(key)) {
      throw InputError(params.place_, fmt::format("`{}` is given twice", shortened(key)));
    }
    params.set(key, read_setting(trimmed(entry.substr(equals + 1))));
  }
  return params;
}

void Params::set(std::string key, Setting value) {
  settings_.insert_or_assign(std::move(key), std::move(value));
}

std::string Params::place_of(std::string_view key) const {
  return place_ + "/" + pointer_token(key);
}

bool Params::has(std::string_view key) const { return settings_.contains(key); }

const Setting* Params::find(std::string_view key) const {
  const auto found = settings_.find(key);
  return found != settings_.end() ? &found->second : nullptr;
}

std::vector<std::string> Params::keys() const {
  std::vector<std::string> names;
  names.reserve(settings_.size());
  std::transform(settings_.begin(), settings_.end(), std::back_inserter(names),
                 [](const auto& entry) { return entry.first; });
  return names;
}

void Params::allow_only(std::span<const std::string> known) const {
  for (const auto& [key, value] : settings_) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      reject(key, "unknown key" + nearest_name_hint(key, known));
    }
  }
}

const Setting& Params::required(std::string_view key) const {
  const Setting* setting = find(key);
  if (setting == nullptr) {
    throw InputError(place_, fmt::format("`{}` is missing", key));
  }
  return *setting;
}

bool Params::boolean(std::string_view key, bool fallback) const {
  const Setting* setting = find(key);
  if (setting == nullptr) {
    return fallback;
  }
  if (setting->boolean() == nullptr) {
    reject(key, setting->describe() + " is not true or false");
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

std::uint64_t Params::seed(std::string_view key, std::uint64_t fallback) const {
  const Setting* setting = find(key);
  return setting == nullptr
             ? fallback
             : checked_integer(*setting, 0, std::numeric_limits<std::uint64_t>::max(),
                               place_of(key), "a seed (a non-negative integer)");
}

std::vector<std::uint32_t> Params::positive_ints(std::string_view key,
                                                 std::string_view what) const {
  return checked_integers(*this, key, required(key), 1, what);
}

std::vector<std::uint32_t> Params::non_negative_ints(std::string_view key,
                                                     std::string_view what) const {
  return checked_integers(*this, key, required(key), 0, what);
}

std::string Params::text(std::string_view key) const {
  const Setting& setting = required(key);
  if (setting.text() == nullptr) {
    reject(key, setting.describe() + " is not a text");
  }
  return *setting.text();
}

std::string Params::choice(std::string_view key, std::span<const std::string> names,
                           std::string_view fallback) const {
  if (!has(key)) {
    return std::string{fallback};
  }
  std::string word = text(key);
  if (std::find(names.begin(), names.end(), word) == names.end()) {
    reject(key, shown(word) + " is unknown" + nearest_name_hint(word, names));
  }
  return word;
}

ExactTime Params::duration(std::string_view key) const {
  const Setting& setting = required(key);
  const std::string* text = quantity_text(setting);
  if (text == nullptr) {
    reject(key, setting.describe() +
                    " is not a duration (a number of seconds, or a text with a unit such as "
                    "\"2.5us\")");
  }
  return at_place(*this, key, [&] { return parse_duration(*text); });
}

ExactTime Params::duration(std::string_view key, ExactTime fallback) const {
  return has(key) ? duration(key) : fallback;
}

ExactTime Params::time_per_byte(std::string_view key) const {
  const Setting& setting = required(key);
  const std::string* text = quantity_text(setting);
  if (text == nullptr) {
    reject(key, setting.describe() +
                    " is not a rate (a number of bytes per second, or a text with a unit such as "
                    "\"1.25GBps\")");
  }
  return at_place(*this, key, [&] { return parse_time_per_byte(*text); });
}

std::uint64_t Params::size_bytes(std::string_view key) const {
  const Setting& setting = required(key);
  const std::string* text = quantity_text(setting);
  if (text == nullptr) {
    reject(key, setting.describe() +
                    " is not a size (a number of bytes, or a text with a unit such as \"64KiB\")");
  }
  return at_place(*this, key, [&] { return parse_size(*text); });
}

std::uint64_t Params::size_bytes(std::string_view key, std::uint64_t fallback) const {
  return has(key) ? size_bytes(key) : fallback;
}

const Params& Params::group(std::string_view key) const {
  const Setting& setting = required(key);
  if (setting.group() == nullptr) {
    reject(key, setting.describe() + " is not a group of settings { .. }");
  }
  return *setting.group();
}

void Params::reject(std::string_view key, std::string_view problem) const {
  throw InputError(place_of(key), problem);
}

}  // namespace dcube
