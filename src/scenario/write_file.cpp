#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "dcube/core/errors.hpp"
#include "dcube/scenario/scenario.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, std::string_view reason) {
  throw InputError(file.string(), fmt::format("cannot be written ({})", reason));
}

void write_content(const fs::path& file, std::string_view content, const fs::path& named) {
  errno = 0;
  std::ofstream stream{file, std::ios::binary};
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  if (!stream) {
    fail(named, errno != 0 ? std::strerror(errno) : "the disk may be full");
  }
}

/// A file that goes away unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : path_{target.parent_path() /
              fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid())} {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// What a symbolic link leads to, so that the link stays one.
fs::path link_target(const fs::path& file) {
  std::error_code ignored;
  const fs::path target =
      fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  return target.empty() ? file : target;
}

}  // namespace

void write_file(const fs::path& file, std::string_view content) {
  const fs::path target = link_target(file);
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) {
    fail(file, "it is a directory");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    write_content(target, content, file);  // a terminal, a pipe: there is nothing to replace
    return;
  }
  const TemporaryFile temporary{target};
  write_content(temporary.path(), content, file);
  fs::rename(temporary.path(), target, error);
  if (error) {
    fail(file, error.message());
  }
}

}  // namespace dcube
