#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/refuse.hpp"
#include "core/text.hpp"

namespace dcube {

/// Reads a text file line by line and word by word. Its complaints name the line.
class Scanner : public RejectsIf<Scanner> {
 public:
  /// `file`: for messages. `comment`: starts a comment, to the end of the line; '\0': none.
  Scanner(std::string_view text, std::string file, char comment = '\0');

  /// Goes to the next line that has a word; false when there is none. Skips the rest of this one.
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

  /// A whole number `least` .. `most`; rejects any other word: "x is not `what`".
  std::uint64_t whole(std::string_view word, std::uint64_t least, std::uint64_t most,
                      std::string_view what) const;

  /// "FILE: line 3", of the current line.
  std::string place() const { return place_of(line_number_); }
  /// Throws InputError at the current line.
  [[noreturn]] void reject(std::string_view problem) const;
  /// Throws InputError at a line that has been read before.
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
  std::string_view rest_;  ///< of the current line
};

}  // namespace dcube
