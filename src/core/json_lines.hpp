#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace dcube {

/// json_layout() of the object with one more member: a long list, each value of which is JSON text
/// on a line of its own. `lines` ends every value but the last in ",\n".
std::string json_layout_with_lines(const nlohmann::ordered_json& object, std::string_view key,
                                   std::string_view lines);

}  // namespace dcube
