#include "printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/locale/utf.hpp>
#include <cstdint>

namespace dcube {
namespace {

namespace utf = boost::locale::utf;
using Utf8 = utf::utf_traits<char>;

bool is_continuation(char c) { return Utf8::is_trail(c); }

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Whether `code` turns or nests the direction of writing, or separates lines.
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
    result += fmt::format("\\u{:04x}", code);
  } else {
    result += bytes;
  }
}

}  // namespace

std::string printable(std::string_view text, LineBreaks line_breaks) {
  std::string result;
  result.reserve(text.size());
  while (true) {
    const auto* const special = std::ranges::find_if_not(text, is_plain);
    result.append(text.begin(), special);
    text.remove_prefix(static_cast<std::size_t>(special - text.begin()));
    if (text.empty()) {
      return result;
    }
    const char* end = text.data();
    const utf::code_point code = Utf8::decode(end, text.data() + text.size());
    const bool is_character = code != utf::illegal && code != utf::incomplete;
    const std::size_t bytes = is_character ? static_cast<std::size_t>(end - text.data()) : 1;
    if (is_character) {
      append(result, text.substr(0, bytes), code, line_breaks);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(bytes);
  }
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !is_continuation(c); }));
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
