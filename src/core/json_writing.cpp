#include "json_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dcube/core/errors.hpp"

namespace dcube {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t line_columns = 120;
constexpr std::size_t indent_columns = 2;

/// `value`, which has no parts, as JSON.
std::string plain(const ordered_json& value) {
  expects(!value.is_number_float() || std::isfinite(value.get<double>()),
          "every number that is written is finite");
  return json_line(value);
}

/// The value on one line; nothing when it needs more than `room` columns.
std::optional<std::string> one_line(const ordered_json& value, std::size_t room) {
  if (!value.is_structured()) {
    return plain(value);
  }
  const bool is_list = value.is_array();
  std::string text = is_list ? "[" : "{";
  for (auto part = value.begin(); part != value.end(); ++part) {
    text += part == value.begin() ? "" : ", ";
    if (!is_list) {
      text += json_line(part.key()) + ": ";
    }
    const auto inner = text.size() < room ? one_line(*part, room - text.size()) : std::nullopt;
    if (!inner) {
      return std::nullopt;
    }
    text += *inner;
  }
  text += is_list ? "]" : "}";
  return text.size() <= room ? std::optional{text} : std::nullopt;
}

class Writer {
 public:
  std::string take() { return std::move(text_); }

  /// `used`: columns before the value on its first line.
  void write(const ordered_json& value, std::size_t indent, std::size_t used) {
    // One column is kept for the comma that may follow.
    const std::size_t room = line_columns - std::min(used + 1, line_columns);
    if (const std::optional<std::string> line = one_line(value, room)) {
      text_ += *line;
    } else if (value.is_object() ||
               std::any_of(value.begin(), value.end(),
                           [](const ordered_json& part) { return part.is_structured(); })) {
      write_parts(value, indent);
    } else {
      fill_lines(value, indent);
    }
  }

  /// Writes every part of a list or object on a new line. `more`: the text of one more part.
  void write_parts(const ordered_json& value, std::size_t indent, std::string_view more = {}) {
    const std::size_t inner = indent + indent_columns;
    text_ += value.is_object() ? '{' : '[';
    for (auto part = value.begin(); part != value.end(); ++part) {
      text_ += part == value.begin() ? "\n" : ",\n";
      text_.append(inner, ' ');
      const std::string key = value.is_object() ? json_line(part.key()) + ": " : "";
      text_ += key;
      write(*part, inner, inner + key.size());
    }
    text_ += more;
    end_part(indent, value.is_object() ? '}' : ']');
  }

 private:
  void fill_lines(const ordered_json& value, std::size_t indent) {
    text_ += "[\n";
    std::string line(indent + indent_columns, ' ');
    for (auto part = value.begin(); part != value.end(); ++part) {
      std::string item = plain(*part);
      item += std::next(part) == value.end() ? "" : ",";
      if (line.size() + 1 + item.size() > line_columns) {
        text_ += line;
        text_ += '\n';
        line.assign(indent + indent_columns, ' ');
      }
      line += line.back() == ' ' ? "" : " ";
      line += item;
    }
    text_ += line;
    end_part(indent, ']');
  }

  void end_part(std::size_t indent, char bracket) {
    text_ += '\n';
    text_.append(indent, ' ');
    text_ += bracket;
  }

  std::string text_;
};

/// A whole number that fits becomes an integer, "4.0" included; any other the nearest double.
ordered_json number_json(const std::string& text) {
  ordered_json read = json_value(text);
  if (read.is_number_integer()) {
    return read;
  }
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double exact_in_double = 9007199254740992.0;
  if (value > -exact_in_double && value < exact_in_double &&
      value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

}  // namespace

std::string json_layout(const ordered_json& value) {
  Writer writer;
  if (value.is_object()) {
    writer.write_parts(value, 0);
  } else {
    writer.write(value, 0, 0);
  }
  return writer.take() + "\n";
}

std::string json_layout_with_lines(const ordered_json& object, std::string_view key,
                                   std::string_view lines) {
  Writer writer;
  writer.write_parts(object, 0, fmt::format(",\n  {}: [\n{}\n  ]", json_string(key), lines));
  return writer.take() + "\n";
}

ordered_json json_value(std::string_view text) { return ordered_json::parse(text, nullptr, false); }

std::string json_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string json_string(std::string_view text) { return json_line(text); }

void to_json(ordered_json& json, const Params& group) {
  json = ordered_json::object();
  for (const std::string& key : group.keys_as_written()) {
    json[key] = *group.find(key);
  }
}

void to_json(ordered_json& json, const Setting& setting) {
  if (setting.boolean() != nullptr) {
    json = *setting.boolean();
  } else if (setting.number() != nullptr) {
    json = number_json(setting.number()->text);
  } else if (setting.text() != nullptr) {
    json = *setting.text();
  } else if (setting.list() != nullptr) {
    json = *setting.list();
  } else if (setting.group() != nullptr) {
    json = *setting.group();
  } else {
    json = nullptr;
  }
}

std::string json_text(const Setting& setting) { return json_line(setting); }

}  // namespace dcube
