#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dcube {

/// The bytes of a file. Throws InputError at `place`, the setting that names the file, when it
/// cannot be read, is a folder or a device, is empty or has more than 2 GiB.
std::string read_input_file(const std::filesystem::path& file, std::string_view place);

/// Throws InputError at `place` unless the file exists and is neither a folder nor a device.
void expect_readable(const std::filesystem::path& file, std::string_view place);

}  // namespace dcube
