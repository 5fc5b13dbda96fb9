#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "dcube/core/ids.hpp"
#include "dcube/core/params.hpp"
#include "dcube/core/time.hpp"

// Form of every JSON text of dcube: ids are numbers, times are in seconds, a missing value is null,
// invalid UTF-8 becomes U+FFFD.

template <>
struct nlohmann::adl_serializer<dcube::Ticks> {
  template <class Json>
  static void to_json(Json& json, dcube::Ticks time) {
    json = dcube::to_seconds(time);
  }
};

template <class Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<Value>& value) {
    json = value ? Json(*value) : Json(nullptr);
  }
};

namespace dcube {

template <class Json, class Tag>
void to_json(Json& json, Id<Tag> id) {
  json = id.index();
}

/// Numbers become 64-bit integers or doubles.
void to_json(nlohmann::ordered_json& json, const Setting& setting);
void to_json(nlohmann::ordered_json& json, const Params& group);

/// Indented JSON for people. A value that fits 120 columns takes one line, and long lists of plain
/// values fill lines. Ends with a newline. Throws ContractViolation for infinite numbers and NaN.
std::string json_layout(const nlohmann::ordered_json& value);

/// json_layout() of the object with one more member: a long list, each value of which is JSON text
/// on a line of its own. `lines` ends every value but the last in ",\n".
std::string json_layout_with_lines(const nlohmann::ordered_json& object, std::string_view key,
                                   std::string_view lines);

/// The value of a JSON text; a discarded one when it is none. A NUL byte ends the text.
nlohmann::ordered_json json_value(std::string_view text);

/// Compact, on one line.
std::string json_line(const nlohmann::ordered_json& value);

/// The setting as JSON, compact, on one line.
std::string json_text(const Setting& setting);

/// `text` as a JSON string, in quotes.
std::string json_string(std::string_view text);

}  // namespace dcube
