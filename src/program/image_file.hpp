#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "netpbm.hpp"

namespace dcube {

/// An 8-bit grey image: 0 black, 255 white.
using GreyImage = Picture;

/// Reads PGM (P2 and P5, with values up to 255, which are kept) or PNG (which is made grey, with
/// black behind transparent parts). The content tells which. Throws InputError at `place`, the
/// setting that names the file, when it is missing, cut short, garbled, empty or not an image.
GreyImage read_image(const std::filesystem::path& file, std::string_view place);

/// Whether image_file_content() knows the extension of `file`: ".pgm" or ".png".
bool is_image_name(const std::filesystem::path& file);

/// The image in the format that the extension of `file` names. Needs is_image_name() and pixels.
std::string image_file_content(const GreyImage& image, const std::filesystem::path& file);

}  // namespace dcube
