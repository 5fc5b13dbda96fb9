#include "json_writing.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/json_writing.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

/// A whole number that fits becomes an integer, "4.0" included; any other the nearest double.
ordered_json number_json(const std::string& text) {
  ordered_json read = ordered_json::parse(text, nullptr, false);
  if (read.is_number_integer()) {
    return read;
  }
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double exact_in_double = 9007199254740992.0;
  if (value > -exact_in_double && value < exact_in_double &&
      value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace

void to_json(ordered_json& json, const Params& group) {
  json = ordered_json::object();
  for (const std::string& key : group.keys()) {
    json[key] = *group.find(key);
  }
}

void to_json(ordered_json& json, const Setting& setting) {
  if (setting.boolean() != nullptr) {
    json = *setting.boolean();
  } else if (setting.number() != nullptr) {
    json = number_json(setting.number()->text);
  } else if (setting.text() != nullptr) {
    json = *setting.text();
  } else if (setting.list() != nullptr) {
    json = *setting.list();
  } else if (setting.group() != nullptr) {
    json = *setting.group();
  } else {
    json = nullptr;
  }
}

std::string json_text(const Setting& setting) { return json_line(setting); }

}  // namespace dcube
