#include "input_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Far more than a run can use. The limit is for pipes without an end.
constexpr std::size_t most_bytes = std::size_t{1} << 31;

[[noreturn]] void reject(const std::filesystem::path& file, std::string_view place,
                         std::string_view reason) {
  throw InputError(place, fmt::format("{} cannot be read ({})", file.string(), reason));
}

}  // namespace

std::string read_input_file(const std::filesystem::path& file, std::string_view place) {
  expect_readable(file, place);
  errno = 0;
  std::ifstream stream{file, std::ios::binary};
  if (!stream.is_open()) {
    reject(file, place, std::strerror(errno));
  }
  std::string bytes;
  constexpr std::size_t bytes_at_once = std::size_t{1} << 16;
  std::string chunk(bytes_at_once, '\0');
  while (stream.read(chunk.data(), bytes_at_once), stream.gcount() > 0) {
    bytes.append(chunk, 0, static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > most_bytes) {
      reject(file, place, "it is larger than 2 GiB");
    }
  }
  if (stream.bad()) {
    reject(file, place, std::strerror(errno));
  }
  if (bytes.empty()) {
    throw InputError(place, file.string() + " is empty");
  }
  return bytes;
}

void expect_readable(const std::filesystem::path& file, std::string_view place) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) {
    reject(file, place, error.message());
  }
  if (std::filesystem::is_directory(status)) {
    reject(file, place, "it is a directory");
  }
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) {
    reject(file, place, "it is a device");
  }
}

}  // namespace dcube
