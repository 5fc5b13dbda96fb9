#pragma once

#include <filesystem>
#include <string>

namespace dcube {

/// The whole of a file. Throws InputError with the file as its place when it cannot be read.
std::string file_text(const std::filesystem::path& file);

}  // namespace dcube
