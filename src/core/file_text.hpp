#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace dcube {

/// More than any input of a simulation needs, and less than an ordinary computer's memory.
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 30;

/// The whole text of a file, a pipe or a terminal, without a byte order mark. Throws InputError
/// with the file as its place when it cannot be read, holds more than `most_bytes`, or is another
/// device. A pipe named by its descriptor (/dev/stdin) may be read again: its text is kept.
std::string file_text(const std::filesystem::path& file,
                      std::uint64_t most_bytes = most_text_bytes);

std::string_view without_byte_order_mark(std::string_view text);

}  // namespace dcube
