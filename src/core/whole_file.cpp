#include "dcube/core/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "dcube/core/errors.hpp"
#include "named_temporary.hpp"
#include "text.hpp"

namespace dcube {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr mode_t everybody = 0666;  // less what the umask takes
constexpr mode_t permissions = 07777;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path{"."};
}

/// The descriptor of this process that `file` stands for, such as /dev/fd/1.
std::optional<int> own_descriptor(const fs::path& file) {
  const std::optional<int> number = parsed<int>(file.filename().string());
  if (!number || *number < 0) {
    return std::nullopt;
  }
  std::error_code ignored;
  const fs::path folder = fs::canonical(folder_of(file), ignored);
  const fs::path process = fs::canonical("/proc/self", ignored);
  const bool is_of_thread =
      folder.filename() == "fd" && folder.parent_path().parent_path() == process / "task";
  return is_of_thread || folder == process / "fd" ? number : std::nullopt;
}

/// The end of the symbolic links that begin with `file`, whether it exists or not. A descriptor of
/// this process is such an end, because the file behind it may have lost its name.
fs::path link_target(fs::path file) {
  constexpr int most_links = 40;  // as many as the kernel follows
  for (int i = 0; i < most_links && !own_descriptor(file); ++i) {
    std::error_code error;
    const fs::path next = fs::read_symlink(file, error);
    if (error) {
      break;  // it is no link
    }
    file = next.is_absolute() ? next : folder_of(file) / next;
  }
  return file;
}

/// Path by which an unnamed file is linked; without privileges there is no other way.
std::string descriptor_path(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Puts the names in `folder` on the disk, where the file system can.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
}

}  // namespace

WholeFile::WholeFile(const fs::path& file) : path_{file}, target_{link_target(file)} { open(); }

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void WholeFile::fail(std::string_view reason) const {
  throw InputError(path_.string(), fmt::format("cannot be written ({})", reason));
}

void WholeFile::fail(int error) const { fail(std::strerror(error)); }

void WholeFile::check(int result) const {
  if (result < 0) {
    fail(errno);
  }
}

void WholeFile::open() {
  if (const std::optional<int> descriptor = own_descriptor(target_)) {
    is_written_at_once_ = true;
    check(descriptor_ = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0));
    return;
  }
  struct stat replaced {};
  const bool is_there = ::stat(target_.c_str(), &replaced) == 0;
  if (!is_there && errno != ENOENT) {
    fail(errno);
  }
  if (is_there && S_ISDIR(replaced.st_mode)) {
    fail("it is a directory");
  }
  if (is_there && !S_ISREG(replaced.st_mode)) {
    is_written_at_once_ = true;
    check(descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC));
    return;
  }
  if (is_there) {
    check(::access(target_.c_str(), W_OK));
  }
  open_new(folder_of(target_));
  if (is_there) {
    // The owner first: giving a file away takes some of its permissions.
    [[maybe_unused]] const int kept = ::fchown(descriptor_, replaced.st_uid, replaced.st_gid);
    ::fchmod(descriptor_, replaced.st_mode & permissions);
  }
}

void WholeFile::open_new(const fs::path& folder) {
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, everybody);
  if (descriptor_ >= 0 && ::access(descriptor_path(descriptor_).c_str(), F_OK) == 0) {
    return;
  }
  if (descriptor_ >= 0) {  // commit() could not name it
    ::close(descriptor_);
  }
  const SignalPause pause;
  temporary_ = std::make_unique<NamedTemporary>(folder);
  check(descriptor_ = ::open(temporary_->path().c_str(),
                             O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, everybody));
  ::flock(descriptor_, LOCK_EX | LOCK_NB);
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
    if (written < 0 && errno == EPIPE) {
      break;
    }
    if (written < 0 && errno != EINTR) {
      fail(errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  buffer_.clear();
}

void WholeFile::sync() const {
  const bool is_done = ::fsync(descriptor_) == 0;
  if (!is_done && errno != EINVAL && errno != ENOSYS) {  // not possible here
    fail(errno);
  }
}

void WholeFile::name() {
  const SignalPause pause;
  if (!temporary_) {
    const std::string unnamed = descriptor_path(descriptor_);
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      return;
    }
    if (errno != EEXIST) {
      fail(errno);
    }
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
    temporary_ = std::make_unique<NamedTemporary>(folder_of(target_));
    check(::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, temporary_->path().c_str(),
                   AT_SYMLINK_FOLLOW));
  }
  check(::rename(temporary_->path().c_str(), target_.c_str()));
  temporary_->release();
}

void WholeFile::commit() {
  flush();
  if (!is_written_at_once_) {
    sync();
    name();
    sync_folder(folder_of(target_));
  }
  check(::close(std::exchange(descriptor_, -1)));
}

}  // namespace dcube
