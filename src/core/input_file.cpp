#include "input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Limit for files held in memory and for pipes, which may have no end.
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 31;
/// Size up to which a window grows.
constexpr std::size_t longest_piece = std::size_t{1} << 28;

[[noreturn]] void reject(const std::filesystem::path& file, std::string_view place,
                         std::string_view reason) {
  throw InputError(place, fmt::format("{} cannot be read ({})", file.string(), reason));
}

class InputFile {
 public:
  /// `is_held`: the caller keeps all bytes in memory.
  InputFile(std::filesystem::path file, std::string_view place, bool is_held)
      : file_{std::move(file)}, place_{place}, is_held_{is_held} {
    expect_readable(file_, place_);
    errno = 0;
    stream_.open(file_, std::ios::binary);
    if (!stream_.is_open()) {
      reject(std::strerror(errno));
    }
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file_, error);  // fails for a pipe
    size_ = error ? 0 : static_cast<std::uint64_t>(size);
  }

  /// Reads up to `bytes`. Returns how many; 0 at the end.
  std::size_t read(char* to, std::size_t bytes) {
    stream_.read(to, static_cast<std::streamsize>(bytes));
    const auto count = static_cast<std::size_t>(stream_.gcount());
    read_ += count;
    if (read_ > most_file_bytes && (is_held_ || size_ == 0)) {
      reject("it is larger than 2 GiB");
    }
    if (stream_.bad()) {
      reject(std::strerror(errno));
    }
    if (read_ == 0) {
      throw InputError(place_, file_.string() + " is empty");
    }
    return count;
  }
  [[noreturn]] void reject(std::string_view reason) const { dcube::reject(file_, place_, reason); }
  std::uint64_t bytes_read() const { return read_; }
  /// 0: unknown.
  std::uint64_t size() const { return size_; }

 private:
  std::filesystem::path file_;
  std::string place_;
  bool is_held_;
  std::ifstream stream_;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace

std::string read_input_file(const std::filesystem::path& file, std::string_view place) {
  InputFile input{file, place, true};
  std::string bytes;
  constexpr std::size_t bytes_at_once = std::size_t{1} << 16;
  std::string chunk(bytes_at_once, '\0');
  while (const std::size_t count = input.read(chunk.data(), bytes_at_once)) {
    bytes.append(chunk, 0, count);
  }
  return bytes;
}

TextWindow input_file_window(const std::filesystem::path& file, std::string_view place,
                             std::function<void(double)> on_share) {
  const auto input = std::make_shared<InputFile>(file, place, false);
  return TextWindow{[input, on_share = std::move(on_share)](char* to, std::size_t bytes) {
    if (bytes >= longest_piece) {
      input->reject("a word or a line of it is longer than 256 MiB");
    }
    const std::size_t count = input->read(to, bytes);
    if (on_share && input->size() > 0) {
      on_share(std::min(
          1.0, static_cast<double>(input->bytes_read()) / static_cast<double>(input->size())));
    }
    return count;
  }};
}

void expect_readable(const std::filesystem::path& file, std::string_view place) {
  if (file.native().find('\0') != std::string::npos) {
    reject(file, place, "its name has a NUL byte, where names end");
  }
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
