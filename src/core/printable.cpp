#include "printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace dcube {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

/// Bytes of a character, by its first one; 0 when no character begins like that.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/// The character that `text`, which is not empty, begins with; nothing when it is not UTF-8.
std::optional<Character> first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = length_of(first);
  if (length == 0 || length > text.size()) {
    return std::nullopt;
  }
  constexpr std::uint32_t bits_of_first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  std::uint32_t code = first & bits_of_first[length];
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) {
      return std::nullopt;
    }
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[length] || code > 0x10ffff || is_surrogate) {
    return std::nullopt;
  }
  return Character{code, length};
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Marks that turn or nest the direction of writing, and separators that break a line.
bool is_layout_mark(std::uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append(std::string& result, std::string_view bytes, std::uint32_t code,
            LineBreaks line_breaks) {
  const bool is_line_break = code == '\n' || code == '\t';
  if (is_line_break && line_breaks == LineBreaks::escaped) {
    result += code == '\n' ? "\\n" : "\\t";
  } else if (!is_line_break && (is_control(code) || is_layout_mark(code))) {
    fmt::format_to(std::back_inserter(result), "\\u{:04x}", code);
  } else {
    result += bytes;
  }
}

}  // namespace

std::string printable(std::string_view text, LineBreaks line_breaks) {
  std::string result;
  result.reserve(text.size());
  while (true) {
    const auto* const special = std::find_if_not(text.begin(), text.end(), is_plain);
    result.append(text.begin(), special);
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()));
    if (text.empty()) {
      return result;
    }
    const std::optional<Character> character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (character) {
      append(result, text.substr(0, bytes), character->code, line_breaks);
    } else {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}",
                     static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(bytes);
  }
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string shortened(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) {
    return std::string{text};
  }
  std::size_t end = most_bytes - 3;
  while (end > 0 && is_continuation(text[end])) {
    --end;
  }
  return std::string{text.substr(0, end)} + "...";
}

}  // namespace dcube
