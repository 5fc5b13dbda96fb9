#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dcube {

/// A picture of black (1) and white (0) pixels, row by row from the top left.
struct Bitmap {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Whether a file of this content says that it is a bitmap: PBM, plain (P1) or packed (P4).
bool is_bitmap(std::string_view content);

/// Reads one picture of at most `most_pixels`. Needs is_bitmap(). Throws InputError without a place
/// when it is garbled, cut short or goes on after its last pixel.
Bitmap read_bitmap(std::string_view content, std::uint64_t most_pixels);

}  // namespace dcube
