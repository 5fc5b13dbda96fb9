#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace dcube {

class NamedTemporary;

/// A file that appears under its name as a whole or not at all. It has no name while it is written,
/// so that nothing stays behind however the program ends, and gets its name from commit() once its
/// contents are on the disk. Some file systems, mostly those of networks, know no files without a
/// name. There it has a hidden name that nobody can guess, and every end of the program but SIGKILL
/// removes it.
///
/// A file that is replaced keeps its permissions and, where this process may give files away, its
/// owner. A file that may not be written is not replaced either. Other hard links to it keep what
/// they had, because writing through them could not be undone. A symbolic link stays one: the file
/// that it names is written, whether that exists or not.
///
/// A terminal, a pipe or a device is written at once, and so is a descriptor of this process
/// (/dev/stdout, /dev/fd/3), where it stands. Once the reader of a pipe has gone, it has seen
/// enough, and the rest is dropped; the program must ignore SIGPIPE.
///
/// Everything throws InputError with the file as its place: a folder that is missing, a full disk.
class WholeFile {
 public:
  explicit WholeFile(const std::filesystem::path& file);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  /// Buffered.
  void write(std::string_view text);
  /// Writes out the buffer. Before committing several files, flush them all: when one does not fit
  /// on the disk, none has replaced anything.
  void flush();
  /// The last call: replaces what the name stood for.
  void commit();

  const std::filesystem::path& path() const { return path_; }
  /// What the symbolic links that begin with the path lead to.
  const std::filesystem::path& target() const { return target_; }

 private:
  [[noreturn]] void fail(std::string_view reason) const;
  [[noreturn]] void fail(int error) const;
  void open();
  void open_new(const std::filesystem::path& folder);
  void check(int result) const;
  void sync() const;
  void name();

  std::filesystem::path path_;    ///< as the user named it
  std::filesystem::path target_;  ///< what symbolic links lead to
  int descriptor_ = -1;
  bool is_written_at_once_ = false;            ///< there is nothing to replace
  std::unique_ptr<NamedTemporary> temporary_;  ///< its name until it has its own; null: none
  std::string buffer_;
};

}  // namespace dcube
