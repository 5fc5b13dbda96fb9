#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace dcube {

class NamedTemporary;

/// A file that appears under its name as a whole or not at all. While it is written it has no name,
/// so nothing stays behind however the program ends; commit() names it once its contents are on the
/// disk. On file systems without unnamed files (mostly network ones) it has a hidden name that
/// nobody can guess, and every end of the program but SIGKILL removes it.
///
/// A replaced file keeps its permissions and, where this process may give files away, its owner. A
/// file that may not be written is not replaced. Its other hard links keep the old contents,
/// because writing through them could not be undone. A symbolic link stays one: its target is
/// written, whether that exists or not.
///
/// A terminal, a pipe or a device is written at once, and so is a descriptor of this process
/// (/dev/stdout, /dev/fd/3), from its position on. Once the reader of a pipe has gone, the rest is
/// dropped; the program must ignore SIGPIPE.
///
/// Every call throws InputError with the file as its place: a missing folder, a full disk.
class WholeFile {
 public:
  explicit WholeFile(const std::filesystem::path& file);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  void write(std::string_view text);
  /// Writes out the buffer. Before committing several files, flush them all: when one does not fit
  /// on the disk, none has replaced anything.
  void flush();
  /// Replaces the file of that name. The last call.
  void commit();

  const std::filesystem::path& path() const { return path_; }
  /// The file at the end of the symbolic links that begin with the path.
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
  std::filesystem::path target_;  ///< where its symbolic links end
  int descriptor_ = -1;
  bool is_written_at_once_ = false;            ///< there is nothing to replace
  std::unique_ptr<NamedTemporary> temporary_;  ///< hidden name before commit(); null: none
  std::string buffer_;
};

}  // namespace dcube
