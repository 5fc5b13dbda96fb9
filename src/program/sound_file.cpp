#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "core/input_file.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"
#include "number_file.hpp"

namespace dcube {
namespace {

struct CloseSound {
  void operator()(SNDFILE* sound) const { sf_close(sound); }
};

/// File length by the header and that of the samples, or 0 without one, as in recordings written
/// to a pipe. libsndfile reads a shorter file without complaint.
std::uint64_t promised_bytes(const std::filesystem::path& file) {
  constexpr std::uint64_t header_bytes = 8;
  constexpr std::uint64_t unknown = 0xffffffff;
  std::array<char, header_bytes> header{};
  std::ifstream stream{file, std::ios::binary};
  std::uint64_t place = 0;
  std::uint64_t promised = 0;
  while (stream.seekg(static_cast<std::streamoff>(place)).read(header.data(), header.size())) {
    const std::string_view name{header.data(), 4};
    if (place == 0 && name != "RIFF") {
      return 0;
    }
    std::uint64_t length = 0;
    for (std::size_t i = header.size(); i > 4; --i) {
      length = length << 8 | static_cast<unsigned char>(header[i - 1]);
    }
    if (length != unknown && (place == 0 || name == "data")) {
      promised = std::max(promised, place + header_bytes + length);
    }
    if (name == "data") {
      break;
    }
    constexpr std::uint64_t form_bytes = 4;
    place += header_bytes + (place == 0 ? form_bytes : length + length % 2);
  }
  return promised;
}

void expect_whole(const std::filesystem::path& file, std::string_view place) {
  std::error_code ignored;
  const std::uint64_t there = std::filesystem::file_size(file, ignored);
  const std::uint64_t promised = promised_bytes(file);
  // Some writers omit the byte that pads an odd length.
  refuse_if(!ignored && promised > there + 1, place,
            "{} is cut short (its header promises {} bytes, and it has {})", file.string(),
            promised, there);
}

}  // namespace

bool is_sound_file(const std::filesystem::path& file) {
  const std::string extension = lower_case(file.extension().string());
  return extension == ".wav" || extension == ".wave";
}

std::vector<double> read_sound_file(const std::filesystem::path& file, std::string_view place) {
  expect_readable(file, place);
  expect_whole(file, place);
  SF_INFO info{};
  const std::unique_ptr<SNDFILE, CloseSound> sound{sf_open(file.c_str(), SFM_READ, &info)};
  refuse_if(sound == nullptr, place, "{} cannot be read as sound ({})", file.string(),
            sf_strerror(nullptr));
  const auto channels = static_cast<std::size_t>(info.channels);
  constexpr std::size_t frames_at_once = 4096;
  std::vector<double> frames(frames_at_once * channels);
  std::vector<double> samples;
  for (sf_count_t read = 0;
       (read = sf_readf_double(sound.get(), frames.data(), frames_at_once)) > 0;) {
    for (std::size_t frame = 0; frame < static_cast<std::size_t>(read); ++frame) {
      samples.push_back(frames[frame * channels]);
      if (!std::isfinite(samples.back())) {
        throw InputError(place, fmt::format("{}: sample {} is not a finite number", file.string(),
                                            samples.size() - 1));
      }
    }
  }
  refuse_if(samples.empty(), place, "{} holds no samples", file.string());
  return samples;
}

}  // namespace dcube
