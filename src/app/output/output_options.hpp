#pragma once

#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/command_line.hpp"

namespace dcube::app {

/// A kind of file that a command writes.
struct OutputKind {
  std::string name;
  std::string suffix{};  ///< ".mtx": files of this kind that need no "KIND:"; may be empty
};

/// A file that the command line asks for.
struct NamedOutput {
  std::string option;  ///< the option that names it, for complaints
  std::string kind;
  std::filesystem::path file;
};

/// The entries of a catalogue of formats.
template <class Format>
std::vector<OutputKind> kinds_of(std::span<const Format* const> catalog) {
  std::vector<OutputKind> kinds;
  for (const Format* format : catalog) {
    if constexpr (requires { format->suffix; }) {
      kinds.push_back({format->name, format->suffix});
    } else {
      kinds.push_back({format->name});
    }
  }
  return kinds;
}

/// Understands "KIND:FILE", or a file whose suffix tells its kind. Throws InputError at `option`
/// for a kind that is unknown, so that a misspelt one names no file.
NamedOutput named_output(std::string_view option, std::string_view text,
                         std::span<const OutputKind> kinds);

/// Whether one of them calls nodes by the names of hosts.
bool any_names_hosts(std::span<const NamedOutput> outputs);

/// The outputs that a command line asks for.
class OutputOptions {
 public:
  /// Adds `--write KIND:FILE`, which may be repeated.
  void add_write(Parser& parser, std::vector<OutputKind> kinds);
  /// Adds `-o FILE`, which stands for `--write KIND:FILE`.
  void add_main(Parser& parser, const std::string& kind, const std::string& help);
  /// Adds another name of `--write`, which help shows; of `--write KIND:FILE` where there is a
  /// `kind`.
  void add_spelling(Parser& parser, const char* option, const char* what, const std::string& help,
                    const std::string& kind = {});
  /// Adds an option of earlier versions, which help does not show. It stands for
  /// `--write KIND:FILE`, or for `--write` itself when `kind` is empty.
  void add_old_spelling(Parser& parser, const char* option, const std::string& kind = {});

  /// The outputs in the order of the options. Throws InputError.
  std::vector<NamedOutput> named() const;

 private:
  /// An option and what it was given.
  struct Spelling {
    std::string option;
    std::string kind;  ///< empty: each text begins with it
    std::vector<std::string> texts{};
  };

  std::vector<OutputKind> kinds_;
  std::string main_kind_;
  std::string main_file_;
  std::deque<Spelling> spellings_;  ///< the parser keeps their addresses
};

}  // namespace dcube::app
