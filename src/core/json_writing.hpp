#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// How every JSON text of dcube is written. What is not UTF-8 becomes U+FFFD.

namespace dcube {

/// Indented JSON for people: whatever fits a line of 120 columns stands on one, long lists of plain
/// values fill lines. Ends with a newline.
std::string json_layout(const nlohmann::ordered_json& value);

/// Without spaces, on one line.
std::string json_line(const nlohmann::ordered_json& value);

/// A text, quoted.
std::string json_string(std::string_view text);

}  // namespace dcube
