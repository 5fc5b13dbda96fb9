#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace dcube {

/// The layout of json_layout() for an object with one more member: a list of so many values that
/// each of them is JSON text in a line of its own. `lines` ends every value but the last in ",\n".
std::string json_layout_with_lines(const nlohmann::ordered_json& object, std::string_view key,
                                   std::string_view lines);

}  // namespace dcube
