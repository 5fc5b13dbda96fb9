#pragma once

#include <sys/types.h>

#include <csignal>
#include <filesystem>

namespace dcube {

/// While it lives, no signal ends this process between two steps that belong together, such as
/// creating a file and renaming it; a thread that is about to end the process waits for it.
class SignalPause {
 public:
  SignalPause();
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;
  ~SignalPause();

 private:
  sigset_t before_;
};

/// The name of a temporary file, which is removed with this object and by
/// remove_named_temporaries(). A forked child keeps its names where its parent finds them. Create
/// the file under the same SignalPause as the name.
class NamedTemporary {
 public:
  /// A name in `folder` that nobody can guess and no other computer uses. Nothing has it yet.
  explicit NamedTemporary(const std::filesystem::path& folder);
  NamedTemporary(const NamedTemporary&) = delete;
  NamedTemporary& operator=(const NamedTemporary&) = delete;
  ~NamedTemporary();

  const std::filesystem::path& path() const { return path_; }
  /// The file has another name now, or is gone.
  void release();

 private:
  std::filesystem::path path_;
  int slot_ = -1;
};

/// Removes what process `owner` (this one, or a child of it that has ended) left under temporary
/// names. May be called by a handler of signals.
void remove_named_temporaries(pid_t owner);

}  // namespace dcube
