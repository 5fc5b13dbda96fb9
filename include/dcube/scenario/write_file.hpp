#pragma once

#include <filesystem>
#include <string_view>

namespace dcube {

/// Writes the whole file or nothing, see WholeFile. Throws InputError when it cannot.
void write_file(const std::filesystem::path& file, std::string_view content);

}  // namespace dcube
