#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dcube::app {

/// `text` as a JSON string.
std::string json_string(std::string_view text);
/// The shortest decimal that reads back as the same number; null for nothing.
std::string json_number(std::optional<double> number);

}  // namespace dcube::app
