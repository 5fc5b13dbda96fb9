#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapped.hpp"
#include "core/printable.hpp"
#include "core/refuse.hpp"
#include "core/text.hpp"
#include "core/text_window.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {

/// Splits the lines of a text into words. For files of millions of lines.
class LineWords : public RejectsIf<LineWords> {
 public:
  /// `file` is for messages.
  LineWords(TextWindow text, std::string file) : text_{std::move(text)}, file_{std::move(file)} {}

  /// Goes to the next line that has a word and does not begin with '#'; false if there is none.
  /// Invalidates the words of the previous line.
  bool next() {
    words_.clear();
    while (words_.empty() && !text_.is_over()) {
      ++line_;
      while (!text_.is_over() && is_blank(*text_.begin())) {
        text_.take(1);
      }
      if (!text_.is_over() && *text_.begin() == '#') {
        text_.take_until('\n');
      }
      split(text_.take_line());
    }
    return !words_.empty();
  }
  const std::vector<std::string_view>& words() const { return words_; }
  std::size_t line() const { return line_; }
  const std::string& file() const { return file_; }

  /// A whole number in the notation of traces, such as "5e4".
  std::optional<std::int64_t> whole(std::size_t word) const {
    if (const auto value = parsed<std::int64_t>(words_[word])) {
      return value;
    }
    constexpr double most_exact = 9007199254740992.0;  // 2^53
    const std::optional<double> value_in_parts = real(word);
    return value_in_parts && std::abs(*value_in_parts) <= most_exact
               ? std::optional{static_cast<std::int64_t>(std::llround(*value_in_parts))}
               : std::nullopt;
  }

  std::optional<double> real(std::size_t word) const {
    const auto value = parsed<double>(words_[word]);
    return value && std::isfinite(*value) ? value : std::nullopt;
  }

  // Arguments, each of which must be there. `what` completes "x is not ..": "a tag".

  std::int64_t number(std::size_t word, std::string_view what) const {
    reject_if(word >= words_.size(), "{} is missing", what);
    const std::optional<std::int64_t> value = whole(word);
    if (!value) {
      reject(fmt::format("{} is not {}", printable(words_[word]), what));
    }
    return *value;
  }
  std::uint32_t number(std::size_t word, std::int64_t least, std::int64_t most,
                       std::string_view what) const {
    const std::int64_t value = number(word, what);
    reject_if(value < least || value > most, "{} is not {} ({} to {})", value, what, least, most);
    return static_cast<std::uint32_t>(value);
  }
  std::uint64_t count(std::size_t word) const {
    const std::int64_t value = number(word, "a count");
    reject_if(value < 0, "{} is not a count (a whole number >= 0)", value);
    return static_cast<std::uint64_t>(value);
  }
  std::vector<std::uint64_t> counts(std::size_t first, std::size_t number) const {
    return numbered(number, [&](std::uint32_t i) { return count(first + i); });
  }
  /// The name of the action is word 1.
  void expect_words(std::size_t most) const {
    if (words_.size() > most) {
      reject(fmt::format("{} is more than the action {} has", printable(words_[most]), words_[1]));
    }
  }

  [[noreturn]] void reject(std::string_view problem) const { throw InputError(place(), problem); }
  std::string place() const { return fmt::format("{}: line {}", file_, line_); }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void split(std::string_view line) {
    const char* at = line.data();
    const char* const end = at + line.size();
    while (at != end) {
      if (is_blank(*at)) {
        ++at;
        continue;
      }
      const char* const begin = at;
      while (at != end && !is_blank(*at)) {
        ++at;
      }
      words_.emplace_back(begin, static_cast<std::size_t>(at - begin));
    }
  }

  TextWindow text_;
  std::string file_;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace dcube
