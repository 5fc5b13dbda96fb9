#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcube {

/// Pixels row by row from the top left.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Whether the content begins like a bitmap: PBM, plain (P1) or packed (P4).
bool is_bitmap(std::string_view content);

/// Reads one picture of at most `most_pixels`, black (1) and white (0). Needs is_bitmap(). Throws
/// InputError (no place) when it is garbled, cut short or has data after its last pixel.
Picture read_bitmap(std::string_view content, std::uint64_t most_pixels);

/// Scans the text of a Netpbm picture (PBM, PGM) after the two letters of its format. White space
/// separates numbers, as do comments, which run from # to the end of the line.
class NetpbmScanner {
 public:
  explicit NetpbmScanner(std::string_view text) : rest_{text} {}

  /// Whether only white space and comments are left.
  bool is_at_end();
  /// The next number, of up to ten digits; nothing, and the position stays, at anything else.
  std::optional<std::uint64_t> next_number();
  /// The next letter. Needs !is_at_end().
  char next_letter();
  /// The rest after the single white space behind a header.
  std::string_view raster() const { return rest_.substr(rest_.empty() ? 0 : 1); }

 private:
  std::string_view rest_;
};

/// Whether it is white space in Netpbm's sense.
bool is_netpbm_space(char letter);

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
