#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// An 8-bit grey image, row by row from the top left: 0 black, 255 white.
struct GreyImage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;

  friend bool operator==(const GreyImage&, const GreyImage&) = default;
};

/// Reads PGM (P2 and P5, values as they are, at most 255) or PNG (made grey, transparent parts over
/// black), told apart by content. Throws InputError at `place`, the setting that names the file:
/// missing, cut short, garbled, without pixels or no image at all.
GreyImage read_image(const std::filesystem::path& file, std::string_view place);

/// Whether image_file_content() knows the extension of `file`: ".pgm" or ".png".
bool is_image_name(const std::filesystem::path& file);

/// The image as `file`'s extension says. Needs is_image_name() and pixels.
std::string image_file_content(const GreyImage& image, const std::filesystem::path& file);

}  // namespace dcube
