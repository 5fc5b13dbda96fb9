#include "file_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "counted.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;

/// An open file; its complaints name it.
class Input {
 public:
  explicit Input(const std::filesystem::path& file)
      : name_{file.string()}, descriptor_{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)} {
    if (descriptor_ < 0 || ::fstat(descriptor_, &status_) != 0) {
      fail(std::strerror(errno));
    }
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() { ::close(descriptor_); }

  /// 0 where it is unknown, as in /proc and of a pipe.
  std::uint64_t expected_bytes() const {
    return S_ISREG(status_.st_mode) ? static_cast<std::uint64_t>(status_.st_size) : 0;
  }

  bool is_device() const {
    return S_ISBLK(status_.st_mode) || (S_ISCHR(status_.st_mode) && ::isatty(descriptor_) == 0);
  }

  /// Appends a block to `text`; false at the end.
  bool append_to(std::string& text) {
    const std::size_t before = text.size();
    text.resize(before + block_bytes);
    ssize_t count = -1;
    do {
      count = ::read(descriptor_, text.data() + before, block_bytes);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      fail(errno == EISDIR ? "it is a directory" : std::strerror(errno));
    }
    text.resize(before + static_cast<std::size_t>(count));
    return count > 0;
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw InputError(name_, fmt::format("cannot be read ({})", reason));
  }

 private:
  std::string name_;
  int descriptor_;
  struct stat status_ {};
};

}  // namespace

std::string file_text(const std::filesystem::path& file, std::uint64_t most_bytes) {
  Input input{file};
  const std::uint64_t expected = input.expected_bytes();
  std::string text;
  text.reserve(std::min(expected, most_bytes) + block_bytes);
  do {
    if (std::max<std::uint64_t>(expected, text.size()) > most_bytes) {
      input.fail("it holds more than " + counted(most_bytes, "byte"));
    }
    if (!text.empty() && input.is_device()) {
      input.fail("it is a device");
    }
  } while (input.append_to(text));
  return text;
}

}  // namespace dcube
