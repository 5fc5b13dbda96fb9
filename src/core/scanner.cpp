#include "scanner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/decimal.hpp"
#include "core/file_text.hpp"
#include "core/text.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {

Scanner::Scanner(std::string_view text, std::string file, char comment)
    : text_{without_byte_order_mark(text)}, file_{std::move(file)}, comment_{comment} {}

bool Scanner::next_line() {
  while (next_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', next_), text_.size());
    std::string_view line = text_.substr(next_, end - next_);
    next_ = end + 1;
    ++line_number_;
    if (comment_ != '\0') {
      line = line.substr(0, line.find(comment_));
    }
    line_ = rest_ = trimmed(line);
    if (!line_.empty()) {
      return true;
    }
  }
  line_ = rest_ = {};
  return false;
}

std::string_view Scanner::word() {
  rest_ = trimmed(rest_);
  const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
  rest_.remove_prefix(word.size());
  return word;
}

std::string_view Scanner::next_word(std::string_view what) {
  std::string_view found = word();
  if (found.empty()) {
    reject_if(!next_line(), "{} is missing (the file ends)", what);
    found = word();
  }
  return found;
}

void Scanner::expect_end_of_line() {
  if (const std::string_view more = word(); !more.empty()) {
    reject(fmt::format("{} is more than the line should hold", shown(more)));
  }
}

void Scanner::expect_end() {
  expect_end_of_line();
  if (next_line()) {
    reject(fmt::format("{} is past what should be the end", shown(word())));
  }
}

std::uint64_t Scanner::whole(std::string_view word, std::uint64_t least, std::uint64_t most,
                             std::string_view what) const {
  const std::optional<std::uint64_t> value = parsed<std::uint64_t>(word);
  if (!value || *value < least || *value > most) {
    reject(fmt::format("{} is not {}", word.empty() ? "nothing" : shown(word), what));
  }
  return *value;
}

void Scanner::reject(std::string_view problem) const { reject_at(line_number_, problem); }

void Scanner::reject_at(std::size_t line_number, std::string_view problem) const {
  throw InputError(place_of(line_number), problem);
}

std::string Scanner::place_of(std::size_t line_number) const {
  return fmt::format("{}: line {}", file_, std::max<std::size_t>(line_number, 1));
}

}  // namespace dcube
