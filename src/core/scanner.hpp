#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/text.hpp"

namespace dcube {

/// Walks a text file line by line and word by word; what it complains about is at a line.
class Scanner {
 public:
  /// `file` is for messages; a line ends where `comment` begins ('\0': nowhere).
  Scanner(std::string_view text, std::string file, char comment = '\0');

  /// To the next line that has a word; false when there is none. What was left of this line is
  /// skipped.
  bool next_line();
  /// The current line without comment and blanks at its ends.
  std::string_view line() const { return line_; }
  /// The next word of this line; empty when there is none.
  std::string_view word();
  /// The next word of the file, on this line or a later one. Rejects the end: "`what` is missing".
  std::string_view next_word(std::string_view what);
  /// Rejects words left on this line.
  void expect_end_of_line();
  /// Rejects lines left.
  void expect_end();

  /// Rejects what is not a whole number `least` .. `most`: "x is not `what`".
  std::uint64_t whole(std::string_view word, std::uint64_t least, std::uint64_t most,
                      std::string_view what) const;

  /// "FILE: line 3", of the current line.
  std::string place() const { return place_of(line_number_); }
  /// Throws InputError at the current line.
  [[noreturn]] void reject(std::string_view problem) const;
  template <class... Arguments>
  void reject_if(bool is_wrong, fmt::format_string<Arguments...> problem,
                 Arguments&&... arguments) const {
    if (is_wrong) {
      reject(fmt::format(problem, std::forward<Arguments>(arguments)...));
    }
  }
  /// The same at a line that has been read before.
  [[noreturn]] void reject_at(std::size_t line_number, std::string_view problem) const;

  std::size_t line_number() const { return line_number_; }
  const std::string& file() const { return file_; }

 private:
  std::string place_of(std::size_t line_number) const;

  std::string_view text_;
  std::string file_;
  char comment_;
  std::size_t next_ = 0;  ///< where the next line begins
  std::size_t line_number_ = 0;
  std::string_view line_;
  std::string_view rest_;  ///< of the line
};

}  // namespace dcube
