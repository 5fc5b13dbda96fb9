#include "image_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};
/// Far more than any simulation of pixels can take; keeps a garbled header from asking for all
/// memory.
constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;

/// The file that complaints are about, and the setting that names it.
struct Source {
  const std::filesystem::path& file;
  std::string_view place;

  [[noreturn]] void reject(std::string_view problem) const {
    throw InputError(place, fmt::format("{} {}", file.string(), problem));
  }
};

std::string read_bytes(const Source& source) {
  std::error_code ignored;
  if (std::filesystem::is_directory(source.file, ignored)) {
    source.reject("is a folder, not an image (PGM or PNG)");
  }
  errno = 0;
  std::ifstream stream{source.file, std::ios::binary};
  if (!stream) {
    source.reject(fmt::format("cannot be read ({})", std::strerror(errno)));
  }
  std::string bytes{std::istreambuf_iterator<char>{stream}, {}};
  if (bytes.empty()) {
    source.reject("is empty (expected an image, PGM or PNG)");
  }
  return bytes;
}

/// Sides that a file claims, checked before memory is taken for them.
GreyImage image_of(const Source& source, std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0) {
    source.reject(fmt::format("is an empty image ({}x{} pixels)", width, height));
  }
  if (width > most_pixels || height > most_pixels || width * height > most_pixels) {
    source.reject(
        fmt::format("is too large ({}x{} pixels; at most {})", width, height, most_pixels));
  }
  GreyImage image{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  image.pixels.resize(width * height);
  return image;
}

// --- PGM ---

/// Reads the numbers and pixels of a PGM file after its two letters.
class PgmText {
 public:
  PgmText(const Source& source, std::string_view text) : source_{source}, rest_{text} {}

  /// The next number, past white space and comments; nothing at the end of the file.
  std::optional<std::uint64_t> next_number() {
    skip_space();
    if (rest_.empty()) {
      return std::nullopt;
    }
    constexpr std::size_t most_digits = 10;
    std::uint64_t value = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && digits < most_digits && is_digit(rest_[digits])) {
      value = value * 10 + static_cast<std::uint64_t>(rest_[digits] - '0');
      ++digits;
    }
    if (digits == 0 || (digits < rest_.size() && !is_end_of_number(rest_[digits]))) {
      source_.reject("is not a PGM image (something else stands where a number should)");
    }
    rest_.remove_prefix(digits);
    return value;
  }

  std::uint64_t header_number() {
    const std::optional<std::uint64_t> number = next_number();
    if (!number) {
      source_.reject("is cut short (its header ends too early)");
    }
    return *number;
  }

  /// What follows the header and the single white space after it.
  std::string_view raster() const { return rest_.substr(rest_.empty() ? 0 : 1); }

 private:
  static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
  static bool is_space(char letter) {
    return std::isspace(static_cast<unsigned char>(letter)) != 0;
  }
  static bool is_end_of_number(char letter) { return is_space(letter) || letter == '#'; }

  void skip_space() {
    while (!rest_.empty() && is_end_of_number(rest_.front())) {
      const std::size_t line = rest_.front() == '#' ? rest_.find('\n') : 0;
      rest_.remove_prefix(line == std::string_view::npos ? rest_.size() : line + 1);
    }
  }

  const Source& source_;
  std::string_view rest_;
};

void check_value(const Source& source, std::uint64_t value, std::uint64_t greatest) {
  if (value > greatest) {
    source.reject(fmt::format("is garbled (a pixel of {}, more than the greatest value, {})", value,
                              greatest));
  }
}

[[noreturn]] void reject_cut_short(const Source& source, std::size_t found, std::size_t needed) {
  source.reject(fmt::format("is cut short ({} of {} pixels are there)", found, needed));
}

GreyImage read_pgm(const Source& source, std::string_view bytes) {
  const bool is_plain = bytes[1] == '2';
  PgmText text{source, bytes.substr(2)};
  const std::uint64_t width = text.header_number();
  const std::uint64_t height = text.header_number();
  const std::uint64_t greatest = text.header_number();
  if (greatest == 0 || greatest > 255) {
    source.reject(
        fmt::format("has a greatest value of {} (only images of 8 bits, 1 to 255, can "
                    "be read)",
                    greatest));
  }
  GreyImage image = image_of(source, width, height);
  const std::string_view raster = text.raster();
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const std::optional<std::uint64_t> value =
        is_plain            ? text.next_number()
        : i < raster.size() ? std::optional<std::uint64_t>{static_cast<std::uint8_t>(raster[i])}
                            : std::nullopt;
    if (!value) {
      reject_cut_short(source, i, image.pixels.size());
    }
    check_value(source, *value, greatest);
    image.pixels[i] = static_cast<std::uint8_t>(*value);
  }
  return image;
}

std::string pgm_of(const GreyImage& image) {
  std::string content = fmt::format("P5\n{} {}\n255\n", image.width, image.height);
  content.append(image.pixels.begin(), image.pixels.end());
  return content;
}

// --- PNG ---

/// libpng's description of an image, which it fills while reading and which must be freed.
class PngImage {
 public:
  PngImage() { image_.version = PNG_IMAGE_VERSION; }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() { png_image_free(&image_); }

  png_image* operator->() { return &image_; }
  png_image* get() { return &image_; }

 private:
  png_image image_{};
};

GreyImage read_png(const Source& source, std::string_view bytes) {
  PngImage png;
  if (png_image_begin_read_from_memory(png.get(), bytes.data(), bytes.size()) == 0) {
    source.reject(fmt::format("is not a readable PNG image ({})", png->message));
  }
  png->format = PNG_FORMAT_GRAY;
  GreyImage image = image_of(source, png->width, png->height);
  const png_color black{0, 0, 0};
  if (png_image_finish_read(png.get(), &black, image.pixels.data(), 0, nullptr) == 0) {
    source.reject(fmt::format("is not a readable PNG image ({})", png->message));
  }
  return image;
}

std::string png_of(const GreyImage& image) {
  PngImage png;
  png->width = image.width;
  png->height = image.height;
  png->format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = 0;
  const auto write = [&](void* memory) {
    return png_image_write_to_memory(png.get(), memory, &size, 0, image.pixels.data(), 0,
                                     nullptr) != 0;
  };
  const bool is_measured = write(nullptr);
  std::string content(size, '\0');
  const bool is_written = is_measured && write(content.data());
  expects(is_written, "an image can be compressed");
  return content;
}

bool is_pgm(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == 'P' && (bytes[1] == '2' || bytes[1] == '5') &&
         (std::isspace(static_cast<unsigned char>(bytes[2])) != 0 || bytes[2] == '#');
}

}  // namespace

GreyImage read_image(const std::filesystem::path& file, std::string_view place) {
  const Source source{file, place};
  const std::string bytes = read_bytes(source);
  if (is_pgm(bytes)) {
    return read_pgm(source, bytes);
  }
  if (bytes.starts_with(png_signature)) {
    return read_png(source, bytes);
  }
  source.reject("is not an image that can be read (PGM of 8 bits, or PNG)");
}

bool is_image_name(const std::filesystem::path& file) {
  return file.extension() == ".pgm" || file.extension() == ".png";
}

std::string image_file_content(const GreyImage& image, const std::filesystem::path& file) {
  expects(is_image_name(file), "an image is written as PGM or PNG");
  expects(!image.pixels.empty(), "an image has pixels");
  return file.extension() == ".png" ? png_of(image) : pgm_of(image);
}

}  // namespace dcube
