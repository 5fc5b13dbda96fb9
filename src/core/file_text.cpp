#include "file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "counted.hpp"
#include "refuse.hpp"

namespace dcube {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string file_text(const std::filesystem::path& file, std::uint64_t most_bytes) {
  const auto refuse_unless = [&](bool is_fine, const std::string& reason) {
    refuse_if(!is_fine, file.string(), "cannot be read ({})", reason);
  };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat status {};
  const bool is_open = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
  refuse_unless(is_open, std::strerror(errno));
  const std::unique_ptr<std::FILE, CloseFile> input{::fdopen(descriptor, "r")};
  const bool is_device =
      S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && ::isatty(descriptor) == 0);
  // 0 where it is unknown, as in /proc and of a pipe.
  const auto expected = S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
  std::string text;
  text.reserve(std::min(expected, most_bytes) + block_bytes);
  for (std::size_t count = block_bytes; count == block_bytes;) {
    refuse_unless(std::max<std::uint64_t>(expected, text.size()) <= most_bytes,
                  "it holds more than " + counted(most_bytes, "byte"));
    refuse_unless(text.empty() || !is_device, "it is a device");
    const std::size_t before = text.size();
    text.resize(before + block_bytes);
    count = std::fread(text.data() + before, 1, block_bytes, input.get());
    refuse_unless(std::ferror(input.get()) == 0,
                  errno == EISDIR ? "it is a directory" : std::strerror(errno));
    text.resize(before + count);
  }
  return text;
}

}  // namespace dcube
