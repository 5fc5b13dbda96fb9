#include "json_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/file_text.hpp"
#include "core/going_on.hpp"
#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

/// Iterator that tells the handler of parsing events how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** reached) : at_{at}, reached_{reached} {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  const char** reached_;
};

/// "line 3, column 14", of the character at `offset`.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = offset - (line_end == std::string_view::npos ? 0 : line_end + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

/// Offset of the opening quote of the string whose closing quote is at `end`.
std::size_t opening_quote(std::string_view text, std::size_t end) {
  const auto is_escaped = [&](std::size_t quote) {
    std::size_t backslashes = 0;
    while (backslashes < quote && text[quote - 1 - backslashes] == '\\') {
      ++backslashes;
    }
    return backslashes % 2 == 1;
  };
  std::size_t quote = text.rfind('"', end - 1);
  while (is_escaped(quote)) {
    quote = text.rfind('"', quote - 1);
  }
  return quote;
}

/// The parser's message without prefix and without the quoted text, long or unprintable.
std::string parser_complaint(std::string_view what) {
  what.remove_prefix(what.find("] ") + 2);
  if (what.starts_with("parse error at ")) {
    what.remove_prefix(what.find(": ") + 2);
  }
  const std::size_t last_read = what.find("; last read: ");
  if (last_read == std::string_view::npos) {
    return std::string{what};
  }
  const std::size_t expected = what.rfind("; expected ");
  const bool is_after = expected != std::string_view::npos && expected > last_read;
  return fmt::format("{}{}", what.substr(0, last_read),
                     is_after ? what.substr(expected) : std::string_view{});
}

/// Builds settings from parsing events.
class SettingBuilder final : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  /// `root`: the place of the whole text; `reached`: one past the last character read.
  SettingBuilder(std::string_view text, std::string file, std::string root,
                 const char* const& reached)
      : text_{text}, file_{std::move(file)}, root_{std::move(root)}, reached_{reached} {}

  Setting take() { return std::move(result_); }

  bool null() override { return add(Setting{}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override {
    return add(Setting::Number{std::to_string(value)});
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(Setting::Number{std::to_string(value)});
  }
  /// The parser has put the decimal point of the program's locale into the text.
  bool number_float(number_float_t, const string_t& text) override {
    std::string digits = text;
    if (const char point = *std::localeconv()->decimal_point; point != '.') {
      std::ranges::replace(digits, point, '.');
    }
    return add(Setting::Number{std::move(digits)});
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    return open(Level{Params{next_place()}, {}, {}, true});
  }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (level.group.has(name)) {
      const std::size_t end = read_length() - 1;
      fail(opening_quote(text_, end),
           fmt::format("the key {} is given twice", Setting{name}.describe()));
    }
    level.key = std::move(name);
    return true;
  }
  bool end_object() override {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    return add(std::move(level.group));
  }
  bool start_array(std::size_t) override {
    return open(Level{Params{next_place()}, {}, {}, false});
  }
  bool end_array() override {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    return add(std::move(level.list));
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::ordered_json::exception& error) override {
    // Releases of the parser word this differently.
    fail(std::max<std::size_t>(position, 1) - 1, text_.empty()
                                                     ? "is empty; expected '[', '{', or a literal"
                                                     : parser_complaint(error.what()));
  }

 private:
  /// A group or list that is not complete yet. A list's place is that of its unused group.
  struct Level {
    Params group;
    std::string key;
    Setting::List list;
    bool is_group;
  };

  std::size_t read_length() const { return static_cast<std::size_t>(reached_ - text_.data()); }

  [[noreturn]] void fail(std::size_t offset, std::string_view problem) const {
    throw InputError(file_, fmt::format("{}: {}", line_and_column(text_, offset), problem));
  }

  std::string next_place() const {
    if (levels_.empty()) {
      return root_;
    }
    const Level& level = levels_.back();
    return level.group.place_of(level.is_group ? level.key : std::to_string(level.list.size()));
  }

  bool open(Level level) {
    if (levels_.size() == most_json_levels) {
      fail(read_length() - 1,
           fmt::format("nested too deeply (more than {} levels)", most_json_levels));
    }
    levels_.push_back(std::move(level));
    return true;
  }

  bool add(Setting value) {
    ask_to_go_on();
    if (levels_.empty()) {
      result_ = std::move(value);
    } else if (Level& level = levels_.back(); level.is_group) {
      level.group.set(std::move(level.key), std::move(value));
    } else {
      level.list.push_back(std::move(value));
    }
    return true;
  }

  std::string_view text_;
  std::string file_;
  std::string root_;
  const char* const& reached_;
  std::vector<Level> levels_;
  Setting result_;
};

Setting read_json_at(std::string_view text, const std::string& file, const std::string& root) {
  const char* reached = text.data();
  SettingBuilder builder{text, file, root, reached};
  // The parser takes a NUL byte for the end of the text.
  const std::size_t length = std::min(text.find('\0'), text.size());
  const CountingIterator first{text.data(), &reached};
  const CountingIterator last{text.data() + length, &reached};
  nlohmann::ordered_json::sax_parse(first, last, &builder);
  if (length < text.size()) {
    throw InputError(file, line_and_column(text, length) + ": a NUL byte is no part of JSON");
  }
  return builder.take();
}

}  // namespace

Setting read_json(std::string_view text, const std::string& file) {
  return read_json_at(text, file, file + ": ");
}

std::optional<Setting> read_json_value(std::string_view text, const std::string& file,
                                       const std::string& pointer) {
  try {
    return read_json_at(text, file, file + ": " + pointer);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Params read_json_file(const std::filesystem::path& file) {
  const Setting document = read_json(file_text(file), file.string());
  if (document.group() == nullptr) {
    throw InputError(file.string(), document.describe() + " is not a JSON object { .. }");
  }
  return *document.group();
}

}  // namespace dcube
