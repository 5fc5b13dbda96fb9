#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/options.hpp"
#include "app/terminal/exit_status.hpp"
#include "output_options.hpp"

namespace dcube::app {

/// The files that a command reads and writes.
///
/// A command tells its plan every file before anything runs, so that nothing is computed that
/// cannot be kept. When everything is computed, finish() writes the files and only then prints, so
/// that a closed or full standard output loses nothing on disk. A file on standard output stands
/// there alone.
class OutputPlan {
 public:
  explicit OutputPlan(const DisplayOptions& display = {});

  /// The option prints, as --json does. Throws InputError at it when a file goes to standard
  /// output.
  void prints(std::string_view option);
  /// The files are inputs, as far as they are there; "FORMAT:FILE" is understood. Throws InputError
  /// at the option that would overwrite one; only regular files can be overwritten.
  void reads(const std::vector<std::filesystem::path>& files);
  /// The file is going to be written. Throws InputError at the option that names it unless the file
  /// can be written, and when it is also read or written under this or another name.
  void writes(std::string_view option, const std::filesystem::path& file);

  /// The file is going to be written into a folder that make_folders() makes, and is planned then.
  void writes_into(std::string_view option, const std::filesystem::path& folder,
                   const std::string& name);
  /// Makes the folders, once nothing is left to refuse. Throws like writes() above.
  void make_folders();

  /// Plans all files that the command line asks for, and returns them. Throws like writes() above.
  std::vector<NamedOutput> writes(const OutputOptions& options);

  /// Keeps the content of a file that is going to be written.
  void put(const std::filesystem::path& file, std::string content);
  /// Writes files in a way of its own, after those that have been put. May throw InputError.
  void add_writer(std::function<void()> writer);

  /// Writes the files that have been put, all of them or none, calls the other writers, and prints
  /// `told` unless a file went there. Complains about what cannot be written; the status says
  /// whether everything was.
  ExitStatus finish(std::string_view told);

 private:
  struct Use {
    std::string file;
    std::string option;  ///< empty: the file is read
  };

  struct InFolder {
    std::string option;
    std::filesystem::path folder;
    std::string name;
  };

  void use(const std::string& identity, const Use& use);
  void expect_one_printer() const;

  std::map<std::string, Use> uses_;  ///< by identity of the file
  std::vector<std::pair<std::filesystem::path, std::string>> contents_;
  std::vector<std::function<void()>> writers_;
  std::vector<InFolder> in_folders_;  ///< not yet planned
  std::string printing_option_;
  std::string printed_file_option_;  ///< of the file on standard output
};

/// Makes a folder, and those that it is in, unless it is there. Throws InputError at the option.
void make_folder(std::string_view option, const std::filesystem::path& folder);

/// Writes files that belong together: none of them appears unless all can be written. Throws
/// InputError.
void write_together(std::span<const std::pair<std::filesystem::path, std::string>> contents);

}  // namespace dcube::app
