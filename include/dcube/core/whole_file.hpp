#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dcube {

/// A file that appears under its name as a whole or not at all: it has no name while it is written,
/// so that nothing stays behind however the program ends, and gets it from commit(). A terminal, a
/// pipe or a device is written at once.
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
  /// Leaves nothing in the buffer: of several files, none need be committed when one is too large.
  void flush();
  /// The last call: replaces what the name stood for.
  void commit();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(std::string_view reason) const;
  void open();
  void name_temporary();

  std::filesystem::path path_;       ///< as the user named it
  std::filesystem::path target_;     ///< what a symbolic link leads to, so that the link stays one
  std::filesystem::path temporary_;  ///< its name until it has its own
  int descriptor_ = -1;
  bool has_temporary_ = false;  ///< it is there under that name
  bool is_device_ = false;      ///< there is nothing to replace
  std::string buffer_;
};

}  // namespace dcube
