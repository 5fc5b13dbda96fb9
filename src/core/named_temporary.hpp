#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>

namespace dcube {

/// While it lives, no signal ends this process, so steps that belong together, such as creating a
/// file and renaming it, are both done. A thread that is about to end the process waits for it.
class SignalPause {
 public:
  SignalPause();
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;
  ~SignalPause();

 private:
  sigset_t before_;
};

/// Name of a temporary file, which this object and remove_named_temporaries() remove. A parent
/// finds the names of its forked children. Create the file under the same SignalPause as the name,
/// and lock it (flock), lest another process takes it for one that SIGKILL has left.
class NamedTemporary {
 public:
  /// Picks an unused name in `folder` that nobody can guess and no other computer uses. Removes
  /// files of such names there that nobody has locked or, for a day, written to.
  explicit NamedTemporary(const std::filesystem::path& folder);
  NamedTemporary(const NamedTemporary&) = delete;
  NamedTemporary& operator=(const NamedTemporary&) = delete;
  ~NamedTemporary();

  const std::filesystem::path& path() const { return path_; }
  /// Call when the file has another name or is gone.
  void release();

 private:
  std::filesystem::path path_;
  int slot_ = -1;
};

/// Removes the temporary files of process `owner`: this one, or a child of it that has ended.
/// Signal handlers may call it.
void remove_named_temporaries(pid_t owner);

}  // namespace dcube
