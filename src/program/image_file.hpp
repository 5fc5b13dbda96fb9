#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "netpbm.hpp"

namespace dcube {

/// An 8-bit grey image: 0 black, 255 white.
using GreyImage = Picture;

/// Reads PGM (P2 and P5, with values up to 255, unscaled) or PNG (converted to grey, with black
/// behind transparent parts), told by the content. Throws InputError at `place`, the setting that
/// names the file, when it is missing, cut short, garbled, empty or not an image.
GreyImage read_image(const std::filesystem::path& file, std::string_view place);

/// Whether the extension is one of image_file_content(): ".pgm" or ".png".
bool is_image_name(const std::filesystem::path& file);

/// The image in the format of `file`'s extension. Needs is_image_name() and pixels.
std::string image_file_content(const GreyImage& image, const std::filesystem::path& file);

}  // namespace dcube
