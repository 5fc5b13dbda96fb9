#include "bitmap_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"

namespace dcube {
namespace {

[[noreturn]] void reject(std::string_view problem) { throw InputError("", problem); }

bool is_space(char c) { return std::string_view{" \t\n\v\f\r"}.find(c) != std::string_view::npos; }

/// Takes a bitmap apart from front to back.
class BitmapReader {
 public:
  BitmapReader(std::string_view content, std::uint64_t most_pixels)
      : is_packed_{content[1] == '4'}, rest_{content.substr(2)}, most_pixels_{most_pixels} {}

  Bitmap read() {
    read_sides();
    if (is_packed_) {
      read_packed();
    } else {
      read_plain();
    }
    skip_space();
    if (!rest_.empty()) {
      reject(fmt::format("goes on after the last of its {} x {} pixels", bitmap_.width,
                         bitmap_.height));
    }
    return std::move(bitmap_);
  }

 private:
  std::size_t pixel_count() const { return std::size_t{bitmap_.width} * bitmap_.height; }

  /// White space and comments, which run from # to the end of the line.
  void skip_space() {
    while (!rest_.empty() && (is_space(rest_.front()) || rest_.front() == '#')) {
      const bool is_comment = rest_.front() == '#';
      rest_.remove_prefix(is_comment ? std::min(rest_.find('\n'), rest_.size()) : 1);
    }
  }

  std::uint32_t read_side(std::string_view name) {
    skip_space();
    std::uint32_t side = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), side);
    if (error != std::errc{} || side == 0) {
      reject(fmt::format("has no {} (a positive integer after P{})", name, is_packed_ ? 4 : 1));
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return side;
  }

  void read_sides() {
    bitmap_.width = read_side("width");
    bitmap_.height = read_side("height");
    if (std::uint64_t{bitmap_.width} * bitmap_.height > most_pixels_) {
      reject(fmt::format("has {} x {} pixels (more than {})", bitmap_.width, bitmap_.height,
                         most_pixels_));
    }
  }

  [[noreturn]] void reject_end(std::size_t pixels_read) const {
    reject(fmt::format("ends after {} of its {} x {} pixels", pixels_read, bitmap_.width,
                       bitmap_.height));
  }

  void read_plain() {
    while (bitmap_.pixels.size() < pixel_count()) {
      skip_space();
      if (rest_.empty()) {
        reject_end(bitmap_.pixels.size());
      }
      const char digit = rest_.front();
      if (digit != '0' && digit != '1') {
        reject(fmt::format("has {} where 0 or 1 belongs (pixel {})",
                           Setting{std::string(1, digit)}.describe(), bitmap_.pixels.size()));
      }
      bitmap_.pixels.push_back(digit == '1' ? 1 : 0);
      rest_.remove_prefix(1);
    }
  }

  /// Each row begins at a whole byte, its leftmost pixel in the highest bit.
  void read_packed() {
    if (!rest_.empty()) {
      rest_.remove_prefix(1);  // one white space ends the height
    }
    const std::size_t row_bytes = (std::size_t{bitmap_.width} + 7) / 8;
    if (rest_.size() < row_bytes * bitmap_.height) {
      reject_end(rest_.size() / row_bytes * bitmap_.width);
    }
    bitmap_.pixels.reserve(pixel_count());
    for (std::uint32_t row = 0; row < bitmap_.height; ++row) {
      for (std::uint32_t column = 0; column < bitmap_.width; ++column) {
        const auto byte = static_cast<unsigned char>(rest_[column / 8]);
        bitmap_.pixels.push_back((byte >> (7 - column % 8)) & 1U);
      }
      rest_.remove_prefix(row_bytes);
    }
  }

  bool is_packed_;
  std::string_view rest_;
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
