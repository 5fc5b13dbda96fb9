#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace dcube {

/// The samples of the first channel of a WAV file; full scale is 1. Throws InputError at `place`,
/// the setting that names the file, when it is unreadable, cut short, empty or not finite.
std::vector<double> read_sound_file(const std::filesystem::path& file, std::string_view place);

/// Whether the name ends in .wav or .wave, in either case.
bool is_sound_file(const std::filesystem::path& file);

}  // namespace dcube
