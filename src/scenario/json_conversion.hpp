#pragma once

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "dcube/core/params.hpp"

namespace dcube {

/// A whole number that fits becomes an integer, "4.0" included; any other the nearest double.
template <class Json>
Json number_json(const std::string& text) {
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_number_integer()) {
    return parsed;
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

template <class Json>
Json json_of(const Setting& setting);

template <class Json>
Json json_of(const Params& group) {
  Json object = Json::object();
  for (const std::string& key : group.keys()) {
    object[key] = json_of<Json>(*group.find(key));
  }
  return object;
}

/// The setting as JSON, numbers as 64-bit integers or doubles.
template <class Json>
Json json_of(const Setting& setting) {
  if (setting.boolean() != nullptr) {
    return *setting.boolean();
  }
  if (setting.number() != nullptr) {
    return number_json<Json>(setting.number()->text);
  }
  if (setting.text() != nullptr) {
    return *setting.text();
  }
  if (setting.list() != nullptr) {
    Json array = Json::array();
    for (const Setting& entry : *setting.list()) {
      array.push_back(json_of<Json>(entry));
    }
    return array;
  }
  return setting.group() != nullptr ? json_of<Json>(*setting.group()) : Json(nullptr);
}

}  // namespace dcube
