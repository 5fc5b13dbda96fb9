#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dcube/core/params.hpp"

namespace dcube {

/// Limit of nested groups and lists.
inline constexpr std::size_t most_json_levels = 64;

/// Reads a JSON text exactly: numbers keep their decimal text and groups know their place, "`file`:
/// /pointer". Throws InputError "file: line L, column C: .." for text that is not JSON, a key given
/// twice and nesting beyond `most_json_levels`.
Setting read_json(std::string_view text, const std::string& file);

/// Reads the JSON value at `pointer` of `file`; nothing when `text` is not JSON.
std::optional<Setting> read_json_value(std::string_view text, const std::string& file,
                                       const std::string& pointer);

/// Reads a file that holds one JSON object. Throws InputError.
Params read_json_file(const std::filesystem::path& file);

}  // namespace dcube
