#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dcube {

/// Indented JSON for people: whatever fits a line of 120 columns stands on one, long lists of plain
/// values fill lines. Ends with a newline. Invalid UTF-8 becomes U+FFFD.
std::string layout(const nlohmann::ordered_json& value);

}  // namespace dcube
