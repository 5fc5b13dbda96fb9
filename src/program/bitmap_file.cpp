#include "bitmap_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <optional>

#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "netpbm.hpp"

namespace dcube {
namespace {

[[noreturn]] void reject(std::string_view problem) { throw InputError("", problem); }

/// Takes a bitmap apart from front to back.
class BitmapReader {
 public:
  BitmapReader(std::string_view content, std::uint64_t most_pixels)
      : is_packed_{content[1] == '4'}, scanner_{content.substr(2)}, most_pixels_{most_pixels} {}

  Bitmap read() {
    read_sides();
    bitmap_.pixels.reserve(pixel_count());
    if (is_packed_) {
      read_packed();
    } else {
      read_plain();
    }
    return std::move(bitmap_);
  }

 private:
  std::size_t pixel_count() const { return std::size_t{bitmap_.width} * bitmap_.height; }

  std::uint32_t read_side(std::string_view name) {
    const std::optional<std::uint64_t> side = scanner_.next_number();
    if (!side || *side == 0 || *side > std::numeric_limits<std::uint32_t>::max()) {
      reject(fmt::format("has no {} (a positive integer after P{})", name, is_packed_ ? 4 : 1));
    }
    return static_cast<std::uint32_t>(*side);
  }

  void read_sides() {
    bitmap_.width = read_side("width");
    bitmap_.height = read_side("height");
    if (pixel_count() > most_pixels_) {
      reject(fmt::format("has {} x {} pixels (more than {})", bitmap_.width, bitmap_.height,
                         most_pixels_));
    }
  }

  [[noreturn]] void reject_end(std::size_t pixels_read) const {
    reject(fmt::format("ends after {} of its {} x {} pixels", pixels_read, bitmap_.width,
                       bitmap_.height));
  }

  void expect_end(NetpbmScanner rest) const {
    if (!rest.is_at_end()) {
      reject(fmt::format("goes on after the last of its {} x {} pixels", bitmap_.width,
                         bitmap_.height));
    }
  }

  void read_plain() {
    while (bitmap_.pixels.size() < pixel_count()) {
      if (scanner_.is_at_end()) {
        reject_end(bitmap_.pixels.size());
      }
      const char digit = scanner_.next_letter();
      if (digit != '0' && digit != '1') {
        reject(fmt::format("has {} where 0 or 1 belongs (pixel {})",
                           Setting{std::string(1, digit)}.describe(), bitmap_.pixels.size()));
      }
      bitmap_.pixels.push_back(digit == '1' ? 1 : 0);
    }
    expect_end(scanner_);
  }

  /// Each row begins at a whole byte, its leftmost pixel in the highest bit.
  void read_packed() {
    const std::string_view raster = scanner_.raster();
    const std::size_t row_bytes = (std::size_t{bitmap_.width} + 7) / 8;
    if (raster.size() < row_bytes * bitmap_.height) {
      reject_end(raster.size() / row_bytes * bitmap_.width);
    }
    for (std::uint32_t row = 0; row < bitmap_.height; ++row) {
      for (std::uint32_t column = 0; column < bitmap_.width; ++column) {
        const auto byte = static_cast<unsigned char>(raster[row * row_bytes + column / 8]);
        bitmap_.pixels.push_back((byte >> (7 - column % 8)) & 1U);
      }
    }
    expect_end(NetpbmScanner{raster.substr(row_bytes * bitmap_.height)});
  }

  bool is_packed_;
  NetpbmScanner scanner_;
  std::uint64_t most_pixels_;
  Bitmap bitmap_;
};

}  // namespace

bool is_bitmap(std::string_view content) {
  return content.starts_with("P1") || content.starts_with("P4");
}

Bitmap read_bitmap(std::string_view content, std::uint64_t most_pixels) {
  expects(is_bitmap(content), "a bitmap says what it is");
  return BitmapReader{content, most_pixels}.read();
}

}  // namespace dcube
