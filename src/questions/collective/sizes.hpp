#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dcube::app {

/// Sizes as --bytes gives them, ascending, each once: sizes such as 1MiB, and ranges such as
/// 1KiB:1GiB (each size twice the one before) or 1KiB:1GiB:x4. `grain`: every size is a multiple of
/// it; those of a range are rounded up, any other is refused. Throws InputError at --bytes.
std::vector<std::uint64_t> collective_sizes(std::span<const std::string> texts,
                                            std::uint64_t grain);

/// "1 KiB", "24.3 KiB": at most four digits, exact where that is enough.
std::string size_text(std::uint64_t bytes);

}  // namespace dcube::app
