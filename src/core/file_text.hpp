#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace dcube {

/// Far beyond every input of a simulation, and still within an ordinary computer's memory.
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;

/// The whole of a file, a pipe or what is typed on a terminal. Throws InputError with the file as
/// its place when it cannot be read, holds more than `most_bytes`, or is a device without end. A
/// pipe that is called by its descriptor (/dev/stdin) may be read again: its text is kept.
std::string file_text(const std::filesystem::path& file,
                      std::uint64_t most_bytes = most_text_bytes);

}  // namespace dcube
