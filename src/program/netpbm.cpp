#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/refuse.hpp"
#include "dcube/core/errors.hpp"
#include "dcube/core/params.hpp"
#include "image_file.hpp"

namespace dcube {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_between(char letter) { return is_netpbm_space(letter) || letter == '#'; }

void refuse_end_if(bool is_end, const Picture& picture, std::size_t pixels_read) {
  refuse_if(is_end, "", "ends after {} of its {} x {} pixels", pixels_read, picture.width,
            picture.height);
}

void read_plain(NetpbmScanner& scanner, Picture& picture, std::size_t count) {
  while (picture.pixels.size() < count) {
    refuse_end_if(scanner.is_at_end(), picture, picture.pixels.size());
    const char digit = scanner.next_letter();
    if (digit != '0' && digit != '1') {
      throw InputError(
          "", fmt::format("has {} where 0 or 1 belongs (pixel {})",
                          Setting{std::string(1, digit)}.describe(), picture.pixels.size()));
    }
    picture.pixels.push_back(digit == '1' ? 1 : 0);
  }
}

/// Each row begins at a whole byte; the leftmost pixel is the highest bit.
void read_packed(NetpbmScanner& scanner, Picture& picture) {
  const std::string_view raster = scanner.raster();
  const std::size_t row_bytes = (std::size_t{picture.width} + 7) / 8;
  refuse_end_if(raster.size() < row_bytes * picture.height, picture,
                raster.size() / row_bytes * picture.width);
  for (std::uint32_t row = 0; row < picture.height; ++row) {
    for (std::uint32_t column = 0; column < picture.width; ++column) {
      const auto byte = static_cast<unsigned char>(raster[row * row_bytes + column / 8]);
      picture.pixels.push_back((byte >> (7 - column % 8)) & 1U);
    }
  }
  scanner = NetpbmScanner{raster.substr(row_bytes * picture.height)};
}

}  // namespace

bool is_bitmap(std::string_view content) {
  return content.starts_with("P1") || content.starts_with("P4");
}

Picture read_bitmap(std::string_view content, std::uint64_t most_pixels) {
  expects(is_bitmap(content), "a bitmap says what it is");
  const char form = content[1];
  NetpbmScanner scanner{content.substr(2)};
  const auto read_side = [&](std::string_view name) {
    const std::optional<std::uint64_t> side = scanner.next_number();
    refuse_if(!side || *side == 0 || *side > std::numeric_limits<std::uint32_t>::max(), "",
              "has no {} (a positive integer after P{})", name, form);
    return static_cast<std::uint32_t>(*side);
  };
  Picture picture;
  picture.width = read_side("width");
  picture.height = read_side("height");
  const std::size_t count = std::size_t{picture.width} * picture.height;
  refuse_if(count > most_pixels, "", "has {} x {} pixels (more than {})", picture.width,
            picture.height, most_pixels);
  picture.pixels.reserve(count);
  if (form == '1') {
    read_plain(scanner, picture, count);
  } else {
    read_packed(scanner, picture);
  }
  refuse_if(!scanner.is_at_end(), "", "goes on after the last of its {} x {} pixels", picture.width,
            picture.height);
  return picture;
}

bool NetpbmScanner::is_at_end() {
  while (!rest_.empty() && is_between(rest_.front())) {
    rest_.remove_prefix(rest_.front() == '#' ? std::min(rest_.find('\n'), rest_.size()) : 1);
  }
  return rest_.empty();
}

std::optional<std::uint64_t> NetpbmScanner::next_number() {
  if (is_at_end()) {
    return std::nullopt;
  }
  constexpr std::size_t most_digits = 10;
  std::uint64_t value = 0;
  std::size_t digits = 0;
  while (digits < rest_.size() && digits < most_digits && is_digit(rest_[digits])) {
    value = value * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
    ++digits;
  }
  if (digits == 0 || (digits < rest_.size() && !is_between(rest_[digits]))) {
    return std::nullopt;
  }
  rest_.remove_prefix(digits);
  return value;
}

char NetpbmScanner::next_letter() {
  const bool is_over = is_at_end();
  expects(!is_over, "a letter comes before the end");
  const char letter = rest_.front();
  rest_.remove_prefix(1);
  return letter;
}

bool is_netpbm_space(char letter) {
  return std::string_view{" \t\n\v\f\r"}.find(letter) != std::string_view::npos;
}

}  // namespace dcube
