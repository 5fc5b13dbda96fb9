#include "image_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>

#include "core/input_file.hpp"
#include "core/refuse.hpp"
#include "core/warnings.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};
/// Limit against garbled headers that would take all memory; no simulation needs as much.
constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;

/// An image with the sides that a file claims; checks them before it allocates.
GreyImage image_of(std::uint64_t width, std::uint64_t height) {
  refuse_if(width == 0 || height == 0, "", "is an empty image ({}x{} pixels)", width, height);
  refuse_if(width > most_pixels || height > most_pixels || width * height > most_pixels, "",
            "is too large ({}x{} pixels; at most {})", width, height, most_pixels);
  GreyImage image{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  image.pixels.resize(width * height);
  return image;
}

// --- PGM ---

std::uint64_t next_number(NetpbmScanner& scanner) {
  const std::optional<std::uint64_t> number = scanner.next_number();
  refuse_if(!number, "", "is not a PGM image (something else stands where a number should)");
  return *number;
}

std::uint64_t header_number(NetpbmScanner& scanner) {
  refuse_if(scanner.is_at_end(), "", "is cut short (its header ends too early)");
  return next_number(scanner);
}

GreyImage read_pgm(std::string_view bytes) {
  const bool is_plain = bytes[1] == '2';
  NetpbmScanner scanner{bytes.substr(2)};
  const std::uint64_t width = header_number(scanner);
  const std::uint64_t height = header_number(scanner);
  const std::uint64_t greatest = header_number(scanner);
  refuse_if(greatest == 0 || greatest > 255, "",
            "has a greatest value of {} (only images of 8 bits, 1 to 255, can be read)", greatest);
  GreyImage image = image_of(width, height);
  const std::string_view raster = scanner.raster();
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    refuse_if(is_plain ? scanner.is_at_end() : i == raster.size(), "",
              "is cut short ({} of {} pixels are there)", i, image.pixels.size());
    const std::uint64_t value =
        is_plain ? next_number(scanner) : static_cast<std::uint8_t>(raster[i]);
    refuse_if(value > greatest, "", "is garbled (a pixel of {}, more than the greatest value, {})",
              value, greatest);
    image.pixels[i] = static_cast<std::uint8_t>(value);
  }
  return image;
}

std::string pgm_of(const GreyImage& image) {
  std::string content = fmt::format("P5\n{} {}\n255\n", image.width, image.height);
  content.append(image.pixels.begin(), image.pixels.end());
  return content;
}

// --- PNG ---

/// libpng's description of an image, which must be freed.
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

/// The image without what it says about the light of its values, by which libpng changes them.
std::string without_light(std::string_view bytes) {
  constexpr std::array<std::string_view, 5> of_light{"cHRM", "cICP", "gAMA", "iCCP", "sRGB"};
  constexpr std::size_t around = 12;  // length, type and checksum
  std::string kept{bytes.substr(0, png_signature.size())};
  bytes.remove_prefix(png_signature.size());
  while (bytes.size() >= around) {
    std::size_t size = 0;
    for (const char byte : bytes.substr(0, 4)) {
      size = size * 256 + static_cast<std::uint8_t>(byte);
    }
    const std::string_view chunk = bytes.substr(0, size + around);
    if (std::ranges::find(of_light, chunk.substr(4, 4)) == of_light.end()) {
      kept += chunk;
    }
    bytes.remove_prefix(chunk.size());
  }
  return kept;
}

/// `warn_of` is told what in the image is not grey.
template <class WarnOf>
GreyImage read_png(std::string_view coded, const WarnOf& warn_of) {
  const std::string bytes = without_light(coded);
  PngImage png;
  const auto check = [&](int is_read) {
    refuse_if(is_read == 0, "", "is not a readable PNG image ({})", png->message);
  };
  check(png_image_begin_read_from_memory(png.get(), bytes.data(), bytes.size()));
  refuse_if((png->format & PNG_FORMAT_FLAG_LINEAR) != 0, "",
            "has values of 16 bits (only images of 8 bits can be read)");
  if ((png->format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)) != 0) {
    warn_of((png->format & PNG_FORMAT_FLAG_COLOR) != 0 ? "colours" : "transparent pixels");
  }
  png->format = PNG_FORMAT_GRAY;
  GreyImage image = image_of(png->width, png->height);
  const png_color black{0, 0, 0};
  check(png_image_finish_read(png.get(), &black, image.pixels.data(), 0, nullptr));
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
         (is_netpbm_space(bytes[2]) || bytes[2] == '#');
}

}  // namespace

GreyImage read_image(const std::filesystem::path& file, std::string_view place) {
  const std::string bytes = read_input_file(file, place);
  try {
    if (is_pgm(bytes)) {
      return read_pgm(bytes);
    }
    if (bytes.starts_with(png_signature)) {
      return read_png(bytes, [&](std::string_view what) {
        warn(place, fmt::format("{} has {}, which become grey over black as the eye sees them; "
                                "save it in 8 bits of grey for values of your own",
                                file.string(), what));
      });
    }
    throw InputError("", "is not an image that can be read (PGM of 8 bits, or PNG)");
  } catch (const InputError& error) {
    throw InputError(place, fmt::format("{} {}", file.string(), error.problem()));
  }
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
