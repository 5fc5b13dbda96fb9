#include "dcube/core/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr mode_t everybody = 0666;  // less what the umask takes

fs::path link_target(const fs::path& file) {
  std::error_code ignored;
  const fs::path target =
      fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  return target.empty() ? file : target;
}

/// How a file without a name gets one; there is no other way without privileges.
std::string own_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace

WholeFile::WholeFile(const fs::path& file)
    : path_{file},
      target_{link_target(file)},
      temporary_{target_.parent_path() /
                 fmt::format(".{}.{}.tmp", target_.filename().string(), ::getpid())} {
  open();
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (has_temporary_) {
    ::unlink(temporary_.c_str());
  }
}

void WholeFile::fail(std::string_view reason) const {
  throw InputError(path_.string(), fmt::format("cannot be written ({})", reason));
}

void WholeFile::open() {
  std::error_code error;
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) {
    fail("it is a directory");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    is_device_ = true;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail(std::strerror(errno));
    }
    return;
  }
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path{"."};
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, everybody);
  if (descriptor_ >= 0 && ::access(own_descriptor(descriptor_).c_str(), F_OK) == 0) {
    return;
  }
  // Network file systems know no files without a name.
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, everybody);
  if (descriptor_ < 0) {
    fail(std::strerror(errno));
  }
  has_temporary_ = true;
}

void WholeFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_bytes) {
    flush();
  }
}

void WholeFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) {
      fail(std::strerror(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  buffer_.clear();
}

void WholeFile::name_temporary() {
  ::unlink(temporary_.c_str());
  if (::linkat(AT_FDCWD, own_descriptor(descriptor_).c_str(), AT_FDCWD, temporary_.c_str(),
               AT_SYMLINK_FOLLOW) != 0) {
    fail(std::strerror(errno));
  }
  has_temporary_ = true;
}

void WholeFile::commit() {
  flush();
  if (!is_device_ && !has_temporary_) {
    name_temporary();
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) {
    fail(std::strerror(errno));
  }
  if (is_device_) {
    return;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(std::strerror(errno));
  }
  has_temporary_ = false;
}

}  // namespace dcube
