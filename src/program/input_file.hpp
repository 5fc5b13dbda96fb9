#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dcube {

/// The bytes of a file, at least one and at most 2 GiB. Throws InputError at `place`, the setting
/// that names the file, when it cannot be read, is a folder or a device, is empty or is larger.
std::string read_input_file(const std::filesystem::path& file, std::string_view place);

/// Throws InputError at `place` unless the file is there and may hold data: not a folder or device.
void expect_readable(const std::filesystem::path& file, std::string_view place);

}  // namespace dcube
