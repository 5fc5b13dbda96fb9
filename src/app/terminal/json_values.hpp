#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/json_writing.hpp"
#include "dcube/scenario/result_json.hpp"

namespace dcube::app {

/// The text, or null for none.
inline nlohmann::ordered_json json_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

/// The dcube that wrote a file.
inline nlohmann::ordered_json json_of_dcube() { return {{"version", version()}}; }

}  // namespace dcube::app
