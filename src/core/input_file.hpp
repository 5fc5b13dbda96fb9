#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/text_window.hpp"

namespace dcube {

/// The bytes of a file. Throws InputError at `place`, the setting that names the file, when it
/// cannot be read, is a folder or a device, is empty or has more than 2 GiB.
std::string read_input_file(const std::filesystem::path& file, std::string_view place);

/// Window on the file's text, read on demand. Errors are those of read_input_file(), except that a
/// file on a disk may have any size and that a word or a line has at most 256 MiB. `on_share` hears
/// the share of the file read so far, 0 to 1, unless its size is unknown.
TextWindow input_file_window(const std::filesystem::path& file, std::string_view place,
                             std::function<void(double)> on_share = {});

/// Throws InputError at `place` unless the file exists and is neither a folder nor a device.
void expect_readable(const std::filesystem::path& file, std::string_view place);

}  // namespace dcube
