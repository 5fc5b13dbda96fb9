#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "dcube/core/ids.hpp"

/// Ids are written as their numbers.
template <class Tag>
struct fmt::formatter<dcube::Id<Tag>> : fmt::formatter<std::uint32_t> {
  template <class Context>
  auto format(dcube::Id<Tag> id, Context& context) const {
    return fmt::formatter<std::uint32_t>::format(id.index(), context);
  }
};

namespace dcube {

/// What editors write before a text in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The number that the whole of `text` is. `base`: of a whole number.
template <class Number, class... Base>
std::optional<Number> parsed(std::string_view text, Base... base) {
  Number number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, base...);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number}
                                                                  : std::nullopt;
}

/// Number of parts of a whole of which `text` names one: 4 for "1/4".
inline std::optional<std::uint32_t> parts_of_whole(std::string_view text) {
  return text.starts_with("1/") && !text.starts_with("1/0") ? parsed<std::uint32_t>(text.substr(2))
                                                            : std::nullopt;
}

/// Characters that separate words of a line.
inline constexpr std::string_view blanks = " \t\r\v\f";

/// `text` without blanks at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blank = blanks) {
  const std::size_t first = text.find_first_not_of(blank);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// The parts of `text` between separators: at least one. A part may be empty.
inline std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

/// The parts of `text` between blanks; none is empty.
inline std::vector<std::string_view> blank_separated(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    words.push_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

/// ASCII letters of `text` in lower case.
inline std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

/// `text` in quotes; a quote inside is doubled.
inline std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    quoted.append(c == '"' ? 2 : 1, c);
  }
  return quoted + '"';
}

/// `text` as a cell of a CSV file.
inline std::string csv_text(std::string_view text) {
  const bool is_plain = text.find_first_of(",\"\r\n") == std::string_view::npos;
  return is_plain ? std::string{text} : in_quotes(text);
}

}  // namespace dcube
