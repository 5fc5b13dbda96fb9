#include "file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "counted.hpp"
#include "file_names.hpp"
#include "refuse.hpp"
#include "text.hpp"

namespace dcube {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

void refuse_unless(bool is_fine, const std::filesystem::path& file, const std::string& reason) {
  refuse_if(!is_fine, file.string(), "cannot be read ({})", reason);
}

std::string text_of(std::FILE* input, const struct stat& status, const std::filesystem::path& file,
                    std::uint64_t most_bytes) {
  const bool is_device =
      S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(::fileno(input)) == 0);
  // 0: unknown (a pipe, or a file in /proc).
  const auto expected = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  std::string text;
  text.reserve(std::min(expected, most_bytes) + block_bytes);
  for (std::size_t count = block_bytes; count == block_bytes;) {
    refuse_unless(std::max<std::uint64_t>(expected, text.size()) <= most_bytes, file,
                  "it holds more than " + counted(most_bytes, "byte"));
    refuse_unless(text.empty() || !is_device, file, "it is a device");
    const std::size_t before = text.size();
    text.resize(before + block_bytes);
    count = std::fread(text.data() + before, 1, block_bytes, input);
    refuse_unless(std::ferror(input) == 0, file,
                  errno == EISDIR ? "it is a directory" : std::strerror(errno));
    text.resize(before + count);
  }
  text.erase(0, text.size() - without_byte_order_mark(text).size());
  return text;
}

/// Whether `file` is a pipe of this process that has no name in the file system.
bool is_unnamed_pipe(const std::filesystem::path& file, const struct stat& status) {
  return S_ISFIFO(status.st_mode) && (file == standard_input || file.parent_path() == "/dev/fd");
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

std::string file_text(const std::filesystem::path& file, std::uint64_t most_bytes) {
  refuse_unless(file.native().find('\0') == std::string::npos, file,
                "its name has a NUL byte, where names end");
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat status {};
  refuse_unless(descriptor >= 0 && ::fstat(descriptor, &status) == 0, file, std::strerror(errno));
  const std::unique_ptr<std::FILE, CloseFile> input{::fdopen(descriptor, "r")};
  if (!is_unnamed_pipe(file, status)) {
    return text_of(input.get(), status, file, most_bytes);
  }
  // A pipe gives its text once, and several readers may want it.
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::string> texts;
  const std::lock_guard lock{mutex};
  std::string& text = texts[{status.st_dev, status.st_ino}];
  if (text.empty()) {
    text = text_of(input.get(), status, file, most_bytes);
  }
  return text;
}

}  // namespace dcube
